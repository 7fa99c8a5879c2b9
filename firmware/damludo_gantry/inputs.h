// Limit switches and control inputs, debounced: a level counts when it was read six times in a row, 1 ms apart. The spark of a
// magnet that is switched off lasts up to 5 ms on an unshielded switch wire.
#pragma once
#include <stdint.h>

namespace inputs {

void init();
void read_settings();
uint8_t limits();    // axes whose switch is closed
uint8_t controls();  // hal::kEstop, kHold, kResume that are pressed
// For the millisecond interrupt; returns the controls that were pressed just now.
uint8_t sample_1ms();

}  // namespace inputs
