// The parts by themselves: arithmetic, numbers, lines, G-code, ramps, corners.
#include <cmath>
#include <cstring>

#include "check.h"
#include "checksum.h"
#include "fixed.h"
#include "gcode.h"
#include "line_reader.h"
#include "number.h"
#include "ramp.h"

namespace {

using check::Random;

void arithmetic_is_exact() {
    Random random(1);
    for (int i = 0; i < 200000; ++i) {
        const uint32_t a = random.next() >> (random.next() & 31);
        const uint32_t b = random.next() >> (random.next() & 31);
        const uint32_t c = random.next() >> (random.next() & 31);
        const uint64_t product = static_cast<uint64_t>(a) * b;
        const uint64_t quotient = c ? product / c : UINT64_MAX;
        EQUAL(fixed::multiply_divide(a, b, c), quotient > fixed::kMost ? fixed::kMost : static_cast<uint32_t>(quotient));
        const uint64_t root = fixed::square_root(fixed::multiply(a, b));
        HOLDS(root * root <= product && (root == fixed::kMost || (root + 1) * (root + 1) > product));
        const uint64_t small = fixed::square_root(a);
        HOLDS(small * small <= a && (small + 1) * (small + 1) > a);
    }
}

void scaling_rounds_half_away_from_zero() {
    EQUAL(fixed::scale(5, 1, 10, 100), 1);
    EQUAL(fixed::scale(-5, 1, 10, 100), -1);
    EQUAL(fixed::scale(4, 1, 10, 100), 0);
    EQUAL(fixed::scale(2147483647, 4000000000u, 1, 1000), 1000);
    EQUAL(fixed::scale(-2147483647, 4000000000u, 0, 1000), -1000);
}

Number number(const char* text, uint8_t length) {
    Number value = {};
    uint8_t at = 0;
    HOLDS(read_number(text, at, value));
    EQUAL(static_cast<int>(at), static_cast<int>(length));
    return value;
}

void numbers_are_read_as_decimals() {
    EQUAL(number("-202.0049F", 9).ten_thousandths(), -2020049);
    EQUAL(number("6000.5", 6).thousandths(), 6000500u);
    EQUAL(number("+.00005", 7).ten_thousandths(), 1);
    EQUAL(number("0.99999", 7).ten_thousandths(), 10000);
    EQUAL(number("1.2.3", 3).ten_thousandths(), 12000);
    EQUAL(number("99999999999999", 14).ten_thousandths(), 2147483647);
    EQUAL(number("-99999999999999", 15).ten_thousandths(), -2147483647);
    Number value = {};
    for (const char* text : {"", "X", "-", "+", ".", "-.", "--1"}) {
        uint8_t at = 0;
        HOLDS(!read_number(text, at, value));
    }
}

void command_numbers_are_one_byte() {
    EQUAL(static_cast<int>(number("400", 3).command()), 144);
    HOLDS(!number("400", 3).command_rest_is(0));
    HOLDS(number("92.1", 4).command_rest_is(10));
    HOLDS(number("1", 1).command_rest_is(0));
}

std::string clean(const char* raw) {
    static LineReader reader;
    reader.clear();
    for (const char* at = raw; *at; ++at) HOLDS(!reader.take(static_cast<uint8_t>(*at)));
    HOLDS(reader.take('\n'));
    return reader.line.too_long ? "too long" : reader.line.text;
}

void lines_lose_blanks_and_comments() {
    EQUAL(clean("g0 x1.5(fast) y2 ; end"), std::string("G0X1.5Y2"));
    EQUAL(clean("\tG1/ (never closed X5"), std::string("G1"));
    EQUAL(clean(std::string(79, 'x').c_str()), std::string(79, 'X'));
    EQUAL(clean(std::string(80, 'x').c_str()), std::string("too long"));
    EQUAL(clean(("G4 P0 (" + std::string(200, 'x') + ")").c_str()), std::string("G4P0"));
}

void the_check_sum_is_crc_16_ccitt_false() {
    // The check value of that CRC in the catalogues is the one of "123456789".
    uint16_t sum = checksum::kStart;
    for (const char* at = "123456789"; *at; ++at) sum = checksum::add(sum, static_cast<uint8_t>(*at));
    EQUAL(sum, 0x29B1);
}

int refusal(const char* text) {
    gcode::Modal modal = gcode::first_modal();
    gcode::Block block;
    return gcode::parse(text, modal, block);
}

void lines_are_refused_with_the_numbers_of_grbl() {
    struct {
        const char* text;
        int error;
    } const table[] = {
        {"G0X1", 0},      {"G0X", 2},        {"FOO", 2},      {"S", 2},          {"G0X1Z", 2},    {"N1G0X0*30", 1},
        {"G99", 20},      {"M114", 20},      {"G5", 20},      {"M3M5", 21},      {"G1X1F0", 22},  {"G2X1Y1I1", 22},
        {"M400", 23},     {"G1.5X1", 23},    {"G0X1X2", 25},  {"T1", 0},         {"G1X-5F-10", 4}, {"G10L20P1", 26},
        {"G92", 26},      {"G10P1X0", 28},   {"G4", 28},      {"G10L20P9X0", 29}, {"G80X1", 31},   {"G10G0X1", 24},
        {"G0X-5I3", 36},  {"G53G80X1", 30},  {"N10000001", 27}, {"T256", 38},    {"G0A1", 20},    {"G92.1", 0},
        {"G92.2", 20},    {"G91.1", 0},      {"G0G1X-3", 21}, {"G256X1", 23},    {"G-1", 20},     {"G4P-1", 4},
        {"M30", 0},       {"G10L3P1X1", 20}, {"G94G90G21", 0}, {"G93", 20},      {"G61", 0},      {"X1", 0},
    };
    for (const auto& row : table) {
        if (refusal(row.text) != row.error) fprintf(stderr, "%s\n", row.text);
        EQUAL(refusal(row.text), row.error);
    }
}

void targets_follow_modes_and_offsets() {
    gcode::Modal modal = gcode::first_modal();
    gcode::Block block;
    const int32_t from[] = {10000, 20000, 30000};
    const int32_t offset[] = {100, 200, 300};
    int32_t target[kAxisCount];
    EQUAL(static_cast<int>(gcode::parse("G91G20X1", modal, block)), 0);
    gcode::move_target(block, from, offset, target);
    EQUAL(target[0], 264000);
    EQUAL(target[1], 20000);
    EQUAL(static_cast<int>(gcode::parse("G0Y1", modal, block)), 0);
    gcode::move_target(block, from, offset, target);
    EQUAL(target[1], 10200);
    EQUAL(static_cast<int>(gcode::parse("G53G0Z-99999999", modal, block)), 0);
    gcode::move_target(block, from, offset, target);
    EQUAL(target[2], -gcode::kFarthest);
}

struct Drive {
    uint64_t cycles;
    uint32_t steps;
    double fastest;
};

// Run a ramp to its end; no piece faster than `cruise` steps/s, none braking or speeding up harder than `gain` allows.
Drive drive(uint32_t steps, uint32_t cruise, uint32_t gain, uint32_t from_v2, uint32_t to_v2) {
    Ramp ramp;
    ramp.begin(steps, from_v2, gain);
    ramp.aim(cruise << 8, cruise * cruise, to_v2);
    Drive done = {};
    while (ramp.steps_left()) {
        const double before = ramp.v2();
        const Piece piece = ramp.next(false);
        HOLDS(piece.steps >= 1);
        done.steps += piece.steps;
        const uint32_t interval = static_cast<uint32_t>(piece.cycles) * piece.ticks;
        done.cycles += static_cast<uint64_t>(interval) * piece.steps;
        done.fastest = std::fmax(done.fastest, 16e6 / interval);
        HOLDS(std::fabs(ramp.v2() - before) <= (piece.steps + !ramp.steps_left()) * static_cast<double>(gain) + 0.5);
    }
    HOLDS(ramp.v2() <= (to_v2 > 0 ? to_v2 + gain : 0));
    return done;
}

void ramps_keep_their_length_limits_and_time() {
    Random random(2);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const uint32_t steps = 1 + (random.next() >> (random.next() % 20 + 12));
        const uint32_t cruise = static_cast<uint32_t>(random.between(50, 30000));
        const uint32_t gain = static_cast<uint32_t>(random.between(2000, 900000));
        const Drive done = drive(steps, cruise, gain, 0, 0);
        EQUAL(done.steps, steps);
        HOLDS(done.fastest <= cruise * 1.002 + 1);
        const double a = gain / 2.0;
        const double full = static_cast<double>(cruise) * cruise / a;
        const double ideal = steps >= full ? steps / static_cast<double>(cruise) + cruise / a : 2 * std::sqrt(steps / a);
        const double ratio = static_cast<double>(done.cycles) / 16e6 / ideal;
        if (steps >= 200) worst = std::fmax(worst, ratio);
    }
    check::report("ramp time over trapezoid formula, from 200 steps (2.5 mm)", worst, 1.03);
    HOLDS(worst <= 1.03);
}

