// Whole-number arithmetic. There is no float in the firmware: PC and ATmega must come to the same steps to the last bit.
#pragma once
#include <stdint.h>

namespace fixed {

constexpr uint32_t kMost = 0xFFFFFFFF;

uint16_t square_root(uint32_t value);    // rounded down
uint32_t square_root_64(uint64_t value);  // rounded down
// a * b / c, rounded down; kMost if it does not fit or c is 0.
uint32_t multiply_divide(uint32_t a, uint32_t b, uint32_t c);
// a * b / c, rounded to nearest, half away from zero; held within +-limit.
int32_t scale(int32_t a, uint32_t b, uint32_t c, int32_t limit);
// a * b / 65536; kMost if it does not fit.
uint32_t multiply_shift(uint32_t a, uint32_t b);
uint32_t divide_shift(uint32_t a, uint32_t b);  // a * 65536 / b, as above
uint32_t add(uint32_t a, uint32_t b);           // kMost if it does not fit

// Held within +-limit.
inline int32_t held(int64_t value, int32_t limit) {
    return value > limit ? limit : value < -limit ? -limit : static_cast<int32_t>(value);
}

inline uint32_t magnitude(int32_t value) {
    return value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
}

}  // namespace fixed
