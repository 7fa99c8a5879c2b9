// An Arduino Uno with a CNC shield, its motors, switches and magnet, around the ATmega328P of libsimavr.
//
// The image that is flashed runs here unchanged. Positions are steps of the motors; 0 is where a limit switch closes, the travel lies
// below 0.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { AXES = 3, EEPROM_BYTES = 1024, CPU_HZ = 16000000 };

enum OutputBits { OUTPUT_MAGNET = 1, OUTPUT_STEPPERS = 2 };
enum InputBits { INPUT_LIMITS = 7, INPUT_RESET = 8, INPUT_HOLD = 16, INPUT_RESUME = 32 };

struct BoardState {
    uint64_t now_ns;
    int32_t position[AXES];   // steps
    uint8_t outputs;          // OutputBits
    uint16_t servo_us;        // width of the last servo pulse, 0: none within the last 50 ms
    uint64_t magnet_edge_ns;  // last change of the magnet's pin, 0: none
    uint16_t resets;          // of every kind, since the start
};

// Loads an image (.hex or .elf). Returns false, with words on stderr, if it cannot be used.
bool board_load(const char *image);

// Puts the axes somewhere before the first reset.
void board_place(const int32_t position[AXES]);

// One line for each step and each load of the step timer goes to `file` from now on.
void board_trace(FILE *file);

// EEPROM, which keeps its bytes without power.
void board_set_eeprom(const uint8_t bytes[EEPROM_BYTES]);
void board_get_eeprom(uint8_t bytes[EEPROM_BYTES]);

// Hardware reset. The first one is the power-on: before it nothing runs.
void board_reset(void);

// Inputs in `mask` are held at `value` (1: active); the others follow the position (limits) or are open.
void board_force(uint8_t mask, uint8_t value);

// The axes slip: they stand elsewhere without a step.
void board_slip(const int32_t steps[AXES]);

// Bytes begin to arrive now, at 115200 baud, after those that are still on their way.
void board_send(const uint8_t *bytes, size_t count);

// Lives up to a time. Returns false if the program on the board has crashed.
bool board_run(uint64_t until_ns);

struct BoardState board_state(void);

// What has left the board's transmitter since the last call; valid until the next call of any of these.
size_t board_output(const uint8_t **bytes);
