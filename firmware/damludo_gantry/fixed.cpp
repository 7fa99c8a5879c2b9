#include "fixed.h"

namespace fixed {

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

uint32_t square_root_64(uint64_t value) {
    uint64_t root = 0;
    uint64_t bit = 1ULL << 62;
    while (bit > value) bit >>= 2;
    for (; bit; bit >>= 2) {
        const uint64_t trial = root + bit;
        root >>= 1;
        if (value >= trial) {
            value -= trial;
            root += bit;
        }
    }
    return static_cast<uint32_t>(root);
}

// Long division of 64 by 32 bits whose quotient fits 32 bits: a fifth of the size and time of the general one on 8 bits.
static uint32_t divide(uint32_t high, uint32_t low, uint32_t divisor) {
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
    const uint64_t product = static_cast<uint64_t>(a) * b;
    const uint32_t high = static_cast<uint32_t>(product >> 32);
    return high >= c ? kMost : divide(high, static_cast<uint32_t>(product), c);
}

int32_t scale(int32_t a, uint32_t b, uint32_t c, int32_t limit) {
    const uint64_t product = static_cast<uint64_t>(magnitude(a)) * b + c / 2;
    const uint32_t high = static_cast<uint32_t>(product >> 32);
    uint32_t result = high >= c ? kMost : divide(high, static_cast<uint32_t>(product), c);
    if (result > static_cast<uint32_t>(limit)) result = static_cast<uint32_t>(limit);
    return a < 0 ? -static_cast<int32_t>(result) : static_cast<int32_t>(result);
}

uint32_t multiply_shift(uint32_t a, uint32_t b) {
    const uint64_t product = static_cast<uint64_t>(a) * b;
    return product >> 48 ? kMost : static_cast<uint32_t>(product >> 16);
}

uint32_t divide_shift(uint32_t a, uint32_t b) {
    return multiply_divide(a, 65536, b);
}

uint32_t add(uint32_t a, uint32_t b) {
    const uint32_t sum = a + b;
    return sum < a ? kMost : sum;
}

}  // namespace fixed
