#include "report.h"

#include "fixed.h"
#include "inputs.h"
#include "machine.h"
#include "magnet.h"
#include "places.h"
#include "planner.h"
#include "settings.h"
#include "stepper.h"
#include "uart.h"
#include "version.h"

namespace report {

namespace {

using machine::State;

constexpr uint8_t kMachinePosition = 1;  // bits of $10
constexpr uint8_t kBuffers = 2;
constexpr uint8_t kIdleInterval = 10;
constexpr uint8_t kOffsetInterval = 30;
constexpr uint8_t kOverrideInterval = 20;

struct Counters {
    uint8_t offset;
    uint8_t overrides;
};

Counters counters;

// Ten thousandths to thousandths, half away from zero.
int32_t thousandths(int32_t value) {
    return fixed::scale(value, 1, 10, 0x7FFFFFFF);
}

void put_point(const int32_t thousandth[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (i) uart::put(',');
        uart::put_decimal(thousandth[i], 3);
    }
}

void put_place(const int32_t place[kAxisCount]) {
    int32_t point[kAxisCount];
    for (uint8_t i = 0; i < kAxisCount; ++i) point[i] = thousandths(place[i]);
    put_point(point);
}

void put_state() {
    const char digit = static_cast<char>('0' + stepper::moving());
    switch (machine::state()) {
        case State::Idle: return uart::put_text(TEXT("Idle"));
        case State::Run: return uart::put_text(TEXT("Run"));
        case State::Jog: return uart::put_text(TEXT("Jog"));
        case State::Alarm: return uart::put_text(TEXT("Alarm"));
        case State::Check: return uart::put_text(TEXT("Check"));
        case State::Home: return uart::put_text(TEXT("Home"));
        case State::Sleep: return uart::put_text(TEXT("Sleep"));
        case State::Hold:
            uart::put_text(TEXT("Hold:"));
            return uart::put(digit);
        case State::Door:
            uart::put_text(TEXT("Door:"));
            return uart::put(machine::door_restoring() ? '3' : stepper::moving() ? '2' : '0');
    }
}

void put_position(uint8_t mask) {
    int32_t motors[kAxisCount];
    int32_t point[kAxisCount];
    int32_t offset[kAxisCount];
    stepper::get_position(motors);
    places::work_offset(offset);
    uart::put_text(mask & kMachinePosition ? TEXT("|MPos:") : TEXT("|WPos:"));
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        point[i] = fixed::scale(motors[i], 1000000, settings::get(settings::kStepsPerMm + i), 0x3FFFFFFF);
        if (!(mask & kMachinePosition)) point[i] -= thousandths(offset[i]);
    }
    put_point(point);
}

void put_inputs() {
    const uint8_t limits = inputs::limits();
    const uint8_t controls = inputs::controls();
    if (!limits && !controls) return;
    uart::put_text(TEXT("|Pn:"));
    if (limits & kX) uart::put('X');
    if (limits & kY) uart::put('Y');
    if (limits & kZ) uart::put('Z');
    if (controls & hal::kHold) uart::put('H');
    if (controls & hal::kEstop) uart::put('R');
    if (controls & hal::kResume) uart::put('S');
}

bool busy() {
    switch (machine::state()) {
        case State::Run: case State::Hold: case State::Jog: case State::Door: case State::Home: return true;
        default: return false;
    }
}

void put_overrides() {
    uart::put_text(TEXT("|Ov:"));
    uart::put_whole(planner::feed_percent());
    uart::put(',');
    uart::put_whole(planner::rapid_percent());
    uart::put(',');
    uart::put_whole(machine::spindle_percent());
    if (magnet::on()) uart::put_text(machine::modal().spindle == 3 ? TEXT("|A:S") : TEXT("|A:C"));
}

// Offset and overrides come now and then, never both in one report.
void put_rare_fields() {
    if (counters.offset) {
        --counters.offset;
    } else {
        counters.offset = (busy() ? kOffsetInterval : kIdleInterval) - 1;
        if (!counters.overrides) counters.overrides = 1;
        int32_t offset[kAxisCount];
        places::work_offset(offset);
        uart::put_text(TEXT("|WCO:"));
        put_place(offset);
    }
    if (counters.overrides) {
        --counters.overrides;
    } else {
        counters.overrides = (busy() ? kOverrideInterval : kIdleInterval) - 1;
        put_overrides();
    }
}

void put_power() {
    if (!magnet::on()) return uart::put('0');
    const uint32_t power = fixed::magnitude(machine::modal().power);
    uart::put_whole(fixed::multiply_divide(power, machine::spindle_percent(), 1000000));
}

void put_word(char letter, uint32_t value) {
    uart::put(' ');
    uart::put(letter);
    uart::put_whole(value);
}

void put_origin() {
    const int32_t origin[kAxisCount] = {0, 0, 0};
    put_point(origin);
}

void put_named_place(const char* name, const int32_t place[kAxisCount]) {
    uart::put_text(name);
    put_place(place);
    uart::put_line(TEXT("]"));
}

void put_cause() {
    switch (hal::reset_cause()) {
        case hal::ResetCause::Power: return uart::put_text(TEXT("power"));
        case hal::ResetCause::External: return uart::put_text(TEXT("external"));
        case hal::ResetCause::Brownout: return uart::put_text(TEXT("brownout"));
        case hal::ResetCause::Watchdog: return uart::put_text(TEXT("watchdog"));
    }
}

}  // namespace

