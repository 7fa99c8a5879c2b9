#include "planner.h"

#include "fixed.h"
#include "kinematics.h"
#include "settings.h"
#include "stepper.h"

namespace planner {

namespace {

constexpr uint8_t kUnitBits = 30;
constexpr uint32_t kUnit = 1UL << kUnitBits;  // length of a unit vector
constexpr int32_t kNearlyOne = static_cast<int32_t>(kUnit - kUnit / 1000000);
constexpr uint32_t kSixteenthUm = 16000000;  // 1/16 um and thousandths in 1 mm
constexpr uint32_t kLeastSpeed = kSpeedUnit / 60 + 1;  // 1 mm/min
constexpr uint32_t kMostAcceleration = 100000;         // mm/s^2

struct Queue {
    Move moves[kCapacity];
    uint8_t oldest;
    uint8_t count;
    uint8_t version;
    uint8_t feed_percent;
    uint8_t rapid_percent;
    int32_t end[kAxisCount];   // motor steps
    int32_t unit[kAxisCount];  // direction of the newest move
};

Queue queue;

Move& nth(uint8_t n) {
    uint8_t place = queue.oldest + n;
    if (place >= kCapacity) place -= kCapacity;
    return queue.moves[place];
}

// The greatest length along `unit` whose parts keep the limit of every axis; limits in thousandths, result times `scale`.
uint32_t axis_limit(uint8_t first_setting, const int32_t unit[kAxisCount], uint32_t scale, uint32_t divisor) {
    uint32_t best = fixed::kMost;
    for (uint8_t axis = 0; axis < kAxisCount; ++axis) {
        if (!unit[axis]) continue;
        const uint32_t limit = fixed::multiply_divide(settings::get(first_setting + axis), scale, divisor);
        const uint32_t along = fixed::multiply_divide(limit, kUnit, fixed::magnitude(unit[axis]));
        if (along < best) best = along;
    }
    return best;
}

uint32_t acceleration_along(const int32_t unit[kAxisCount]) {
    const uint32_t limit = axis_limit(settings::kAcceleration, unit, 1, 1000);
    return limit < 1 ? 1 : limit > kMostAcceleration ? kMostAcceleration : limit;
}

uint32_t speed_along(const int32_t unit[kAxisCount]) {
    const uint32_t limit = axis_limit(settings::kRate, unit, kSpeedUnit, 60000);
    return limit < kLeastSpeed ? kLeastSpeed : limit;
}

uint32_t length_of(const int32_t parts[kAxisCount]) {
    fixed::Wide sum = {0, 0};
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const uint32_t part = fixed::magnitude(parts[i]);
        fixed::add(sum, fixed::multiply(part, part));
    }
    return fixed::square_root(sum);
}

void make_unit(const int32_t parts[kAxisCount], uint32_t length, int32_t unit[kAxisCount]) {
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const uint32_t size = fixed::multiply_divide(fixed::magnitude(parts[i]), kUnit, length);
        const int32_t part = static_cast<int32_t>(size > kUnit ? kUnit : size);
        unit[i] = parts[i] < 0 ? -part : part;
    }
}

// GRBL's junction deviation: the circle that leaves the corner by at most $11 and is driven with the axes' acceleration.
//   v^2 = a d s / (1 - s),  s = sin(half the angle between the ways) = sqrt((1 + before . after) / 2)
uint32_t corner_v2(const int32_t before[kAxisCount], const int32_t after[kAxisCount]) {
    int32_t dot = 0;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const uint32_t part = fixed::multiply_shift(fixed::magnitude(before[i]), fixed::magnitude(after[i]), kUnitBits);
        dot += (before[i] < 0) == (after[i] < 0) ? static_cast<int32_t>(part) : -static_cast<int32_t>(part);
    }
    if (dot > kNearlyOne) return fixed::kMost;
    if (dot < -kNearlyOne) return 0;
    int32_t across[kAxisCount];
    for (uint8_t i = 0; i < kAxisCount; ++i) across[i] = (after[i] >> 1) - (before[i] >> 1);
    int32_t inward[kAxisCount];
    make_unit(across, length_of(across), inward);
    stepper::prepare();
    const uint32_t twice = kUnit + static_cast<uint32_t>(dot);
    const uint32_t half = fixed::square_root(fixed::multiply(twice, kUnit / 2));
    // $11 is in thousandths of a mm, v2 in 256ths of (mm/s)^2.
    const uint32_t turn =
        fixed::multiply_divide(acceleration_along(inward), settings::get(settings::kJunctionDeviation) * 32, 125);
    return fixed::multiply_divide(turn, half, kUnit - half);
}

