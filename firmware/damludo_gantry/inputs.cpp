#include "inputs.h"

#include "hal.h"
#include "settings.h"

namespace inputs {

namespace {

constexpr uint8_t kSteadyMs = 6;
constexpr uint8_t kControlShift = 4;

// One byte of levels: limits in the low half, controls in the high half.
struct State {
    volatile uint8_t settled;
    uint8_t seen;
    uint8_t steady_ms[8];
    uint8_t invert;  // of the limits
    volatile bool started;
};

State s;

uint8_t read() {
    const uint8_t limits = static_cast<uint8_t>(~hal::limit_levels() ^ s.invert) & kAllAxes;
    const uint8_t controls = static_cast<uint8_t>(~hal::control_levels()) & 7;
    return static_cast<uint8_t>(limits | controls << kControlShift);
}

}  // namespace

void init() {
    s = State();
}

void read_settings() {
    s.invert = settings::on(settings::kLimitInvert) ? kAllAxes : 0;
    if (s.started) return;
    // What is closed at the start has been so for long.
    s.started = true;
    s.seen = s.settled = read();
}

uint8_t limits() {
    return s.settled & kAllAxes;
}

uint8_t controls() {
    return s.settled >> kControlShift;
}

uint8_t sample_1ms() {
    if (!s.started) return 0;
    const uint8_t levels = read();
    const uint8_t before = s.settled;
    const uint8_t changed = levels ^ s.seen;
    s.seen = levels;
    if (levels == before && !changed) return 0;
    for (uint8_t i = 0; i < 8; ++i) {
        const uint8_t bit = static_cast<uint8_t>(1 << i);
        if (changed & bit) s.steady_ms[i] = 0;
        if (!((levels ^ before) & bit)) continue;
        if (++s.steady_ms[i] >= kSteadyMs) s.settled ^= bit;
    }
    return static_cast<uint8_t>(s.settled & ~before) >> kControlShift;
}

}  // namespace inputs
