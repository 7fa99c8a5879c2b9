// Carriage and motors. Cartesian: motor i turns axis i. CoreXY changes these two functions (A = X + Y, B = X - Y) and nothing else:
// limits, homing and reports think in the axes of the carriage.
#pragma once
#include <stdint.h>

#include "hal.h"

namespace kinematics {

inline void motors_from_axes(const int32_t axes[kAxisCount], int32_t motors[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) motors[i] = axes[i];
}

inline void axes_from_motors(const int32_t motors[kAxisCount], int32_t axes[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) axes[i] = motors[i];
}

}  // namespace kinematics
