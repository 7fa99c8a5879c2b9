// What interrupts leave for the main program: real-time bytes in their order, a reset, a limit that was hit. And the clock.
#pragma once
#include <stdint.h>

namespace realtime {

constexpr uint8_t kReset = 0x18;
constexpr uint8_t kQuery = '?';
constexpr uint8_t kHold = '!';
constexpr uint8_t kResume = '~';
constexpr uint8_t kDoor = 0x84;
constexpr uint8_t kJogCancel = 0x85;
constexpr uint8_t kSpindleStop = 0x9E;

struct Reset {
    bool in_motion;
    bool estop;
};

void init();
uint32_t now_ms();
// Each returns whether there was one, and forgets it.
bool take_reset(Reset& reset);
bool take_limit_hit();
bool take_magnet_over();
bool take_query();
bool take(uint8_t& byte);
bool pending();  // take() would find one
// Motors and magnet are off when this returns.
void request_reset();

}  // namespace realtime
