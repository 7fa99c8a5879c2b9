// Finding the end switches: z first, then x and y together; fast to the switch, back, slowly to it, back.
#pragma once
#include <stdint.h>

namespace homing {

void init();
// Home all axes. A failure gives its alarm and asks for a reset, whose `ok` comes before the greeting.
void home();
// For the millisecond interrupt: stop each axis where its switch closes. True: this is homing's business.
bool watch(uint8_t closed_limits);

}  // namespace homing
