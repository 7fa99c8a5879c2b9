#include "stepper.h"

#include "fixed.h"
#include "planner.h"
#include "ramp.h"
#include "settings.h"

namespace stepper {

namespace {

constexpr uint8_t kPieces = 8;  // one runs, the others wait
// So much is cut ahead behind the running piece, which has up to 4 ms itself: time enough to plan a line at the highest step rate,
// and with the piece that passes the mark a hold is felt within 14 ms. Pieces at the ends of short moves are much shorter than 4 ms.
constexpr uint32_t kCyclesAhead = 95000;
constexpr uint16_t kFirstTick = 200;  // a compare register of 0 never matches in the simulators, and the chip misses one too near

struct Queued {
    Piece piece;
    bool first;  // of its move
    bool last;
};

struct State {
    // Shared with the interrupt.
    Queued pieces[kPieces];
    volatile uint8_t waiting;   // pieces queued, with the running one
    uint8_t running;            // index of the running or next piece
    volatile bool on;           // the timer runs
    volatile bool halted;       // nothing is cut until forget()
    volatile uint8_t finished;  // moves whose last step was made
    volatile uint8_t locked;
    int32_t position[kAxisCount];        // where the move began
    volatile uint16_t made[kAxisCount];  // steps since then
    uint8_t directions;                  // in which they were made

    // The interrupt's own.
    const planner::Move* move;
    uint8_t executing;
    uint16_t steps_left;  // of the piece
    uint8_t ticks_left;   // of the step
    uint8_t ticks;
    uint8_t pulses;  // to be made at the next tick
    bool move_ends;  // with the last step of the piece
    bool last_step;  // `pulses` are the last of a move
    uint16_t counter[kAxisCount];
    uint16_t steps[kAxisCount];  // of the move
    uint16_t lead;               // the most of them

    // The main program's own.
    Ramp ramp;
    bool going;           // planned moves are driven
    bool taken_up;        // the ramp has a move
    bool first_of_move;
    bool braking;
    uint8_t prepared;  // moves cut to the end and not finished yet
    uint8_t version;   // of the plan the ramp follows
    uint32_t path_v2;  // speed the last move was left with
    uint32_t cruise_feed;  // mm/min of the move being cut

