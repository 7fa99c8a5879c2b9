// What is kept without power: numbered settings, work offsets, start-up lines, the text of $I=, the count of resets.
// Each record carries a CRC. A record that is damaged or was never written is replaced by its defaults and reported.
#pragma once
#include <stdint.h>

#include "hal.h"
#include "number.h"

namespace settings {

// Numbers of GRBL 1.1; from 160 on our own.
enum : uint8_t {
    kPulseUs = 0,
    kIdleMs = 1,
    kStepInvert = 2,
    kDirectionInvert = 3,
    kEnableInvert = 4,
    kLimitInvert = 5,
    kReportMask = 10,
    kJunctionDeviation = 11,
    kSoftLimits = 20,
    kHardLimits = 21,
    kHoming = 22,
    kHomingInvert = 23,
    kHomingFeed = 24,
    kHomingSeek = 25,
    kHomingDebounceMs = 26,
    kPullOff = 27,
    kStepsPerMm = 100,
    kRate = 110,
    kAcceleration = 120,
    kTravel = 130,
    kServoAxis = 160,
    kServoTopUs = 161,
    kServoBottomUs = 162,
    kMagnetSeconds = 163,
    kServoSeconds = 164
};

constexpr uint8_t kSystems = 6;  // G54 to G59
constexpr uint8_t kStartupLines = 2;
constexpr uint8_t kTextLength = 80;

struct Health {
    bool settings_lost;
    bool startup_lost[kStartupLines];
};

// Read everything; replaces what is damaged.
Health load();
// Whole settings as they are, fractions in thousandths. The number must exist.
uint32_t get(uint8_t number);
inline bool on(uint8_t number) {
    return get(number) != 0;
}
// Returns the error GRBL gives, 0 if stored.
uint8_t store(uint8_t number, const Number& value);
// '$' settings, '#' offsets, '*' everything; returns an error or 0.
uint8_t restore(char what);
void print_all();

// In ten thousandths of a mm.
void read_offset(uint8_t system, int32_t offset[kAxisCount]);
void write_offset(uint8_t system, const int32_t offset[kAxisCount]);
// Text ends with 0 and has room for kTextLength bytes. Slot 0, 1: start-up lines; 2: build info.
constexpr uint8_t kBuildInfo = kStartupLines;
void read_text(uint8_t slot, char* text);
void write_text(uint8_t slot, const char* text);

uint16_t count_reset();

}  // namespace settings
