// The whole firmware on virtual time: motion, holds, overrides, safety, the host's numbered lines.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "check.h"
#include "checksum.h"
#include "session.h"

namespace {

using bench::board;
using check::Random;

const std::string kOk = "ok";

std::string format(const char* pattern, double a, double b = 0, double c = 0, double d = 0) {
    char text[128];
    snprintf(text, sizeof text, pattern, a, b, c, d);
    return text;
}

double trapezoid(double way, double speed, double acceleration) {
    return way >= speed * speed / acceleration ? way / speed + speed / acceleration : 2 * std::sqrt(way / acceleration);
}

// Simulated seconds from the first byte of a line to the answer of the barrier behind it.
double run(Session& s, const std::string& lines) {
    const double from = s.now_ms();
    EQUAL(s.answer(lines + "G4 P0"), kOk);
    return (s.now_ms() - from) / 1000;
}

void motion_takes_the_time_of_the_formula() {
    Session s;
    s.home();
    run(s, "G0 X-100 Y-100\n");
    const double root = std::sqrt(2.0);
    const double both = run(s, "G0 X-200 Y-200\nG1 X-100 Y-100 F12000\n");
    const double formula = trapezoid(100 * root, 200 * root, 1000 * root) + trapezoid(100 * root, 200, 1000 * root);
    check::report("100 mm diagonal there and back, over the formula", both / formula, 1.03);
    HOLDS(both / formula <= 1.03);
    double worst = 0;
    for (const double way : {50.0, 100.0, 200.0, 350.0}) {
        run(s, "G0 X-20 Y-20\n");
        const double ratio = run(s, format("G0 X%.3f\n", -20 - way)) / trapezoid(way, 200, 1000);
        worst = std::fmax(worst, ratio);
    }
    check::report("single moves of 50 to 350 mm, over the formula", worst, 1.03);
    HOLDS(worst <= 1.03);
    run(s, "G0 X-10 Y-10\n");
    std::string chain;
    for (int i = 1; i <= 10; ++i) chain += format("G1 X%.0f F6000\n", -10.0 - 20 * i);
    const double chained = run(s, chain) / (200.0 / 100 + 100.0 / 1000);
    check::report("ten moves in a line without a stop, over the formula", chained, 1.03);
    HOLDS(chained <= 1.03);
}

void a_right_angle_is_driven_slowly() {
    Session s;
    s.home();
    run(s, "G0 X-10 Y-10\n");
    s.steps.clear();
    run(s, "G1 X-60 F6000\nG1 Y-60\n");
    // v^2 = a d s / (1 - s) with s = sin 45 degrees and a = 1000 sqrt(2) along the bisector; 80 steps/mm.
    const double half = std::sqrt(0.5);
    const double corner = std::sqrt(1000 * std::sqrt(2.0) * 0.01 * half / (1 - half));
    size_t last_x = 0;
    for (size_t i = 0; i < s.steps.size(); ++i) {
        if (s.steps[i].axis == 0) last_x = i;
    }
    const double interval = static_cast<double>(s.steps[last_x].at - s.steps[last_x - 1].at) / 16e6;
    // The interval is the mean of the last piece, two steps long at most.
    const double found = 1 / interval / 80;
    check::report("right angle, mm/s", found, corner);
    HOLDS(found > corner - 0.1 && found < std::sqrt(corner * corner + 2 * 1000 * 2 / 80.0));
}

void a_hold_is_felt_within_20_ms() {
    double worst = 0;
    for (int i = 0; i < 40; ++i) {
        Session s;
        s.home();
        s.send("G1 X-400 F12000\n");
        s.pass_ms(500 + i * 1.37);
        s.steps.clear();
        const uint64_t pressed = board.now;
        s.byte('!');
        s.pass_ms(60);
        const uint64_t even = s.steps[1].at - s.steps[0].at;
        size_t n = 1;
        while (n + 1 < s.steps.size() && s.steps[n + 1].at - s.steps[n].at <= even + 1) ++n;
        worst = std::fmax(worst, static_cast<double>(s.steps[n + 1].at - pressed) / 16000);
    }
    check::report("hold byte to the first slower step, ms, worst of 40", worst, 20);
    HOLDS(worst <= 20);
}

// Random moves with holds, resumes and overrides at random times: not a step may be lost or made twice.
void random_moves_are_exact_to_the_step(int moves) {
    Session s;
    s.home();
    const int32_t origin[] = {board.place[0] + 160, board.place[1] + 160, board.place[2] + 800};
    Random random(7);
    double x = -2, y = -2, z = -2;
    int holds = 0;
    for (int i = 0; i < moves; ++i) {
        const bool near = random.between(0, 3) != 0;
        const double reach = near ? 3 : 120;
        x = std::fmin(-1, std::fmax(-690, x + random.between(-1000, 1000) / 1000.0 * reach));
        y = std::fmin(-1, std::fmax(-630, y + random.between(-1000, 1000) / 1000.0 * reach));
        if (random.between(0, 4) == 0) z = random.between(-60000, -1000) / 1000.0;
        x = std::round(x * 1000) / 1000;
        y = std::round(y * 1000) / 1000;
        const int feed = random.between(300, 14000);
        const std::string line =
            (random.between(0, 2) ? format("G1 F%.0f ", feed) : std::string("G0 ")) + format("X%.3f Y%.3f Z%.3f", x, y, z);
        s.send(line + "\n");
        s.pass_ms(random.between(2, 60));
        const int whim = random.between(0, 11);
        if (whim == 0) {
            s.byte('!');
            s.pass_ms(random.between(0, 400));
            s.byte('~');
            ++holds;
        } else if (whim < 4) {
            s.byte(static_cast<uint8_t>(random.between(0x90, 0x97)));
        }
        // A resume while it still brakes is not heard: as long as it stands in a hold, ask again.
        std::vector<std::string> lines = s.lines();
        while (lines.empty() || lines.back() != kOk) {
            s.byte('~');
            s.pass_ms(20);
            for (const std::string& more : s.lines()) lines.push_back(more);
        }
    }
    for (int i = 0; i < 50; ++i) {
        s.byte('~');
        s.pass_ms(20);
    }
    EQUAL(s.answer("G4 P0"), kOk);
    EQUAL(board.place[0] - origin[0], static_cast<int32_t>(std::lround(x * 80)));
    EQUAL(board.place[1] - origin[1], static_cast<int32_t>(std::lround(y * 80)));
    EQUAL(board.place[2] - origin[2], static_cast<int32_t>(std::lround(z * 400)));
    HOLDS(holds > moves / 20);
    check::report("random moves with holds and overrides, steps lost", 0, 0);
}

void no_axis_is_stepped_faster_than_its_limit() {
    Session s;
    s.home();
    s.steps.clear();
    run(s, "G0 X-300 Y-140 Z-60\nG0 X-10 Y-600 Z-5\nG1 F12000 X-50 Y-50 Z-30\n");
    uint64_t last[kAxisCount] = {};
    const double limit[] = {16000, 16000, 24000};
    for (const bench::Step& step : s.steps) {
        // Two intervals together: Bresenham's line puts a step of a slower axis up to one lead step early.
        if (last[step.axis]) HOLDS(16e6 / static_cast<double>(step.at - last[step.axis]) <= limit[step.axis] * 1.6);
        last[step.axis] = step.at;
    }
}

// Numbered lines

std::string numbered(int id, const std::string& text) {
    const std::string body = "N" + std::to_string(id) + " " + text;
    uint16_t sum = checksum::kStart;
    for (char letter : body) sum = checksum::add(sum, static_cast<uint8_t>(letter));
    char tail[8];
    snprintf(tail, sizeof tail, "*%04X", sum);
    return body + tail;
}

void a_repeated_line_is_not_obeyed_again() {
    Session s;
    s.home();
    EQUAL(s.answer(numbered(7, "G91 G0 X-10")), std::string("ok N7"));
    EQUAL(s.answer(numbered(7, "G91 G0 X-10")), std::string("done ok N7"));
    EQUAL(s.answer(numbered(8, "G99")), std::string("error:20 N8"));
    EQUAL(s.answer(numbered(8, "G99")), std::string("done error:20 N8"));
    EQUAL(s.answer(numbered(7, "G91 G0 X-10")), std::string("done N7"));
    EQUAL(s.answer(numbered(9, "G4 P0")), std::string("ok N9"));
    HOLDS(s.status().find("MPos:-12.000,") != std::string::npos);
}

void a_damaged_line_is_asked_for_again() {
    Session s;
    s.home();
    EQUAL(s.answer(numbered(65535, "G91")), std::string("ok N65535"));
    const std::string good = numbered(0, "G0 X-10");
    for (size_t i = 0; i < good.size(); ++i) {
        for (int bit = 0; bit < 7; ++bit) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 1 << bit);
            if (strchr("?!~\n\r\x18", bad[i])) continue;
            // The sum may be written in small letters.
            if (i > good.find('*') && std::toupper(bad[i]) == good[i]) continue;
            EQUAL(s.answer(bad), std::string("resend N0"));
        }
        std::string lost = good;
        lost.erase(i, 1);
        EQUAL(s.answer(lost), std::string("resend N0"));
    }
    EQUAL(s.answer("G0 X-300"), std::string("resend N0"));
    EQUAL(s.answer(numbered(1, "G0 X-300")), std::string("resend N0"));
    EQUAL(s.answer(""), kOk);
    EQUAL(s.answer(good), std::string("ok N0"));
    EQUAL(s.answer(numbered(1, "G4 P0")), std::string("ok N1"));
    HOLDS(s.status().find("MPos:-12.000,") != std::string::npos);
}

