#include "dollar.h"

#include "gcode.h"
#include "homing.h"
#include "inputs.h"
#include "machine.h"
#include "number.h"
#include "places.h"
#include "report.h"
#include "settings.h"
#include "uart.h"

namespace dollar {

namespace {

using machine::State;

bool is(const char* text, const char* flash_word) {
    while (const char letter = static_cast<char>(pgm_read_byte(flash_word++))) {
        if (*text++ != letter) return false;
    }
    return !*text;
}

bool begins(const char* text, const char* flash_word) {
    while (const char letter = static_cast<char>(pgm_read_byte(flash_word++))) {
        if (*text++ != letter) return false;
    }
    return true;
}

bool in_motion() {
    switch (machine::state()) {
        case State::Run: case State::Hold: case State::Door: case State::Jog: case State::Home: return true;
        default: return false;
    }
}

uint8_t toggle_check() {
    if (machine::state() == State::Check) {
        machine::set_state(State::Idle);
        machine::abort();
        uart::put_line(TEXT("[MSG:Disabled]"));
    } else if (machine::state() == State::Idle) {
        machine::set_state(State::Check);
        uart::put_line(TEXT("[MSG:Enabled]"));
    } else {
        return gcode::kNotIdle;
    }
    return gcode::kOk;
}

uint8_t unlock() {
    if (machine::state() != State::Alarm) return gcode::kOk;
    if (inputs::controls() & hal::kEstop) return gcode::kSafetyInput;
    uart::put_line(TEXT("[MSG:Caution: Unlocked]"));
    machine::set_state(State::Idle);
    return gcode::kOk;
}

uint8_t obey_in_motion(const char* text) {
    if (text[2]) return gcode::kBadStatement;
    switch (text[1]) {
        case 'G':
            report::modes();
            return gcode::kOk;
        case 'C':
            return toggle_check();
        case 'X':
            return unlock();
        default:
            if (in_motion()) return gcode::kNotIdle;
            settings::print_all();
            return gcode::kOk;
    }
}

uint8_t home(const char* text) {
    if (!settings::on(settings::kHoming)) return gcode::kHomingOff;
    if (text[2]) return gcode::kBadStatement;
    if (inputs::controls() & hal::kEstop) return gcode::kSafetyInput;
    homing::home();
    return gcode::kOk;
}

uint8_t startup_line(const char* text) {
    if (!text[2]) {
        for (uint8_t slot = 0; slot < settings::kStartupLines; ++slot) {
            char line[settings::kTextLength];
            settings::read_text(slot, line);
            uart::put_text(TEXT("$N"));
            uart::put_whole(slot);
            uart::put('=');
            uart::put_string(line);
            uart::end_line();
        }
        return gcode::kOk;
    }
    if ((text[2] != '0' && text[2] != '1') || text[3] != '=') return gcode::kBadStatement;
    if (machine::state() != State::Idle) return gcode::kNotIdle;
    if (text[4]) {
        gcode::Block block;
        const uint8_t error = gcode::parse(text + 4, machine::modal(), block);
        if (error) return error;
    }
    settings::write_text(static_cast<uint8_t>(text[2] - '0'), text + 4);
    return gcode::kOk;
}

uint8_t store(const char* text) {
    const char first = text[1];
    if (!((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '.')) return gcode::kBadStatement;
    uint8_t at = 1;
    Number number;
    Number value;
    if (!read_number(text, at, number)) return gcode::kBadNumber;
    if (text[at] != '=') return gcode::kBadStatement;
    if (!read_number(text, ++at, value)) return gcode::kBadNumber;
    const bool in_range = !(number.negative && !number.zero()) && number.whole <= 255 - (number.part != 0);
    if (text[at] || !in_range) return gcode::kBadStatement;
    const uint8_t error = settings::store(static_cast<uint8_t>(number.whole), value);
    if (!error) machine::read_settings();
    return error;
}

uint8_t change(const char* text) {
    if (begins(text, TEXT("$I="))) {
        settings::write_text(settings::kBuildInfo, text + 3);
        return gcode::kOk;
    }
    if (!begins(text, TEXT("$RST="))) return store(text);
    if (text[5] && text[6]) return gcode::kBadStatement;
    const uint8_t error = settings::restore(text[5]);
    if (error) return error;
    machine::read_settings();
    uart::put_line(TEXT("[MSG:Restoring defaults]"));
    machine::abort();
    return gcode::kOk;
}

uint8_t jog(const char* text) {
    if (machine::state() != State::Idle && machine::state() != State::Jog) return gcode::kNotIdle;
    if (text[2] != '=') return gcode::kBadStatement;
    gcode::Block block;
    const uint8_t error = gcode::parse_jog(text + 3, machine::modal(), block);
    if (error) return error;
    int32_t offset[kAxisCount];
    int32_t target[kAxisCount];
    places::work_offset(offset);
    gcode::move_target(block, places::parsed_end, offset, target);
    if (settings::on(settings::kSoftLimits) && places::outside(target)) return gcode::kJogOutside;
    for (uint8_t i = 0; i < kAxisCount; ++i) places::parsed_end[i] = target[i];
    machine::queue_move(target, places::planner_speed(block.modal.feed), State::Jog);
    return gcode::kOk;
}

uint8_t obey_at_rest(const char* text) {
#ifdef DAMLUDO_HANG
    while (is(text, TEXT("$HANG"))) {
    }
#endif
    if (text[1] == 'H') return home(text);
    if (text[1] == 'N') return startup_line(text);
    if (is(text, TEXT("$#"))) {
        report::offsets();
    } else if (is(text, TEXT("$I"))) {
        report::identity();
    } else if (is(text, TEXT("$SLP"))) {
        machine::sleep();
        uart::put_line(TEXT("[MSG:Sleeping]"));
    } else {
        return change(text);
    }
    return gcode::kOk;
}

}  // namespace

uint8_t obey(const char* text) {
    switch (text[1]) {
        case 0:
            uart::put_line(TEXT("[HLP:$$ $# $G $I $N $x=val $Nx=line $J=line $SLP $C $X $H ~ ! ? ctrl-x]"));
            return gcode::kOk;
        case 'J':
            return jog(text);
        case '$': case 'G': case 'C': case 'X':
            return obey_in_motion(text);
        default:
            if (machine::state() != State::Idle && machine::state() != State::Alarm) return gcode::kNotIdle;
            return obey_at_rest(text);
    }
}

}  // namespace dollar
