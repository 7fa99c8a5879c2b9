#include "servo.h"

#include "fixed.h"
#include "hal.h"
#include "settings.h"

namespace servo {

namespace {

constexpr uint8_t kFrameMs = 20;
constexpr uint16_t kShortestUs = 400;
constexpr uint16_t kLongestUs = 2000;  // the pulse's timer counts no further

struct State {
    bool used;
    int32_t steps;
    int32_t bottom_steps;  // of the travel, > 0
    uint16_t top_us;
    uint16_t bottom_us;
    uint16_t limit_s;
    volatile uint16_t pulse_us;  // 0: none yet
    volatile uint32_t left_ms;
    uint8_t frame_ms;
};

State s;

uint16_t held_pulse(uint32_t us) {
    return static_cast<uint16_t>(us < kShortestUs ? kShortestUs : us > kLongestUs ? kLongestUs : us);
}

}  // namespace

void init() {
    s = State();
}

void read_settings() {
    s.used = settings::on(settings::kServoAxis);
    s.top_us = held_pulse(settings::get(settings::kServoTopUs));
    s.bottom_us = held_pulse(settings::get(settings::kServoBottomUs));
    s.limit_s = static_cast<uint16_t>(settings::get(settings::kServoSeconds));
    const uint32_t steps =
        fixed::multiply_divide(settings::get(settings::kTravel + 2), settings::get(settings::kStepsPerMm + 2), 1000000);
    s.bottom_steps = steps < 1 ? 1 : steps > 1000000 ? 1000000 : static_cast<int32_t>(steps);
}

bool used() {
    return s.used;
}

void off() {
    hal::Locked locked;
    s.left_ms = 0;
}

void follow(int32_t z_steps) {
    if (!s.used || (z_steps == s.steps && s.pulse_us)) return;
    s.steps = z_steps;
    const int32_t depth = z_steps > 0 ? 0 : z_steps < -s.bottom_steps ? s.bottom_steps : -z_steps;
    const int32_t way = fixed::scale(s.bottom_us - s.top_us, static_cast<uint32_t>(depth),
                                     static_cast<uint32_t>(s.bottom_steps), kLongestUs);
    hal::Locked locked;
    s.pulse_us = static_cast<uint16_t>(s.top_us + way);
    s.left_ms = s.limit_s * 1000UL;
}

void age_1ms() {
    if (!s.left_ms) return;
    --s.left_ms;
    if (++s.frame_ms < kFrameMs) return;
    s.frame_ms = 0;
    hal::pulse_servo(s.pulse_us);
}

}  // namespace servo
