// Decimal numbers of lines, without float.
#pragma once
#include <stdint.h>

// +-(whole + part / 10000); whole stops growing at kMostWhole.
struct Number {
    static constexpr uint32_t kMostWhole = 99999999;
    bool negative;
    uint32_t whole;
    uint16_t part;

    bool zero() const { return !whole && !part; }
    int32_t ten_thousandths() const;  // held within +-2147483647
    uint32_t thousandths() const;     // of the magnitude, rounded, held within 32 bits
    // Whole part as a command number, in one byte, and what is left of it in hundredths (GRBL: M400 is M144 with a rest).
    uint8_t command() const;
    bool command_rest_is(uint8_t hundredths) const;
};

// Read a number at text[at] and move `at` behind it; false: there is none.
bool read_number(const char* text, uint8_t& at, Number& number);
