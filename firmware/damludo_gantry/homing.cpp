#include "homing.h"

#include "fixed.h"
#include "inputs.h"
#include "machine.h"
#include "places.h"
#include "planner.h"
#include "servo.h"
#include "settings.h"
#include "stepper.h"

namespace homing {

namespace {

constexpr uint8_t kCycles[] = {kZ, kX | kY};
constexpr uint8_t kLocateFactor = 5;   // the switch is found again within this many pull-offs
constexpr uint32_t kSettleMs = 10;     // longer than the debouncing of the switches

volatile uint8_t searching;  // axes whose switch is looked for
volatile bool active;

uint32_t speed_of(uint8_t setting, uint8_t axes) {
    const uint32_t speed = fixed::multiply_divide(settings::get(setting), planner::kSpeedUnit, 60000);
    // Two axes at once: each has its speed, the way across is the root of 2 times as fast.
    return axes == (kX | kY) ? fixed::multiply_divide(speed, 46341, 32768) : speed;
}

bool to_plus(uint8_t axis) {
    return !(settings::get(settings::kHomingInvert) & 1 << axis);
}

// Drive axes by `distance` thousandths of a mm; false: a reset or an alarm came.
bool travel(uint8_t axes, uint32_t distance, uint32_t speed, bool toward) {
    int32_t target[kAxisCount];
    stepper::get_position(target);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (!(axes & 1 << i)) continue;
        const int32_t way = fixed::scale(static_cast<int32_t>(distance), settings::get(settings::kStepsPerMm + i), 1000000,
                                         0x1FFFFFFF);
        target[i] += to_plus(i) == toward ? way : -way;
    }
    stepper::unlock_all();
    searching = toward ? axes : 0;
    machine::queue_steps(target, speed ? speed : 1, machine::State::Home, planner::kFixedSpeed);
    stepper::go();
    while (!planner::empty() && stepper::locked() != axes) {
        machine::pass();
        if (machine::aborted()) break;
    }
    const bool found = stepper::locked() == axes;
    searching = 0;
    stepper::unlock_all();
    if (machine::aborted()) return false;
    places::settle();
    if (toward && !found) {
        machine::alarm(machine::kHomingNoSwitch);
        machine::abort();
        return false;
    }
    const uint32_t pause = settings::get(settings::kHomingDebounceMs);
    if (!machine::wait_ms(pause > kSettleMs ? pause : kSettleMs)) return false;
    if (!toward && (inputs::limits() & axes)) {
        machine::alarm(machine::kHomingPullOff);
        machine::abort();
        return false;
    }
    return true;
}

void set_home(uint8_t axes) {
    int32_t motors[kAxisCount];
    int32_t place[kAxisCount];
    int32_t home_motors[kAxisCount];
    stepper::get_position(motors);
    places::place_of(motors, place);
    const int32_t pull_off = places::length_setting(settings::kPullOff);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (!(axes & 1 << i)) continue;
        place[i] = to_plus(i) ? -pull_off : pull_off - places::length_setting(settings::kTravel + i);
    }
    places::steps_of(place, home_motors);
    // An axis that is homed later keeps its count to the step.
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (axes & 1 << i) motors[i] = home_motors[i];
    }
    stepper::set_position(motors);
    places::settle();
}

bool home_axes(uint8_t axes) {
    const uint32_t pull_off = settings::get(settings::kPullOff) & 0x0FFFFFFF;
    uint32_t longest = 0;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const uint32_t length = settings::get(settings::kTravel + i) & 0x0FFFFFFF;
        if ((axes & 1 << i) && length > longest) longest = length;
    }
    const uint32_t seek = speed_of(settings::kHomingSeek, axes);
    const uint32_t feed = speed_of(settings::kHomingFeed, axes);
    return travel(axes, longest + longest / 2, seek, true) && travel(axes, pull_off, seek, false) &&
           travel(axes, pull_off * kLocateFactor, feed, true) && travel(axes, pull_off, feed, false);
}

}  // namespace

void init() {
    searching = 0;
    active = false;
}

void home() {
    active = true;
    machine::set_state(machine::State::Home);
    places::settle();
    for (const uint8_t axes : kCycles) {
        // A servo has no switch: it knows its place.
        const bool found = (axes == kZ && servo::used()) || home_axes(axes);
        if (!found) break;
        set_home(axes);
    }
    active = false;
    if (!machine::aborted()) machine::set_state(machine::State::Idle);
}

bool watch(uint8_t closed_limits) {
    if (!active) return false;
    if (searching) {
        stepper::lock(closed_limits & searching);
        if (stepper::locked() == searching) stepper::halt();
    }
    return true;
}

}  // namespace homing
