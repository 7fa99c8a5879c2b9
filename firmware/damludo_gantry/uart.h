// The two rings of the serial port, and writing text.
#pragma once
#include <stdint.h>

namespace uart {

constexpr uint8_t kReceiveRing = 128;
constexpr uint8_t kSendRing = 104;

void init();
void drop_received();
uint8_t received();  // bytes that wait
uint8_t take();      // the next of them; only if there is one
// Milliseconds since the last byte of a line, at most 255.
uint8_t quiet_ms();

// Writing waits for room; motion goes on meanwhile.
void put(char letter);
void put_text(const char* flash_text);  // a TEXT()
void put_line(const char* flash_text);  // ... and the line's end
void put_string(const char* text);
void put_whole(uint32_t value);
void put_decimal(int32_t value, uint8_t decimals);  // value counts units of 10^-decimals
void put_hex(uint16_t value);
void end_line();

// For the interrupts.
void keep(uint8_t byte);
void age_1ms();
int16_t next_to_send();

}  // namespace uart
