// Speed over the way of one move, cut into pieces of even step rate: a trapezoid, exact in position, whole numbers only.
//
// Speed squared grows by `gain` with each step (v^2 = u^2 + 2 a s), so position rules and no error adds up: whatever a hold or an
// override does in between, the last step of a move is its last step. Each piece takes the time of the mean of its end speeds,
// which for even acceleration is the true time.
#pragma once
#include <stdint.h>

struct Piece {
    uint16_t steps;   // of the lead motor
    uint16_t cycles;  // per tick, 1/16 us
    uint8_t ticks;    // per step; more than 1 only below 245 steps/s
    bool cruise;      // at the planned speed
};

class Ramp {
public:
    static constexpr uint8_t kSpeedBits = 4;  // speed_ counts 1/16 step/s

    // Begin a move of `steps` at the speed the one before has left.
    void begin(uint32_t steps, uint32_t v2, uint32_t gain);
    // The speeds of the plan: cruise in 1/256 step/s and squared, exit squared. May change between pieces.
    void aim(uint32_t cruise, uint32_t cruise_v2, uint32_t exit_v2);
    // Cut off the next piece. braking: come to rest as soon as possible. There must be steps left, and speed if braking.
    Piece next(bool braking);
    void stop();  // the queue behind is empty, whatever speed is left

    uint32_t steps_left() const { return left_; }
    uint32_t v2() const { return v2_; }
    bool resting() const { return v2_ == 0; }

private:
    uint16_t usual_steps(uint32_t speed) const;
    uint32_t steps_to_slow(uint32_t to_v2) const;
    uint32_t room_to_speed_up(uint32_t to_exit) const;
    uint16_t speed_up(uint32_t most);
    void slow_down(uint16_t steps, uint32_t to_v2, uint32_t at_left);

    uint32_t left_;
    uint32_t v2_;
    uint32_t speed_;
    uint32_t gain_;
    uint32_t cruise_;
    uint32_t cruise_v2_;
    uint32_t exit_v2_;
};

// Interval of a piece from cycles per step.
void set_interval(Piece& piece, uint32_t cycles);
// Square root in 1/16.
uint32_t speed_of(uint32_t v2);
