#include "ramp.h"

#include "fixed.h"
#include "hal.h"

constexpr uint8_t Ramp::kSpeedBits;

namespace {

// A piece takes about 1/256 s: a hold is felt two or three pieces later.
constexpr uint8_t kPieceBits = 8;
constexpr uint32_t kLeastCycles = 500;  // 32 kHz: the interrupt is done by then
constexpr uint32_t kMostCycles = 16000000;  // 1 step/s

ONCE uint32_t ceil_divide(uint32_t a, uint32_t b) {
    return a / b + (a % b != 0);
}

ONCE uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

}  // namespace

uint32_t speed_of(uint32_t v2) {
    // The finer root where its argument fits.
    const bool fine = v2 < 1UL << (32 - 2 * Ramp::kSpeedBits);
    const uint32_t root = fixed::square_root(fine ? v2 << 2 * Ramp::kSpeedBits : v2);
    return fine ? root : root << Ramp::kSpeedBits;
}

void set_interval(Piece& piece, uint32_t cycles) {
    if (cycles < kLeastCycles) cycles = kLeastCycles;
    if (cycles > kMostCycles) cycles = kMostCycles;
    piece.ticks = 1;
    if (cycles > 65535) {
        piece.ticks = static_cast<uint8_t>(cycles / 65535 + 1);
        cycles /= piece.ticks;
    }
    piece.cycles = static_cast<uint16_t>(cycles);
}

void Ramp::begin(uint32_t steps, uint32_t v2, uint32_t gain) {
    left_ = steps;
    v2_ = v2;
    speed_ = speed_of(v2);
    gain_ = gain;
}

void Ramp::aim(uint32_t cruise, uint32_t cruise_v2, uint32_t exit_v2) {
    cruise_ = cruise;
    cruise_v2_ = cruise_v2;
    exit_v2_ = exit_v2;
}

void Ramp::stop() {
    left_ = v2_ = speed_ = 0;
}

uint16_t Ramp::usual_steps(uint32_t speed) const {
    const uint32_t steps = speed >> (kSpeedBits + kPieceBits);
    return steps ? static_cast<uint16_t>(steps) : 1;
}

ONCE uint32_t Ramp::steps_to_slow(uint32_t to_v2) const {
    return v2_ > to_v2 ? ceil_divide(v2_ - to_v2, gain_) : 0;
}

// Speeding up and braking meet at the peak: half of what is left above the way from here to the exit's speed.
uint32_t Ramp::room_to_speed_up(uint32_t to_exit) const {
    if (v2_ >= exit_v2_) return (left_ - to_exit) / 2;
    const uint32_t rise = ceil_divide(exit_v2_ - v2_, gain_);
    return rise >= left_ ? left_ : rise + (left_ - rise) / 2;
}

// No room: an odd step at the peak is driven as fast as the one before it; but from rest something must move.
uint16_t Ramp::speed_up(uint32_t most) {
    if (!most) {
        if (v2_) return 1;
        most = 1;
    }
    const uint32_t enough = ceil_divide(cruise_v2_ - v2_, gain_);
    const uint16_t steps = static_cast<uint16_t>(smaller(usual_steps(speed_), smaller(most, enough)));
    v2_ = steps >= enough ? cruise_v2_ : v2_ + steps * gain_;
    return steps;
}

// Keep to the curve that ends in to_v2 after at_left more steps, but never brake harder than the axes may.
// The products fit: both are compared as steps before.
void Ramp::slow_down(uint16_t steps, uint32_t to_v2, uint32_t at_left) {
    const uint32_t hardest = steps < steps_to_slow(0) ? v2_ - steps * gain_ : 0;
    const uint32_t wanted = at_left < steps_to_slow(to_v2) ? to_v2 + at_left * gain_ : v2_;
    v2_ = wanted > hardest ? wanted : hardest;
}

Piece Ramp::next(bool braking) {
    Piece piece;
    piece.cruise = false;
    const uint32_t before = speed_;
    const uint32_t to_exit = steps_to_slow(exit_v2_);
    if (braking) {
        piece.steps = static_cast<uint16_t>(smaller(usual_steps(speed_), smaller(left_, steps_to_slow(0))));
        slow_down(piece.steps, 0, 0);
    } else if (to_exit >= left_) {
        piece.steps = static_cast<uint16_t>(smaller(usual_steps(speed_), left_));
        slow_down(piece.steps, exit_v2_, left_ - piece.steps);
    } else if (v2_ > cruise_v2_) {
        const uint32_t enough = steps_to_slow(cruise_v2_);
        piece.steps = static_cast<uint16_t>(smaller(usual_steps(speed_), smaller(left_, enough)));
        slow_down(piece.steps, cruise_v2_, enough - piece.steps);
    } else if (v2_ < cruise_v2_) {
        piece.steps = speed_up(room_to_speed_up(to_exit));
    } else {
        piece.steps = static_cast<uint16_t>(smaller(usual_steps(speed_), left_ - to_exit));
        piece.cruise = true;
    }
    left_ -= piece.steps;
    speed_ = speed_of(v2_);
    const uint32_t twice_mean = before + speed_;
    const uint32_t cycles = piece.cruise ? (hal::kCpuHz << 8) / (cruise_ ? cruise_ : 1)
                            : twice_mean ? (hal::kCpuHz << 5) / twice_mean
                                         : kMostCycles;
    set_interval(piece, cycles);
    // The last step from rest, or an odd one, cannot be made and braked for: within one step's gain the speed counts as reached.
    if (!left_ && v2_ > exit_v2_ && v2_ - exit_v2_ <= gain_) v2_ = exit_v2_;
    return piece;
}
