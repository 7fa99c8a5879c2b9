#include "number.h"

constexpr uint32_t Number::kMostWhole;

int32_t Number::ten_thousandths() const {
    const uint32_t size = whole > 214747 ? 2147483647UL : whole * 10000 + part;
    return negative ? -static_cast<int32_t>(size) : static_cast<int32_t>(size);
}

uint32_t Number::thousandths() const {
    return whole > 4294966 ? 4294967295UL : whole * 1000 + (part + 5) / 10;
}

uint8_t Number::command() const {
    const uint8_t low = static_cast<uint8_t>(whole);
    return negative ? static_cast<uint8_t>(-low) : low;
}

bool Number::command_rest_is(uint8_t hundredths) const {
    const uint16_t rest = (part + 50) / 100;
    if (negative) return whole == 0 && rest == 0 && hundredths == 0;
    return whole < 256 && rest == hundredths;
}

bool read_number(const char* text, uint8_t& at, Number& number) {
    number.negative = text[at] == '-';
    number.whole = 0;
    if (text[at] == '-' || text[at] == '+') ++at;
    uint32_t part = 0;  // in 1/100000, for the rounding
    uint32_t weight = 0;
    bool digits = false;
    for (;; ++at) {
        const char letter = text[at];
        if (letter == '.' && !weight) {
            weight = 100000;
            continue;
        }
        const uint8_t digit = static_cast<uint8_t>(letter - '0');
        if (digit > 9) break;
        digits = true;
        if (!weight) {
            const uint32_t grown = number.whole * 10 + digit;
            number.whole = grown > Number::kMostWhole ? Number::kMostWhole : grown;
        } else if (weight > 1) {
            weight /= 10;
            part += weight * digit;
        }
    }
    part = (part + 5) / 10;
    if (part == 10000) {
        part = 0;
        ++number.whole;
    }
    number.part = static_cast<uint16_t>(part);
    return digits;
}
