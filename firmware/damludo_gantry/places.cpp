#include "places.h"

#include "fixed.h"
#include "gcode.h"
#include "kinematics.h"
#include "machine.h"
#include "planner.h"
#include "report.h"
#include "settings.h"
#include "stepper.h"

namespace places {

int32_t parsed_end[kAxisCount];
int32_t shift[kAxisCount];

static int32_t system_offset[kAxisCount];

void steps_of(const int32_t place[kAxisCount], int32_t motors[kAxisCount]) {
    int32_t axes[kAxisCount];
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        axes[i] = fixed::scale(place[i], settings::get(settings::kStepsPerMm + i), 10000000, 0x3FFFFFFF);
    }
    kinematics::motors_from_axes(axes, motors);
}

void place_of(const int32_t motors[kAxisCount], int32_t place[kAxisCount]) {
    int32_t axes[kAxisCount];
    kinematics::axes_from_motors(motors, axes);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        place[i] = fixed::scale(axes[i], 10000000, settings::get(settings::kStepsPerMm + i), gcode::kFarthest);
    }
}

void settle() {
    int32_t motors[kAxisCount];
    stepper::forget();
    stepper::get_position(motors);
    planner::place_at(motors);
    place_of(motors, parsed_end);
}

void work_offset(int32_t offset[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) offset[i] = system_offset[i] + shift[i];
}

void load_system_offset() {
    settings::read_offset(machine::modal().system, system_offset);
    report::offset_soon();
}

bool outside(const int32_t place[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (place[i] > 0 || place[i] < -length_setting(settings::kTravel + i)) return true;
    }
    return false;
}

int32_t length_setting(uint8_t number) {
    const uint32_t thousandths = settings::get(number);
    return thousandths > gcode::kFarthest / 10 ? gcode::kFarthest : static_cast<int32_t>(thousandths * 10);
}

uint32_t planner_speed(int32_t feed) {
    const uint32_t speed = fixed::multiply_divide(static_cast<uint32_t>(feed), planner::kSpeedUnit, 600000);
    return speed ? speed : 1;
}

}  // namespace places
