// The magnet: a plain output with a longest time. It burns if it is forgotten.
#pragma once
#include <stdint.h>

namespace magnet {

void init();
void read_settings();
void set(bool on);  // on: the time begins anew
bool on();
// For the millisecond interrupt: true at the moment the time is over; the magnet is off then.
bool age_1ms();

}  // namespace magnet
