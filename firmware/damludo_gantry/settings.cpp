#include "settings.h"

#include "checksum.h"
#include "fixed.h"
#include "uart.h"

namespace settings {

namespace {

enum Kind : uint8_t { kByte, kSwitch, kFraction, kWord };

struct Row {
    uint8_t number;
    uint8_t kind;
    uint32_t standard;
};

// A table gantry: 700 x 640 x 70 mm, 200 mm/s across, 60 mm/s up and down.
const Row kRows[] PROGMEM = {
    {kPulseUs, kByte, 10},
    {kIdleMs, kByte, 255},
    {kStepInvert, kByte, 0},
    {kDirectionInvert, kByte, 0},
    {kEnableInvert, kSwitch, 0},
    {kLimitInvert, kSwitch, 0},
    {6, kSwitch, 0},
    {kReportMask, kByte, 1},
    {kJunctionDeviation, kFraction, 10},
    {12, kFraction, 2},
    {13, kSwitch, 0},
    {kSoftLimits, kSwitch, 1},
    {kHardLimits, kSwitch, 1},
    {kHoming, kSwitch, 1},
    {kHomingInvert, kByte, 0},
    {kHomingFeed, kFraction, 300000},
    {kHomingSeek, kFraction, 3000000},
    {kHomingDebounceMs, kByte, 100},
    {kPullOff, kFraction, 2000},
    {30, kFraction, 1000000},
    {31, kFraction, 0},
    {32, kSwitch, 0},
    {kStepsPerMm, kFraction, 80000},
    {kStepsPerMm + 1, kFraction, 80000},
    {kStepsPerMm + 2, kFraction, 400000},
    {kRate, kFraction, 12000000},
    {kRate + 1, kFraction, 12000000},
    {kRate + 2, kFraction, 3600000},
    {kAcceleration, kFraction, 1000000},
    {kAcceleration + 1, kFraction, 1000000},
    {kAcceleration + 2, kFraction, 1000000},
    {kTravel, kFraction, 700000},
    {kTravel + 1, kFraction, 640000},
    {kTravel + 2, kFraction, 70000},
    {kServoAxis, kSwitch, 0},
    {kServoTopUs, kWord, 1000},
    {kServoBottomUs, kWord, 2000},
    {kMagnetSeconds, kWord, 300},
    {kServoSeconds, kWord, 30},
};
constexpr uint8_t kRowCount = sizeof kRows / sizeof kRows[0];

constexpr uint8_t kLayout = 1;  // grows when a record changes its shape; seeds the CRC, so that older records count as damaged
constexpr uint16_t kValuesAt = 0;
constexpr uint16_t kOffsetsAt = 192;
constexpr uint16_t kTextsAt = 272;
constexpr uint16_t kTextSpace = kTextLength + 2;
constexpr uint16_t kResetsAt = 560;
constexpr uint16_t kCrcSize = 2;
constexpr uint16_t kOffsetsSize = kSystems * kAxisCount * sizeof(int32_t);
static_assert(kRowCount * 4 + kCrcSize <= kOffsetsAt, "the settings overlap the offsets");
static_assert(kOffsetsAt + kOffsetsSize + kCrcSize <= kTextsAt, "the offsets overlap the texts");
static_assert(kTextsAt + 3 * kTextSpace <= kResetsAt, "the texts overlap the count of resets");

constexpr uint32_t kStepRateLimitHz = 30000;

uint32_t values[kRowCount];

uint8_t row_number(uint8_t row) {
    return pgm_read_byte(&kRows[row].number);
}

uint8_t row_kind(uint8_t row) {
    return pgm_read_byte(&kRows[row].kind);
}

// kRowCount: there is none.
uint8_t find(uint8_t number) {
    uint8_t row = 0;
    while (row < kRowCount && row_number(row) != number) ++row;
    return row;
}

uint16_t first_sum() {
    return checksum::add(checksum::kStart, kLayout);
}

uint16_t stored_sum(uint16_t at) {
    return static_cast<uint16_t>(hal::read_eeprom(at) | hal::read_eeprom(at + 1) << 8);
}

bool record_is_good(uint16_t at, uint16_t size) {
    uint16_t sum = first_sum();
    for (uint16_t i = 0; i < size; ++i) sum = checksum::add(sum, hal::read_eeprom(at + i));
    return sum == stored_sum(at + size);
}

void write_sum(uint16_t at, uint16_t sum) {
    hal::write_eeprom(at, static_cast<uint8_t>(sum));
    hal::write_eeprom(at + 1, static_cast<uint8_t>(sum >> 8));
}

void write_record(uint16_t at, const void* data, uint16_t size) {
    uint16_t sum = first_sum();
    const uint8_t* bytes = static_cast<const uint8_t*>(data);
    for (uint16_t i = 0; i < size; ++i) {
        hal::write_eeprom(at + i, bytes[i]);
        sum = checksum::add(sum, bytes[i]);
    }
    write_sum(at + size, sum);
}

void read_bytes(uint16_t at, void* data, uint16_t size) {
    uint8_t* bytes = static_cast<uint8_t*>(data);
    for (uint16_t i = 0; i < size; ++i) bytes[i] = hal::read_eeprom(at + i);
}

void write_values() {
    write_record(kValuesAt, values, sizeof values);
}

void take_standard_values() {
    for (uint8_t row = 0; row < kRowCount; ++row) values[row] = pgm_read_dword(&kRows[row].standard);
    write_values();
}

void clear_offsets() {
    uint16_t sum = first_sum();
    for (uint16_t i = 0; i < kOffsetsSize; ++i) {
        hal::write_eeprom(kOffsetsAt + i, 0);
        sum = checksum::add(sum, 0);
    }
    write_sum(kOffsetsAt + kOffsetsSize, sum);
}

uint16_t text_at(uint8_t slot) {
    return kTextsAt + slot * kTextSpace;
}

// A text's record ends behind its 0, and so does its CRC: an empty one costs three bytes of writing.
uint16_t text_size(uint8_t slot) {
    uint16_t size = 0;
    while (size < kTextLength && hal::read_eeprom(text_at(slot) + size)) ++size;
    return size + 1;
}

bool text_is_good(uint8_t slot) {
    const uint16_t size = text_size(slot);
    return size <= kTextLength && record_is_good(text_at(slot), size);
}

bool rate_is_too_high(uint8_t number, uint32_t value) {
    if (number < kStepsPerMm || number >= kAcceleration) return false;
    const uint32_t other = get(number < kRate ? number + 10 : number - 10);
    return fixed::multiply_divide(value, other, 1000000) > kStepRateLimitHz * 60;
}

uint32_t value_of(uint8_t kind, const Number& value) {
    switch (kind) {
        case kSwitch:
            return !value.zero();
        case kByte:
            return value.whole & 255;
        case kWord:
            return value.whole & 65535;
        default:
            return value.thousandths();
    }
}

}  // namespace

Health load() {
    Health health = {};
    health.settings_lost = !record_is_good(kValuesAt, sizeof values);
    if (health.settings_lost) {
        take_standard_values();
    } else {
        read_bytes(kValuesAt, values, sizeof values);
    }
    if (!record_is_good(kOffsetsAt, kOffsetsSize)) clear_offsets();
    for (uint8_t slot = 0; slot < kStartupLines; ++slot) health.startup_lost[slot] = !text_is_good(slot);
    for (uint8_t slot = 0; slot <= kBuildInfo; ++slot) {
        if (!text_is_good(slot)) write_text(slot, "");
    }
    return health;
}

uint32_t get(uint8_t number) {
    return values[find(number)];
}

uint8_t store(uint8_t number, const Number& value) {
    if (value.negative && !value.zero()) return 4;
    const uint8_t row = find(number);
    if (row == kRowCount) return 3;
    if (number == kPulseUs && value.whole < 3) return 6;
    if (number == kSoftLimits && !value.zero() && !on(kHoming)) return 10;
    if (rate_is_too_high(number, value.thousandths())) return 12;
    values[row] = value_of(row_kind(row), value);
    if (number == kHoming && value.zero()) values[find(kSoftLimits)] = 0;
    write_values();
    return 0;
}

uint8_t restore(char what) {
    if (what != '$' && what != '#' && what != '*') return 3;
    if (what != '#') take_standard_values();
    if (what != '$') clear_offsets();
    if (what == '*') {
        for (uint8_t slot = 0; slot <= kBuildInfo; ++slot) write_text(slot, "");
    }
    return 0;
}

void print_all() {
    for (uint8_t row = 0; row < kRowCount; ++row) {
        uart::put('$');
        uart::put_whole(row_number(row));
        uart::put('=');
        const uint32_t value = values[row] > 0x7FFFFFFF ? 0x7FFFFFFF : values[row];
        uart::put_decimal(static_cast<int32_t>(value), row_kind(row) == kFraction ? 3 : 0);
        uart::end_line();
    }
}

void read_offset(uint8_t system, int32_t offset[kAxisCount]) {
    read_bytes(kOffsetsAt + system * kAxisCount * sizeof(int32_t), offset, kAxisCount * sizeof(int32_t));
}

void write_offset(uint8_t system, const int32_t offset[kAxisCount]) {
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(offset);
    const uint16_t at = kOffsetsAt + system * kAxisCount * sizeof(int32_t);
    for (uint8_t i = 0; i < kAxisCount * sizeof(int32_t); ++i) hal::write_eeprom(at + i, bytes[i]);
    uint16_t sum = first_sum();
    for (uint16_t i = 0; i < kOffsetsSize; ++i) sum = checksum::add(sum, hal::read_eeprom(kOffsetsAt + i));
    write_sum(kOffsetsAt + kOffsetsSize, sum);
}

void read_text(uint8_t slot, char* text) {
    uint8_t i = 0;
    do {
        text[i] = static_cast<char>(hal::read_eeprom(text_at(slot) + i));
    } while (text[i] && ++i < kTextLength - 1);
    text[i] = 0;
}

void write_text(uint8_t slot, const char* text) {
    uint16_t size = 0;
    while (text[size]) ++size;
    write_record(text_at(slot), text, size + 1);
}

uint16_t count_reset() {
    uint8_t bytes[2];
    read_bytes(kResetsAt, bytes, 2);
    uint16_t count = static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
    ++count;  // a blank memory holds 65535: the first reset is number 0
    hal::write_eeprom(kResetsAt, static_cast<uint8_t>(count));
    hal::write_eeprom(kResetsAt + 1, static_cast<uint8_t>(count >> 8));
    return count;
}

}  // namespace settings