// Speeds from the newest move back to the second oldest: the oldest runs, its entry is past. A new move changes nothing before
// the first entry that stays as it was; overrides change `all`.
void plan(bool all) {
    ++queue.version;
    uint32_t leave = 0;
    for (uint8_t n = queue.count; n-- > 1;) {
        Move& move = nth(n);
        uint32_t entry = fixed::add(leave, move.gain);
        const uint32_t cruise = squared(cruise_speed(move));
        const uint32_t before = squared(cruise_speed(nth(n - 1)));
        if (entry > move.corner_v2) entry = move.corner_v2;
        if (entry > cruise) entry = cruise;
        if (entry > before) entry = before;
        if (!all && entry == move.entry_v2 && n + 1 != queue.count) return;
        move.entry_v2 = leave = entry;
    }
}

// To measure a move takes longer than the pieces that are ready last when steps come fast. The queue is whole meanwhile: the new
// move does not count yet.
void feed_stepper() {
    stepper::prepare();
}

// False: no step.
bool measure(const int32_t target[kAxisCount], Move& move, int32_t unit[kAxisCount]) {
    int32_t steps[kAxisCount];
    uint16_t lead = 0;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        steps[i] = target[i] - queue.end[i];
        move.steps[i] = static_cast<int16_t>(steps[i]);
        const uint16_t size = static_cast<uint16_t>(fixed::magnitude(steps[i]));
        if (size > lead) lead = size;
    }
    if (!lead) return false;
    move.lead = lead;
    int32_t way[kAxisCount];
    kinematics::axes_from_motors(steps, way);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        way[i] = fixed::scale(way[i], kSixteenthUm, settings::get(settings::kStepsPerMm + i), 1600000000);
    }
    uint32_t length = length_of(way);
    if (!length) length = 1;
    feed_stepper();
    make_unit(way, length, unit);
    feed_stepper();
    const uint32_t acceleration = acceleration_along(unit);
    move.ratio = fixed::multiply_divide(lead * 1000UL, 65536, length);
    if (!move.ratio) move.ratio = 1;
    // 2 a * steps/mm, and 2 a * length * 256: a length of 1 mm is 16000 units.
    move.lead_gain = fixed::multiply_shift(acceleration * 32, move.ratio, 16);
    if (!move.lead_gain) move.lead_gain = 1;
    move.gain = fixed::multiply_divide(length, acceleration * 4, 125);
    feed_stepper();
    move.axis_speed = speed_along(unit);
    feed_stepper();
    return true;
}

}  // namespace

void init() {
    queue = Queue();
    queue.feed_percent = queue.rapid_percent = 100;
}

void place_at(const int32_t position[kAxisCount]) {
    queue.count = 0;
    for (uint8_t i = 0; i < kAxisCount; ++i) queue.end[i] = position[i];
    ++queue.version;
}

const int32_t* end() {
    return queue.end;
}

bool full() {
    return queue.count == kCapacity;
}

bool empty() {
    return !queue.count;
}

uint8_t free_places() {
    return kCapacity - queue.count;
}

bool add(const int32_t target[kAxisCount], uint32_t speed, uint8_t flags) {
    Move& move = nth(queue.count);
    int32_t unit[kAxisCount];
    if (!measure(target, move, unit)) return false;
    move.flags = speed ? flags : static_cast<uint8_t>(flags | kRapid);
    move.speed = speed;
    move.corner_v2 = queue.count ? corner_v2(queue.unit, unit) : 0;
    feed_stepper();
    move.entry_v2 = 0;
    ++queue.count;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        queue.end[i] = target[i];
        queue.unit[i] = unit[i];
    }
    plan(false);
    return true;
}

void set_overrides(uint8_t feed_percent, uint8_t rapid_percent) {
    queue.feed_percent = feed_percent;
    queue.rapid_percent = rapid_percent;
    plan(true);
}

uint8_t feed_percent() {
    return queue.feed_percent;
}

uint8_t rapid_percent() {
    return queue.rapid_percent;
}

const Move* at(uint8_t n) {
    return n < queue.count ? &nth(n) : nullptr;
}

uint32_t cruise_speed(const Move& move) {
    uint32_t speed = move.speed;
    if (move.flags & kRapid) {
        speed = fixed::multiply_divide(move.axis_speed, queue.rapid_percent, 100);
    } else if (!(move.flags & kFixedSpeed) && queue.feed_percent != 100) {
        speed = fixed::multiply_divide(speed, queue.feed_percent, 100);
    }
    if (speed > move.axis_speed) speed = move.axis_speed;
    return speed < kLeastSpeed ? kLeastSpeed : speed;
}

void drop_oldest() {
    if (++queue.oldest == kCapacity) queue.oldest = 0;
    --queue.count;
}

uint8_t version() {
    return queue.version;
}

uint32_t lead_from_path(const Move& move, uint32_t v2) {
    return fixed::multiply_shift(fixed::multiply_shift(v2, move.ratio, 16), move.ratio, 16);
}

uint32_t path_from_lead(const Move& move, uint32_t lead_v2) {
    return fixed::multiply_divide(fixed::multiply_divide(lead_v2, 65536, move.ratio), 65536, move.ratio);
}

uint32_t squared(uint32_t speed) {
    // (speed / 64)^2; above 4095 mm/s it does not fit and is held.
    return fixed::multiply_shift(speed, speed, 12);
}

}  // namespace planner
