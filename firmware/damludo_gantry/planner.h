// The queue of straight moves and the speeds at their corners. Looks ahead: every move is entered slowly enough to stop at the end.
//
// Units along the path: speed in 1/1024 mm/s, speed squared ("v2") in (1/16 mm/s)^2, length in 1/16 um. Along the motor with most
// steps ("lead"): speed squared in (steps/s)^2, which is v2 * ratio^2 with ratio = 1000 * steps / length.
#pragma once
#include <stdint.h>

#include "hal.h"

namespace planner {

constexpr uint8_t kCapacity = 15;
constexpr uint32_t kSpeedUnit = 1024;  // of 1 mm/s

struct Move {
    int16_t steps[kAxisCount];  // of the motors
    uint16_t lead;              // the most of them, without sign
    uint32_t ratio;             // 16.16 fixed point, see above
    uint32_t gain;              // v2 that accelerating over the whole move adds
    uint32_t lead_gain;         // (steps/s)^2 that accelerating over one lead step adds: twice the acceleration
    uint32_t speed;             // as programmed; rapid moves: as the axes allow
    uint32_t axis_speed;        // what the axes allow in this direction
    uint32_t corner_v2;         // the corner at its start allows this much
    uint32_t entry_v2;          // planned
    uint8_t flags;
};
enum Flag : uint8_t {
    kRapid = 1,
    kFixedSpeed = 2  // overrides do not matter: homing
};

void init();
// Forget all moves; motors stand at `position` (steps).
void place_at(const int32_t position[kAxisCount]);

bool full();
bool empty();
uint8_t free_places();
// More steps a move cannot have.
constexpr int32_t kMostSteps = 32767;
// Where the newest move ends, motor steps.
const int32_t* end();
// Queue a straight move to a motor position, kMostSteps away at most. speed 0: a rapid move. A move of no step is none (false).
bool add(const int32_t target[kAxisCount], uint32_t speed, uint8_t flags = 0);

// 10..200 and 25, 50, 100; plans anew.
void set_overrides(uint8_t feed_percent, uint8_t rapid_percent);
uint8_t feed_percent();
uint8_t rapid_percent();

// The stepper's view: moves are taken up one after another, and dropped when their last step is done.
const Move* at(uint8_t nth);  // nth from the oldest; nullptr: there is none
uint32_t cruise_speed(const Move& move);
void drop_oldest();
// Changes whenever speeds were planned anew.
uint8_t version();

// v2 along the path <-> (steps/s)^2 of the lead motor.
uint32_t lead_from_path(const Move& move, uint32_t v2);
uint32_t path_from_lead(const Move& move, uint32_t lead_v2);
uint32_t squared(uint32_t speed);

}  // namespace planner
