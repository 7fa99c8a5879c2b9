#include "uart.h"

#include "hal.h"
#include "stepper.h"

namespace uart {

static_assert((kReceiveRing & (kReceiveRing - 1)) == 0, "the index is cut by a mask");

struct Rings {
    uint8_t in[kReceiveRing];
    uint8_t out[kSendRing];
    volatile uint8_t in_count;
    volatile uint8_t out_count;
    uint8_t in_at;   // next to take
    uint8_t out_at;  // next to send
    volatile uint8_t quiet_ms;
};

static Rings rings;

void init() {
    rings.in_count = rings.out_count = rings.in_at = rings.out_at = 0;
    rings.quiet_ms = 255;
}

void drop_received() {
    hal::Locked locked;
    rings.in_count = 0;
}

uint8_t received() {
    return rings.in_count;
}

uint8_t take() {
    hal::Locked locked;
    const uint8_t byte = rings.in[rings.in_at];
    rings.in_at = (rings.in_at + 1) & (kReceiveRing - 1);
    --rings.in_count;
    return byte;
}

uint8_t quiet_ms() {
    return rings.quiet_ms;
}

void keep(uint8_t byte) {
    rings.quiet_ms = 0;
    if (rings.in_count == kReceiveRing) return;
    rings.in[(rings.in_at + rings.in_count) & (kReceiveRing - 1)] = byte;
    ++rings.in_count;
}

void age_1ms() {
    if (rings.quiet_ms != 255) ++rings.quiet_ms;
}

int16_t next_to_send() {
    if (!rings.out_count) return -1;
    const uint8_t byte = rings.out[rings.out_at];
    if (++rings.out_at == kSendRing) rings.out_at = 0;
    --rings.out_count;
    return byte;
}

void put(char letter) {
    while (rings.out_count == kSendRing) {
        stepper::prepare();
        hal::wait();
    }
    hal::Locked locked;
    uint8_t at = rings.out_at + rings.out_count;
    if (at >= kSendRing) at -= kSendRing;
    rings.out[at] = static_cast<uint8_t>(letter);
    ++rings.out_count;
    hal::begin_sending();
}

void put_text(const char* flash_text) {
    while (const char letter = static_cast<char>(pgm_read_byte(flash_text++))) put(letter);
}

void put_line(const char* flash_text) {
    put_text(flash_text);
    end_line();
}

void put_string(const char* text) {
    while (*text) put(*text++);
}

void end_line() {
    put('\r');
    put('\n');
}

void put_whole(uint32_t value) {
    put_decimal(static_cast<int32_t>(value > 0x7FFFFFFF ? 0x7FFFFFFF : value), 0);
}

void put_decimal(int32_t value, uint8_t decimals) {
    stepper::prepare();  // a report takes some milliseconds
    char digits[11];
    uint8_t count = 0;
    uint32_t rest = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    while (rest || count <= decimals) {
        digits[count++] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    if (value < 0) put('-');
    while (count) {
        if (count == decimals) put('.');
        put(digits[--count]);
    }
}

void put_hex(uint16_t value) {
    for (uint8_t shift = 16; shift;) {
        shift -= 4;
        const uint8_t digit = value >> shift & 15;
        put(static_cast<char>(digit < 10 ? '0' + digit : 'A' - 10 + digit));
    }
}

}  // namespace uart
