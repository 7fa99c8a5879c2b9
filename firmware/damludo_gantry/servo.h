// The z axis as a hobby servo ($160=1): z is planned and counted in steps as ever; the pulse follows the count, 50 times a second.
// Some time after the last change the pulses end, so that a blocked servo does not burn.
#pragma once
#include <stdint.h>

namespace servo {

void init();
void read_settings();
bool used();
void off();  // until z changes again
// In the main program: work out the pulse for where z is now.
void follow(int32_t z_steps);
// For the millisecond interrupt.
void age_1ms();

}  // namespace servo
