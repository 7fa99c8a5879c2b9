// The board on the PC: virtual time in cycles of 16 MHz, pins, mechanics on them. The core runs in it as on the chip: its interrupts
// are events in time, and computing takes none.
#pragma once
#include <stdint.h>

#include <cstdio>
#include <deque>
#include <vector>

#include "hal.h"

namespace bench {

constexpr uint64_t kNever = UINT64_MAX;
constexpr size_t kEepromSize = 1024;

// Who steers the board: asked when nothing more happens up to `limit`.
class Driver {
public:
    virtual ~Driver() {}
    // Give new bytes or inputs, or a later limit; returning with neither ends nothing.
    virtual void reached_limit() = 0;
};

struct Step {
    uint64_t at;  // cycles
    uint8_t axis;
    int8_t change;
};

struct Board {
    uint64_t now;    // cycles
    uint64_t limit;  // live up to here
    Driver* driver;
    FILE* trace;
    std::vector<Step>* steps;  // where to log them, if anywhere

    // Pins
    bool powered;
    bool magnet;
    uint64_t magnet_edge;  // cycles of its last edge
    bool enabled;
    uint16_t servo_us;
    uint8_t directions;
    int32_t place[kAxisCount];  // steps from the switch
    uint8_t forced;             // bits as in the peer protocol: 0-2 limits, 3-5 controls
    uint8_t forced_to;
    uint16_t resets;
    uint32_t reset_requests;
    bool watchdog_bit;

    // Events
    uint64_t step_at;
    uint32_t step_period;
    uint64_t tick_at;
    uint64_t send_at;  // when the byte on its way has left
    uint64_t servo_at;
    uint64_t fed_at;   // the watchdog
    std::deque<std::pair<uint64_t, uint8_t>> incoming;
    std::vector<uint8_t> outgoing;
    int16_t sending;

    uint8_t eeprom[kEepromSize];
    hal::ResetCause cause;
};

extern Board board;

void make_board(Driver* driver);
// Bytes begin to arrive now.
void send_bytes(const uint8_t* data, size_t count);
// Run the firmware until the driver leaves by leave(): power-on, setup(), loop(). Call again for the next reset.
void run_until_left();
[[noreturn]] void leave();
// When something may happen without new bytes.
uint64_t next_event();

}  // namespace bench
