// CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF. One for the lines of the host and for the memory.
#pragma once
#include <stdint.h>

namespace checksum {

constexpr uint16_t kStart = 0xFFFF;

inline uint16_t add(uint16_t sum, uint8_t byte) {
    sum ^= static_cast<uint16_t>(byte) << 8;
    for (uint8_t i = 0; i < 8; ++i) sum = static_cast<uint16_t>(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    return sum;
}

}  // namespace checksum
