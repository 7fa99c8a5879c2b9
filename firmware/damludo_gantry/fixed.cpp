#include "fixed.h"

#include "hal.h"

namespace fixed {

ONCE Wide multiply(uint32_t a, uint32_t b) {
    const uint64_t product = static_cast<uint64_t>(a) * b;
    return Wide{static_cast<uint32_t>(product >> 32), static_cast<uint32_t>(product)};
}

ONCE void add(Wide& sum, const Wide& part) {
    sum.low += part.low;
    sum.high += part.high + (sum.low < part.low);
}

uint32_t square_root(const Wide& value) {
    uint32_t root = 0;
    for (uint32_t bit = 1UL << 31; bit; bit >>= 1) {
        const uint32_t trial = root | bit;
        const Wide square = multiply(trial, trial);
        if (square.high < value.high || (square.high == value.high && square.low <= value.low)) root = trial;
    }
    return root;
}

uint16_t square_root(uint32_t value) {
    uint32_t root = 0;
    for (uint32_t bit = 1UL << 30; bit; bit >>= 2) {
        const uint32_t trial = root + bit;
        root >>= 1;
        if (value >= trial) {
            value -= trial;
            root += bit;
        }
    }
    return static_cast<uint16_t>(root);
}

// Long division of 64 by 32 bits.
ONCE static uint32_t divide(const Wide& value, uint32_t divisor) {
    uint32_t high = value.high;
    uint32_t low = value.low;
    if (high >= divisor) return kMost;
    for (uint8_t i = 0; i < 32; ++i) {
        const bool carry = high & 0x80000000UL;
        high = high << 1 | low >> 31;
        low <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            low |= 1;
        }
    }
    return low;
}

uint32_t multiply_divide(uint32_t a, uint32_t b, uint32_t c) {
    return divide(multiply(a, b), c);
}

uint32_t multiply_shift(uint32_t a, uint32_t b, uint8_t shift) {
    return multiply_divide(a, b, 1UL << shift);
}

int32_t scale(int32_t a, uint32_t b, uint32_t c, int32_t limit) {
    Wide product = multiply(magnitude(a), b);
    add(product, Wide{0, c / 2});
    uint32_t result = divide(product, c);
    if (result > static_cast<uint32_t>(limit)) result = static_cast<uint32_t>(limit);
    return a < 0 ? -static_cast<int32_t>(result) : static_cast<int32_t>(result);
}

uint32_t add(uint32_t a, uint32_t b) {
    const uint32_t sum = a + b;
    return sum < a ? kMost : sum;
}

}  // namespace fixed
