#include "program.h"

#include "dollar.h"
#include "fixed.h"
#include "gcode.h"
#include "machine.h"
#include "magnet.h"
#include "places.h"
#include "settings.h"
#include "stepper.h"
#include "uart.h"

namespace program {

namespace {

using gcode::Action;
using gcode::Block;
using machine::State;

// The magnet switches where the program says: not before the moves ahead of it are done.
void set_spindle(const gcode::Modal& wanted) {
    const gcode::Modal& now = machine::modal();
    const bool turns = wanted.spindle != gcode::kSpindleOff;
    if (wanted.spindle == now.spindle && (wanted.power == now.power || !turns)) return;
    if (machine::state() == State::Check) return;
    if (machine::wait_for_rest()) magnet::set(turns && wanted.power > 0);
}

void dwell(int32_t ten_thousandths) {
    if (!machine::wait_for_rest()) return;
    if (machine::state() != State::Check) machine::wait_ms(static_cast<uint32_t>(ten_thousandths) / 10);
}

void stop_outside() {
    if (stepper::moving()) {
        stepper::hold();
        while (stepper::moving() && !machine::aborted()) machine::pass();
    }
    if (machine::aborted()) return;
    places::settle();
    machine::alarm(machine::kSoftLimit);
    machine::wait_while_suspended();
}

void move(const Block& block) {
    int32_t offset[kAxisCount];
    int32_t target[kAxisCount];
    places::work_offset(offset);
    gcode::move_target(block, places::parsed_end, offset, target);
    if (settings::on(settings::kSoftLimits) && places::outside(target)) return stop_outside();
    for (uint8_t i = 0; i < kAxisCount; ++i) places::parsed_end[i] = target[i];
    if (machine::state() == State::Check) return;
    const uint32_t speed = block.modal.motion == 0 ? 0 : places::planner_speed(block.modal.feed);
    machine::queue_move(target, speed, State::Run);
}

void set_offset(const Block& block) {
    const uint8_t system = block.offset_system;
    int32_t offset[kAxisCount];
    settings::read_offset(system, offset);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (!(block.axes & 1 << i)) continue;
        int32_t value = fixed::held(block.value[i], 2 * gcode::kFarthest);
        if (block.offset_is_position) value = places::parsed_end[i] - places::shift[i] - value;
        offset[i] = fixed::held(value, gcode::kFarthest);
    }
    settings::write_offset(system, offset);
}

void shift_origin(const Block& block) {
    int32_t base[kAxisCount];
    settings::read_offset(machine::modal().system, base);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (!(block.axes & 1 << i)) continue;
        const int32_t value = places::parsed_end[i] - base[i] - fixed::held(block.value[i], 2 * gcode::kFarthest);
        places::shift[i] = fixed::held(value, gcode::kFarthest);
    }
}

void change_origin(const Block& block) {
    if (block.action == Action::SetOffset) {
        set_offset(block);
    } else if (block.action == Action::Shift) {
        shift_origin(block);
    } else {
        for (uint8_t i = 0; i < kAxisCount; ++i) places::shift[i] = 0;
    }
    places::load_system_offset();
}

void end_program() {
    gcode::Modal fresh = gcode::first_modal();
    const gcode::Modal& old = machine::modal();
    fresh.motion = 1;
    fresh.inches = old.inches;
    fresh.feed = old.feed;
    fresh.power = old.power;
    machine::modal() = fresh;
    places::load_system_offset();
    machine::restore_magnet();
    machine::reset_motion_overrides();
    uart::put_line(TEXT("[MSG:Pgm End]"));
}

void flow(int8_t code) {
    if (code == gcode::kNoFlow || code == 1 || machine::state() == State::Check) return;
    if (!machine::wait_for_rest()) return;
    if (code) return end_program();
    machine::set_state(State::Hold);
    machine::wait_while_suspended();
}

uint8_t obey_gcode(const char* text) {
    Block block;
    const uint8_t error = gcode::parse(text, machine::modal(), block);
    if (error) return error;
    set_spindle(block.modal);
    if (block.dwells && !machine::aborted()) dwell(block.dwell);
    if (machine::aborted()) return gcode::kOk;
    const int8_t flow_code = block.modal.flow;
    const bool other_system = block.modal.system != machine::modal().system;
    machine::modal() = block.modal;
    machine::modal().flow = gcode::kNoFlow;
    if (other_system) places::load_system_offset();
    if (block.action == Action::Move) {
        move(block);
    } else if (block.action != Action::None) {
        change_origin(block);
    }
    if (!machine::aborted()) flow(flow_code);
    return gcode::kOk;
}

}  // namespace

uint8_t obey(const char* text, bool too_long) {
    if (too_long) return gcode::kLineTooLong;
    if (!*text) return gcode::kOk;
    if (*text == '$') {
        const uint8_t error = dollar::obey(text);
        if (!error && text[1] == 'H' && !machine::aborted()) run_startup_lines();
        return error;
    }
    if (machine::state() == State::Alarm || machine::state() == State::Jog) return gcode::kLocked;
    return obey_gcode(text);
}

void run_startup_lines() {
    char text[settings::kTextLength];
    for (uint8_t slot = 0; slot < settings::kStartupLines; ++slot) {
        settings::read_text(slot, text);
        if (!*text) continue;
        const uint8_t error = obey_gcode(text);
        if (machine::aborted()) return;
        uart::put('>');
        uart::put_string(text);
        uart::put(':');
        machine::put_answer(error);
    }
}

}  // namespace program