void foreign_senders_never_notice() {
    Session s;
    s.home();
    EQUAL(s.answer("N1 G0 X-5"), kOk);
    EQUAL(s.answer("N1 G0 X-5*30"), std::string("error:1"));
    EQUAL(s.answer("M3 S1000"), kOk);
    s.pass_ms(60000);
    HOLDS(board.magnet);
}

void a_reset_puts_the_numbers_to_sleep() {
    Session s;
    s.home();
    EQUAL(s.answer(numbered(3, "G91")), std::string("ok N3"));
    s.byte(0x18);
    s.pass_ms(20);
    EQUAL(s.answer("G0 X-5"), kOk);
}

void a_silent_host_stops_motion_and_magnet() {
    Session s;
    s.home();
    EQUAL(s.answer(numbered(1, "M3 S1000")), std::string("ok N1"));
    EQUAL(s.answer(numbered(2, "G1 X-600 F1200")), std::string("ok N2"));
    const double silent_from = s.now_ms();
    s.pass_ms(700);
    HOLDS(s.status().find("<Run|") == 0);
    s.pass_ms(2490);
    HOLDS(board.magnet);
    s.pass_ms(400);
    const int32_t place = board.place[0];
    s.pass_ms(1000);
    EQUAL(board.place[0], place);
    while (board.magnet) s.pass_ms(10);
    const double took = s.now_ms() - silent_from - 715;
    check::report("host silent to magnet off, ms", took, 5000);
    HOLDS(took <= 5000);
    const std::vector<std::string> lines = s.lines();
    HOLDS(lines.size() >= 3 && lines[lines.size() - 1] == "Grbl 1.1h ['$' for help]");
    HOLDS(s.status().find("<Idle|") == 0);
}

