#include "host_link.h"

#include "hal.h"
#include "uart.h"

namespace host_link {

namespace {

constexpr uint8_t kSumDigits = 4;
constexpr uint16_t kWindow = 1000;  // numbers so far back count as done, others as damaged

struct State {
    volatile bool active;
    volatile uint16_t silence_ms;
    uint16_t expected;
    uint8_t last_error;
};

State s;

int8_t hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return static_cast<int8_t>(letter - '0');
    if (letter >= 'A' && letter <= 'F') return static_cast<int8_t>(letter - 'A' + 10);
    return -1;
}

// Cut "*ABCD" off; false: it is not there or wrong.
bool take_sum(Line& line) {
    if (line.too_long || line.length < kSumDigits + 2) return false;
    const uint8_t star = static_cast<uint8_t>(line.length - kSumDigits - 1);
    if (line.text[star] != '*') return false;
    uint16_t sum = 0;
    for (uint8_t i = star + 1; i < line.length; ++i) {
        const int8_t digit = hex_digit(line.text[i]);
        if (digit < 0) return false;
        sum = static_cast<uint16_t>(sum << 4 | digit);
    }
    if (sum != line.checksum) return false;
    line.text[star] = 0;
    return true;
}

bool take_id(const char*& text, uint16_t& id) {
    if (*text != 'N') return false;
    uint32_t number = 0;
    const char* at = text + 1;
    while (*at >= '0' && *at <= '9' && number <= 65535) number = number * 10 + static_cast<uint8_t>(*at++ - '0');
    if (at == text + 1 || number > 65535) return false;
    id = static_cast<uint16_t>(number);
    text = at;
    return true;
}

void put_id(uint16_t id) {
    uart::put_text(TEXT(" N"));
    uart::put_whole(id);
}

void put_answer(uint8_t error) {
    if (!error) return uart::put_text(TEXT("ok"));
    uart::put_text(TEXT("error:"));
    uart::put_whole(error);
}

Verdict ask_again() {
    uart::put_text(TEXT("resend"));
    put_id(s.expected);
    uart::end_line();
    return Verdict::Answered;
}

Verdict answer_done(uint16_t id) {
    uart::put_text(TEXT("done"));
    if (id == static_cast<uint16_t>(s.expected - 1)) {
        uart::put(' ');
        put_answer(s.last_error);
    }
    put_id(id);
    uart::end_line();
    return Verdict::Answered;
}

}  // namespace

void init() {
    s = State();
}

Verdict admit(Line& line, const char*& text) {
    uint16_t id = 0;
    text = line.text;
    const bool good = take_id(text, id) && take_sum(line);
    if (!good) text = line.text;
    if (!s.active) {
        if (!good) return Verdict::Plain;
        s.active = true;
        s.expected = id;
    } else if (!line.length && !line.too_long) {
        return Verdict::Plain;  // an empty line ends half a line of before
    } else if (!good) {
        return ask_again();
    }
    note_life();
    const uint16_t behind = static_cast<uint16_t>(s.expected - id);
    if (behind > kWindow) return ask_again();
    if (behind) return answer_done(id);
    ++s.expected;
    return Verdict::Obey;
}

void sign_answer(uint8_t error) {
    s.last_error = error;
    put_answer(error);
    put_id(static_cast<uint16_t>(s.expected - 1));
    uart::end_line();
}

bool active() {
    return s.active;
}

void note_life() {
    hal::Locked locked;
    s.silence_ms = 0;
}

uint16_t silence_ms() {
    hal::Locked locked;
    return s.silence_ms;
}

void age_1ms() {
    if (s.active && s.silence_ms != 65535) ++s.silence_ms;
}

}  // namespace host_link