    // Copies of settings, for the interrupt.
    uint8_t step_idle;
    uint8_t direction_invert;
    uint8_t pulse_us;
    uint8_t unpulsed;
};

State s;

// Interrupt

// Add what was made to the place.
void settle() {
    get_position(s.position);
    for (uint8_t i = 0; i < kAxisCount; ++i) s.made[i] = 0;
}

void begin_move() {
    const planner::Move* move = planner::at(s.executing);
    settle();
    uint8_t directions = 0;
    s.lead = move->lead;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const int16_t steps = move->steps[i];
        if (steps < 0) directions |= static_cast<uint8_t>(1 << i);
        s.steps[i] = static_cast<uint16_t>(steps < 0 ? -steps : steps);
        s.counter[i] = s.lead >> 1;
    }
    s.directions = directions;
    hal::set_directions(directions ^ s.direction_invert);
}

// False: nothing waits.
bool begin_piece() {
    if (!s.waiting) return false;
    const Queued& queued = s.pieces[s.running];
    hal::load_step_timer(queued.piece.cycles - 1);
    if (queued.first) begin_move();
    s.steps_left = queued.piece.steps;
    s.ticks = queued.piece.ticks;
    s.move_ends = queued.last;
    return true;
}

void end_piece() {
    s.running = (s.running + 1) & (kPieces - 1);
    --s.waiting;
}

// Both are written out for each axis: a loop with a variable shift costs a third of the time at 25 kHz.
#define IN_LINE inline __attribute__((always_inline))

// Bresenham's line: the lead motor steps each time, the others when their share has grown to a whole step. Moves have at most
// 32767 steps, so that the sum of two stays within 16 bits.
template <uint8_t axis>
IN_LINE uint8_t pulse_of(uint16_t lead) {
    const uint16_t sum = static_cast<uint16_t>(s.counter[axis] + s.steps[axis]);
    if (sum < lead) {
        s.counter[axis] = sum;
        return 0;
    }
    s.counter[axis] = static_cast<uint16_t>(sum - lead);
    return 1 << axis;
}

IN_LINE uint8_t next_pulses() {
    const uint16_t lead = s.lead;
    uint8_t pulses = pulse_of<0>(lead);
    pulses |= pulse_of<1>(lead);
    pulses |= pulse_of<2>(lead);
    return pulses;
}

template <uint8_t axis>
IN_LINE void count_one(uint8_t pulses) {
    if (pulses & 1 << axis) s.made[axis] = static_cast<uint16_t>(s.made[axis] + 1);
}

IN_LINE void count(uint8_t pulses) {
    count_one<0>(pulses);
    count_one<1>(pulses);
    count_one<2>(pulses);
}

// Main program

uint8_t free_piece() {
    // The interrupt moves both; their sum is right only if both are read before it, or both behind.
    hal::Locked locked;
    return (s.running + s.waiting) & (kPieces - 1);
}

bool enough_waits() {
    uint8_t place;
    uint8_t waiting;
    {
        hal::Locked locked;
        place = s.running;
        waiting = s.waiting;
    }
    if (waiting == kPieces) return true;
    uint32_t ahead = 0;
    while (waiting > 1 && ahead < kCyclesAhead) {
        --waiting;
        place = (place + 1) & (kPieces - 1);
        const Piece& piece = s.pieces[place].piece;
        ahead += piece.ticks > 1 ? kCyclesAhead : static_cast<uint32_t>(piece.steps) * piece.cycles;
    }
    return ahead >= kCyclesAhead;
}

void follow_plan() {
    s.version = planner::version();
    const planner::Move& move = *planner::at(s.prepared);
    const planner::Move* behind = planner::at(s.prepared + 1);
    const uint32_t speed = planner::cruise_speed(move);
    // steps/s = mm/s * ratio * 16; in 1/256 step/s from 1/1024 mm/s: * ratio * 4.
    uint32_t cruise = fixed::multiply_shift(speed, move.ratio, 16);
    cruise = cruise > 32000UL * 64 ? 32000UL * 256 : cruise * 4;
    const uint32_t cruise_v2 = fixed::multiply_shift(cruise, cruise, 16);
    const uint32_t exit_v2 = behind ? planner::lead_from_path(move, behind->entry_v2) : 0;
    s.ramp.aim(cruise, cruise_v2 ? cruise_v2 : 1, exit_v2 < cruise_v2 ? exit_v2 : cruise_v2);
    s.cruise_feed = fixed::multiply_divide(speed, 60, planner::kSpeedUnit);
}

bool take_up_move() {
    const planner::Move* move = planner::at(s.prepared);
    if (!move) {
        s.path_v2 = 0;
        return false;
    }
    s.ramp.begin(move->lead, planner::lead_from_path(*move, s.path_v2), move->lead_gain);
    s.taken_up = s.first_of_move = true;
    follow_plan();
    return true;
}

void leave_move() {
    const planner::Move& move = *planner::at(s.prepared);
    s.path_v2 = planner::at(s.prepared + 1) ? planner::path_from_lead(move, s.ramp.v2()) : 0;
    s.taken_up = false;
    ++s.prepared;
}

void cut_piece() {
    const uint8_t place = free_piece();
    Queued& queued = s.pieces[place];
    queued.piece = s.ramp.next(s.braking);
    queued.first = s.first_of_move;
    queued.last = s.ramp.steps_left() == 0;
    s.first_of_move = false;
    if (queued.last) leave_move();
    hal::Locked locked;
    ++s.waiting;
}

void start() {
    hal::Locked locked;
    if (s.on || s.halted || !s.waiting) return;
    s.on = true;
    s.pulses = 0;
    s.ticks_left = 0;
    s.steps_left = 0;
    s.last_step = false;
    hal::start_step_timer(kFirstTick - 1);
}

void drop_finished() {
    while (s.finished) {
        hal::Locked locked;
        planner::drop_oldest();
        --s.finished;
        --s.executing;
        --s.prepared;
    }
}

}  // namespace