// Safety

void a_reset_switches_the_magnet_off_at_once() {
    Session s;
    s.home();
    s.ask("M3 S1000");
    HOLDS(board.magnet);
    s.byte(0x18);
    s.pass_ms(0.2);
    HOLDS(!board.magnet);
}

void the_estop_stops_everything_and_locks() {
    Session s;
    s.home();
    s.ask("M3 S1000");
    s.send("G1 X-600 F12000\n");
    s.pass_ms(500);
    s.force(8, 8);
    s.pass_ms(8);
    HOLDS(!board.magnet);
    const int32_t place = board.place[0];
    s.pass_ms(100);
    EQUAL(board.place[0], place);
    HOLDS(s.status().find("<Alarm|") == 0);
    EQUAL(s.answer("$X"), std::string("error:13"));
    EQUAL(s.answer("$H"), std::string("error:13"));
    s.force(0, 0);
    s.pass_ms(20);
    EQUAL(s.answer("$X"), kOk);
}

void the_estop_locks_also_at_rest_in_a_hold_and_while_homing() {
    for (const char* before : {"G4 P0\n", "G1 X-600 F12000\n", "$H\n", "$J=G91 X-100 F1000\n"}) {
        Session s;
        s.home();
        s.send(before);
        s.pass_ms(300);
        if (before[1] == '1') s.byte('!');
        s.pass_ms(1000);
        s.force(8, 8);
        s.pass_ms(50);
        s.force(0, 0);
        s.pass_ms(50);
        HOLDS(s.status().find("<Alarm|") == 0);
        EQUAL(s.answer("G0 X-5"), std::string("error:9"));
    }
}

void a_spark_on_a_switch_wire_is_no_limit() {
    Session s;
    s.home();
    s.send("G1 X-600 F12000\n");
    for (int spark_ms = 1; spark_ms <= 5; ++spark_ms) {
        s.pass_ms(200);
        s.force(7, 7);
        s.pass_ms(spark_ms);
        s.force(0, 0);
    }
    HOLDS(s.status().find("<Run|") == 0);
    s.force(1, 1);
    s.pass_ms(8);
    s.force(0, 0);
    s.pass_ms(20);
    const std::vector<std::string> lines = s.lines();
    HOLDS(lines.size() > 1 && lines[lines.size() - 2] == "ALARM:1");
}