void init() {
    counters.offset = counters.overrides = 0;
}

void offset_soon() {
    counters.offset = 0;
}

void overrides_soon() {
    counters.overrides = 0;
}

void status() {
    const uint8_t mask = static_cast<uint8_t>(settings::get(settings::kReportMask));
    uart::put('<');
    put_state();
    put_position(mask);
    if (mask & kBuffers) {
        uart::put_text(TEXT("|Bf:"));
        uart::put_whole(planner::free_places());
        uart::put(',');
        uart::put_whole(uart::kReceiveRing - uart::received());
    }
    uart::put_text(TEXT("|FS:"));
    uart::put_whole(stepper::feed_now());
    uart::put(',');
    put_power();
    put_inputs();
    put_rare_fields();
    uart::put_line(TEXT(">"));
}

void modes() {
    const gcode::Modal& modal = machine::modal();
    uart::put_text(TEXT("[GC:G"));
    uart::put_whole(modal.motion);
    put_word('G', 54 + modal.system);
    put_word('G', modal.plane);
    put_word('G', modal.inches ? 20 : 21);
    put_word('G', modal.relative ? 91 : 90);
    put_word('G', 94);
    put_word('M', modal.spindle);
    put_word('M', modal.cool);
    put_word('T', modal.tool);
    const int32_t feed = fixed::scale(modal.feed, 1, modal.inches ? 254000 : 10000, 0x7FFFFFFF);
    put_word('F', static_cast<uint32_t>(feed));
    put_word('S', static_cast<uint32_t>(fixed::scale(modal.power, 1, 10000, 0x7FFFFFFF)));
    uart::put_line(TEXT("]"));
}

void offsets() {
    int32_t place[kAxisCount];
    for (uint8_t system = 0; system < settings::kSystems; ++system) {
        settings::read_offset(system, place);
        uart::put_text(TEXT("[G"));
        uart::put_whole(54 + system);
        put_named_place(TEXT(":"), place);
    }
    const int32_t origin[kAxisCount] = {0, 0, 0};
    put_named_place(TEXT("[G28:"), origin);
    put_named_place(TEXT("[G30:"), origin);
    put_named_place(TEXT("[G92:"), places::shift);
    uart::put_line(TEXT("[TLO:0.000]"));
    uart::put_text(TEXT("[PRB:"));
    put_origin();
    uart::put_line(TEXT(":0]"));
}

void identity() {
    char text[settings::kTextLength];
    settings::read_text(settings::kBuildInfo, text);
    uart::put_text(TEXT("[VER:1.1h.20190830:"));
    uart::put_string(text);
    uart::put_line(TEXT("]"));
    uart::put_line(TEXT("[OPT:V,15,128]"));
    uart::put_text(TEXT("[DAMLUDO:" DAMLUDO_VERSION ",N1,"));
    put_cause();
    uart::put(',');
    uart::put_whole(machine::reset_count());
    uart::put_line(TEXT("]"));
}

void abnormal_reset() {
    const hal::ResetCause cause = hal::reset_cause();
    if (cause != hal::ResetCause::Brownout && cause != hal::ResetCause::Watchdog) return;
    uart::put_text(TEXT("[MSG:Reset by "));
    put_cause();
    uart::put(' ');
    uart::put_whole(machine::reset_count());
    uart::put_line(TEXT("]"));
}

void greeting(bool locked) {
    uart::end_line();
    uart::put_line(TEXT("Grbl 1.1h ['$' for help]"));
    if (locked) uart::put_line(TEXT("[MSG:'$H'|'$X' to unlock]"));
}

}  // namespace report