void init() {
    s = State();
}

void read_settings() {
    s.step_idle = settings::get(settings::kStepInvert) & kAllAxes;
    s.direction_invert = settings::get(settings::kDirectionInvert) & kAllAxes;
    const uint32_t pulse = settings::get(settings::kPulseUs);
    // Longer than 10 us no driver needs, and the interrupt has no more time at the highest rate.
    s.pulse_us = pulse > 10 ? 10 : static_cast<uint8_t>(pulse);
    hal::raise_steps(0, s.step_idle);
}

ONCE void prepare() {
    if (s.halted) return;
    drop_finished();
    while (s.going && !s.halted && !enough_waits()) {
        if (!s.taken_up && !take_up_move()) {
            s.going = s.on || s.waiting;
            break;
        }
        if (s.braking && s.ramp.resting()) {
            s.path_v2 = 0;
            break;
        }
        if (s.version != planner::version()) follow_plan();
        cut_piece();
    }
    // Not at the first piece: that may be one step, walked off before the second is cut.
    start();
}

void go() {
    s.going = true;
}

bool moving() {
    return s.on;
}

void hold() {
    s.braking = true;
}

void release() {
    s.braking = false;
}

bool held() {
    return s.braking;
}

void halt() {
    hal::Locked locked;
    hal::stop_step_timer();
    s.on = false;
    s.halted = true;
    s.waiting = 0;
    s.pulses = 0;
    hal::raise_steps(0, s.step_idle);
}

void forget() {
    hal::Locked locked;
    halt();
    s.halted = false;
    s.waiting = 0;
    s.running = 0;
    s.finished = 0;
    s.executing = 0;
    s.prepared = 0;
    s.going = s.taken_up = s.braking = false;
    s.path_v2 = 0;
    s.ramp.stop();
}

ONCE void get_position(int32_t motors[kAxisCount]) {
    hal::Locked locked;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        int32_t made = s.made[i];
        if (s.directions & 1 << i) made = -made;
        motors[i] = s.position[i] + made;
    }
}

void set_position(const int32_t motors[kAxisCount]) {
    hal::Locked locked;
    settle();
    for (uint8_t i = 0; i < kAxisCount; ++i) s.position[i] = motors[i];
}

uint32_t feed_now() {
    Piece piece;
    uint32_t ratio;
    {
        hal::Locked locked;
        const planner::Move* move = planner::at(s.executing);
        if (!s.on || !s.waiting || !move) return 0;
        piece = s.pieces[s.running].piece;
        ratio = move->ratio;
    }
    if (piece.cruise) return s.cruise_feed;
    // mm/min = steps/s * 60 / (16 * ratio)
    const uint32_t cycles = static_cast<uint32_t>(piece.cycles) * piece.ticks;
    return fixed::multiply_divide(hal::kCpuHz / 16 * 60 / cycles, 65536, ratio);
}

void lock(uint8_t axes) {
    s.locked |= axes;
}

void unlock_all() {
    s.locked = 0;
}

uint8_t locked() {
    return s.locked;
}

void set_unpulsed(uint8_t axes) {
    s.unpulsed = axes;
}

void on_timer() {
    if (s.ticks_left) {
        --s.ticks_left;
        return;
    }
    const uint8_t pulses = s.pulses & static_cast<uint8_t>(~s.locked);
    hal::raise_steps(pulses & static_cast<uint8_t>(~s.unpulsed), s.step_idle);
    if (pulses) count(pulses);
    if (s.last_step) {
        s.last_step = false;
        ++s.finished;
        ++s.executing;
    }
    if (s.steps_left || begin_piece()) {
        s.pulses = next_pulses();
        s.ticks_left = s.ticks - 1;
        if (--s.steps_left == 0) {
            s.last_step = s.move_ends;
            end_piece();
        }
    } else {
        s.pulses = 0;
        s.on = false;
        hal::stop_step_timer();
    }
    hal::drop_steps(s.step_idle, s.pulse_us);
}

}  // namespace stepper