void ramps_leave_at_the_speed_of_the_corner() {
    Random random(3);
    for (int i = 0; i < 5000; ++i) {
        const uint32_t gain = static_cast<uint32_t>(random.between(2000, 400000));
        const uint32_t cruise = static_cast<uint32_t>(random.between(1000, 20000));
        const uint32_t exit_v2 = random.next() % (cruise * cruise);
        const uint32_t steps = static_cast<uint32_t>(random.between(1, 20000));
        drive(steps, cruise, gain, 0, exit_v2);
    }
}

void braking_ends_at_rest() {
    Random random(4);
    for (int i = 0; i < 5000; ++i) {
        const uint32_t gain = static_cast<uint32_t>(random.between(2000, 400000));
        const uint32_t cruise = static_cast<uint32_t>(random.between(100, 20000));
        Ramp ramp;
        ramp.begin(1000000, 0, gain);
        ramp.aim(cruise << 8, cruise * cruise, 0);
        for (int n = random.between(1, 200); n; --n) ramp.next(false);
        const uint32_t before = ramp.steps_left();
        const double way = static_cast<double>(ramp.v2()) / gain;
        while (!ramp.resting()) ramp.next(true);
        HOLDS(before - ramp.steps_left() <= way + 1);
        ramp.next(false);
        HOLDS(!ramp.resting());
    }
}

}  // namespace

int main() {
    arithmetic_is_exact();
    scaling_rounds_half_away_from_zero();
    numbers_are_read_as_decimals();
    command_numbers_are_one_byte();
    lines_lose_blanks_and_comments();
    the_check_sum_is_crc_16_ccitt_false();
    lines_are_refused_with_the_numbers_of_grbl();
    targets_follow_modes_and_offsets();
    ramps_keep_their_length_limits_and_time();
    ramps_leave_at_the_speed_of_the_corner();
    braking_ends_at_rest();
    printf("units: all hold\n");
}
