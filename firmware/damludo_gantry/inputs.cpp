#include "inputs.h"

#include "hal.h"
#include "settings.h"

namespace inputs {

namespace {

constexpr uint8_t kControlShift = 4;

// One byte of levels: limits in the low half, controls in the high half.
struct State {
    volatile uint8_t settled;
    uint8_t ones, twos, fours;  // how often each level was read anew, in binary, all inputs side by side
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
    s.settled = read();
}

uint8_t limits() {
    return s.settled & kAllAxes;
}

uint8_t controls() {
    return s.settled >> kControlShift;
}

uint8_t sample_1ms() {
    if (!s.started) return 0;
    const uint8_t before = s.settled;
    const uint8_t differs = read() ^ before;
    // Where nothing differs counting begins anew; elsewhere it goes on by one. Six are enough.
    s.ones &= differs;
    s.twos &= differs;
    s.fours &= differs;
    s.fours ^= differs & s.ones & s.twos;
    s.twos ^= differs & s.ones;
    s.ones ^= differs;
    const uint8_t settles = static_cast<uint8_t>(s.fours & s.twos & ~s.ones);
    s.ones &= static_cast<uint8_t>(~settles);
    s.twos &= static_cast<uint8_t>(~settles);
    s.fours &= static_cast<uint8_t>(~settles);
    s.settled = before ^ settles;
    return static_cast<uint8_t>(settles & ~before) >> kControlShift;
}

}  // namespace inputs
