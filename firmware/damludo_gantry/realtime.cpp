#include "realtime.h"

#include "hal.h"
#include "homing.h"
#include "host_link.h"
#include "inputs.h"
#include "magnet.h"
#include "servo.h"
#include "settings.h"
#include "stepper.h"
#include "uart.h"

namespace realtime {

namespace {

constexpr uint8_t kRing = 16;  // 1.4 ms of nothing but real-time bytes

struct Shared {
    volatile uint32_t now_ms;
    volatile bool reset;
    volatile bool reset_in_motion;
    volatile bool estop;
    volatile bool limit_hit;
    volatile bool magnet_over;
    volatile bool query;
    uint8_t ring[kRing];
    volatile uint8_t count;
    uint8_t at;
};

Shared s;

bool take_flag(volatile bool& flag) {
    const bool was = flag;
    if (was) flag = false;
    return was;
}

void push(uint8_t byte) {
    // Full: the newest gives way, and a stop is never the one that is lost.
    if (s.count == kRing) {
        if (byte == kHold || byte == kDoor) s.ring[(s.at + kRing - 1) % kRing] = byte;
        return;
    }
    s.ring[(s.at + s.count) % kRing] = byte;
    ++s.count;
}

void watch_limits() {
    const uint8_t closed = inputs::limits();
    if (homing::watch(closed) || !closed || !stepper::moving() || !settings::on(settings::kHardLimits)) return;
    stepper::halt();
    s.limit_hit = true;
}

}  // namespace

void init() {
    s = Shared();
}

uint32_t now_ms() {
    hal::Locked locked;
    return s.now_ms;
}

bool take_reset(Reset& reset) {
    hal::Locked locked;
    reset.in_motion = s.reset_in_motion;
    reset.estop = s.estop;
    if (!take_flag(s.reset)) return false;
    s.reset_in_motion = s.estop = s.limit_hit = false;
    s.count = 0;
    return true;
}

bool take_limit_hit() {
    return take_flag(s.limit_hit);
}

bool take_magnet_over() {
    return take_flag(s.magnet_over);
}

bool take_query() {
    return take_flag(s.query);
}

bool take(uint8_t& byte) {
    hal::Locked locked;
    if (!s.count) return false;
    byte = s.ring[s.at];
    s.at = (s.at + 1) % kRing;
    --s.count;
    return true;
}

bool pending() {
    return s.reset || s.count;
}

void request_reset() {
    hal::Locked locked;
    if (stepper::moving()) s.reset_in_motion = true;
    stepper::halt();
    magnet::set(false);
    // What comes behind a reset counts; what came before it does not.
    uart::drop_received();
    s.reset = true;
}

}  // namespace realtime

namespace interrupts {

using namespace realtime;

void step_timer() {
    stepper::on_timer();
}

void millisecond() {
    ++s.now_ms;
    uart::age_1ms();
    host_link::age_1ms();
    const uint8_t pressed = inputs::sample_1ms();
    if (pressed & hal::kEstop) {
        s.estop = true;
        request_reset();
    }
    if (pressed & hal::kHold) push(kHold);
    if (pressed & hal::kResume) push(kResume);
    watch_limits();
    if (magnet::age_1ms()) s.magnet_over = true;
    servo::age_1ms();
}

void byte_received(uint8_t byte) {
    if (byte == kReset) {
        request_reset();
    } else if (byte == kQuery) {
        s.query = true;
    } else if (byte == kHold || byte == kResume || byte >= 0x80) {
        push(byte);
    } else {
        return uart::keep(byte);
    }
    host_link::note_life();
}

int16_t next_byte_to_send() {
    return uart::next_to_send();
}

}  // namespace interrupts
