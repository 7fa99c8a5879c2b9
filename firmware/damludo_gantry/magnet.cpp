#include "magnet.h"

#include "hal.h"
#include "settings.h"

namespace magnet {

namespace {

constexpr uint16_t kLongestS = 3600;

struct State {
    volatile bool on;
    volatile uint32_t left_ms;
    uint32_t longest_ms;
};

State s;

}  // namespace

void init() {
    s = State();
    hal::set_magnet(false);
}

void read_settings() {
    uint32_t seconds = settings::get(settings::kMagnetSeconds);
    if (seconds < 1 || seconds > kLongestS) seconds = kLongestS;
    s.longest_ms = seconds * 1000;
}

void set(bool on) {
    hal::Locked locked;
    s.on = on;
    s.left_ms = s.longest_ms;
    hal::set_magnet(on);
}

bool on() {
    return s.on;
}

bool age_1ms() {
    if (!s.on) return false;
    if (--s.left_ms) return false;
    set(false);
    return true;
}

}  // namespace magnet