void the_magnet_has_a_longest_time() {
    Session s;
    s.home();
    s.ask("$163=5");
    s.ask("M3 S1000");
    s.pass_ms(4900);
    HOLDS(board.magnet);
    s.pass_ms(200);
    HOLDS(!board.magnet);
    EQUAL(s.lines().back(), std::string("[MSG:Magnet off, on too long]"));
    s.ask("M3 S1000");
    HOLDS(board.magnet);
}

void a_servo_follows_z_and_rests() {
    Session s;
    s.ask("$160=1");
    s.home();
    s.pass_ms(30);
    EQUAL(board.servo_us, 1029);
    run(s, "G0 Z-70\n");
    s.pass_ms(30);
    EQUAL(board.servo_us, 2000);
    s.pass_ms(31000);
    HOLDS(board.now - board.servo_at > 16000 * 500);
    for (const bench::Step& step : s.steps) {
        if (step.axis == 2) HOLDS(false);
    }
}

void settings_survive_and_damage_is_told() {
    Session s;
    EQUAL(s.answer("$110=6000.5"), kOk);
    s.power_on();
    s.pass_ms(300);
    HOLDS(s.lines().size() == 3);
    std::vector<std::string> all = s.ask("$$");
    HOLDS(std::find(all.begin(), all.end(), "$110=6000.500") != all.end());
    board.eeprom[100] ^= 4;
    s.power_on();
    s.pass_ms(1500);
    all = s.lines();
    EQUAL(all[0], std::string("error:7"));
    all = s.ask("$$");
    HOLDS(std::find(all.begin(), all.end(), "$110=12000.000") != all.end());
}

void an_abnormal_reset_is_greeted_with_its_cause() {
    Session s;
    s.power_on(hal::ResetCause::Watchdog);
    s.pass_ms(100);
    EQUAL(s.lines().back(), std::string("[MSG:Reset by watchdog 2]"));
    EQUAL(s.ask("$I")[2], std::string("[DAMLUDO:1.0.0,N1,watchdog,2]"));
}

void a_stop_behind_a_resume_is_not_lost() {
    Session s;
    s.home();
    s.send("G1 X-600 F12000\n");
    s.pass_ms(500);
    s.byte('!');
    s.pass_ms(600);
    s.send("~!");
    s.pass_ms(600);
    HOLDS(s.status().find("<Hold:0|") == 0);
}

void a_door_in_homing_stops_it() {
    Session s;
    s.send("$H\n");
    s.pass_ms(1000);
    s.byte(0x84);
    s.pass_ms(20);
    const int32_t place = board.place[2];
    s.pass_ms(5000);
    EQUAL(board.place[2], place);
    const std::vector<std::string> lines = s.lines();
    EQUAL(lines.size(), 5u);
    EQUAL(lines[0], std::string("ALARM:7"));
}

void homing_that_finds_no_switch_says_so() {
    Session s;
    s.ask("$132=30");
    s.force(4, 0);
    const std::vector<std::string> lines = s.ask("$H");
    EQUAL(lines[0], std::string("ALARM:9"));
    EQUAL(lines[1], kOk);
}

}  // namespace

int main(int count, char** arguments) {
    motion_takes_the_time_of_the_formula();
    a_right_angle_is_driven_slowly();
    a_hold_is_felt_within_20_ms();
    no_axis_is_stepped_faster_than_its_limit();
    a_repeated_line_is_not_obeyed_again();
    a_damaged_line_is_asked_for_again();
    foreign_senders_never_notice();
    a_reset_puts_the_numbers_to_sleep();
    a_silent_host_stops_motion_and_magnet();
    a_reset_switches_the_magnet_off_at_once();
    the_estop_stops_everything_and_locks();
    the_estop_locks_also_at_rest_in_a_hold_and_while_homing();
    a_spark_on_a_switch_wire_is_no_limit();
    the_magnet_has_a_longest_time();
    a_servo_follows_z_and_rests();
    settings_survive_and_damage_is_told();
    an_abnormal_reset_is_greeted_with_its_cause();
    a_stop_behind_a_resume_is_not_lost();
    homing_that_finds_no_switch_says_so();
    a_door_in_homing_stops_it();
    random_moves_are_exact_to_the_step(count > 1 ? atoi(arguments[1]) : 10000);
    printf("machine: all hold\n");
}
