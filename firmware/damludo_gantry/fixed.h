// Whole-number arithmetic. There is no float in the firmware: PC and ATmega must come to the same steps to the last bit.
// Nor is there a 64-bit type outside fixed.cpp: each use of one costs the chip some hundred bytes of code.
#pragma once
#include <stdint.h>

namespace fixed {

constexpr uint32_t kMost = 0xFFFFFFFF;

struct Wide {
    uint32_t high;
    uint32_t low;
};

Wide multiply(uint32_t a, uint32_t b);
void add(Wide& sum, const Wide& part);
uint32_t square_root(const Wide& value);  // rounded down
uint16_t square_root(uint32_t value);     // rounded down

// a * b / c, rounded down; kMost if it does not fit or c is 0.
uint32_t multiply_divide(uint32_t a, uint32_t b, uint32_t c);
// a * b / 2^shift, rounded down; kMost if it does not fit. 0 < shift < 32.
uint32_t multiply_shift(uint32_t a, uint32_t b, uint8_t shift);
// a * b / c, rounded to nearest, half away from zero; held within +-limit.
int32_t scale(int32_t a, uint32_t b, uint32_t c, int32_t limit);
uint32_t add(uint32_t a, uint32_t b);  // kMost if it does not fit

// Held within +-limit.
inline int32_t held(int32_t value, int32_t limit) {
    return value > limit ? limit : value < -limit ? -limit : value;
}

inline uint32_t magnitude(int32_t value) {
    return value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
}

}  // namespace fixed
