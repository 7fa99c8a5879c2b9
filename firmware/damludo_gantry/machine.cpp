#include "machine.h"

#include "fixed.h"
#include "homing.h"
#include "host_link.h"
#include "inputs.h"
#include "line_reader.h"
#include "magnet.h"
#include "places.h"
#include "planner.h"
#include "program.h"
#include "realtime.h"
#include "report.h"
#include "servo.h"
#include "settings.h"
#include "stepper.h"
#include "uart.h"

namespace machine {

namespace {

constexpr uint16_t kDoorRestoreMs = 4000;  // the magnet takes hold before the motion goes on
constexpr uint8_t kQuietMs = 2;            // a burst of lines is planned whole before the first step
constexpr uint16_t kSilentHoldMs = 2500;
constexpr uint16_t kSilentOffMs = 4500;
constexpr uint8_t kNeverIdle = 255;  // $1

struct Registers {
    State state;
    bool critical;
    bool aborted;
    bool pending;  // a line was taken and not answered yet
    bool jog_cancelled;
    bool restoring;
    bool dwelling;
    bool eager;  // the program waits for rest or room
    uint32_t restore_until_ms;
    uint32_t last_motion_ms;
    uint8_t spindle_percent;
    uint16_t resets;
    gcode::Modal modal;
    LineReader reader;
};

Registers r;

bool suspended() {
    return r.critical || r.state == State::Hold || r.state == State::Door || r.state == State::Sleep;
}

void go_on() {
    restore_magnet();
    stepper::release();
    r.state = planner::empty() ? State::Idle : State::Run;
}

void cancel_jog() {
    r.jog_cancelled = true;
    stepper::hold();
}

void hold() {
    if (r.state == State::Jog) {
        cancel_jog();
    } else if (r.state == State::Run || r.state == State::Idle) {
        r.state = State::Hold;
        stepper::hold();
    }
}

void resume() {
    if (stepper::moving()) return;
    if (r.state == State::Hold) {
        go_on();
    } else if (r.state == State::Door && !r.restoring) {
        restore_magnet();
        r.restoring = true;
        r.restore_until_ms = realtime::now_ms() + (magnet::on() ? kDoorRestoreMs : 0);
    }
}

void open_door() {
    switch (r.state) {
        case State::Home:
            alarm(kHomingDoor);
            return abort();
        case State::Alarm: case State::Check: case State::Door: case State::Sleep:
            return;
        default:
            break;
    }
    uart::put_line(TEXT("[MSG:Check Door]"));
    r.jog_cancelled = r.state == State::Jog;
    r.state = State::Door;
    stepper::hold();
}

void stop_spindle_in_hold() {
    if (r.state != State::Hold || stepper::moving()) return;
    if (magnet::on()) {
        magnet::set(false);
    } else {
        restore_magnet();
    }
}

uint8_t held_percent(int16_t percent) {
    return static_cast<uint8_t>(percent < 10 ? 10 : percent > 200 ? 200 : percent);
}

// The four steps +10 -10 +1 -1 follow each other in both groups of override bytes.
int8_t override_step(uint8_t nth) {
    return nth == 0 ? 10 : nth == 1 ? -10 : nth == 2 ? 1 : -1;
}

void set_overrides(uint8_t feed, uint8_t rapid) {
    if (feed == planner::feed_percent() && rapid == planner::rapid_percent()) return;
    planner::set_overrides(feed, rapid);
    report::overrides_soon();
}

void override_by(uint8_t byte) {
    const uint8_t feed = planner::feed_percent();
    const uint8_t rapid = planner::rapid_percent();
    if (byte == 0x90) {
        set_overrides(100, rapid);
    } else if (byte >= 0x91 && byte <= 0x94) {
        set_overrides(held_percent(feed + override_step(byte - 0x91)), rapid);
    } else if (byte >= 0x95 && byte <= 0x97) {
        set_overrides(feed, byte == 0x95 ? 100 : byte == 0x96 ? 50 : 25);
    } else if (byte == 0x99) {
        r.spindle_percent = 100;
    } else if (byte >= 0x9A && byte <= 0x9D) {
        r.spindle_percent = held_percent(r.spindle_percent + override_step(byte - 0x9A));
    } else if (byte == realtime::kSpindleStop) {
        stop_spindle_in_hold();
    }
}

void obey_byte(uint8_t byte) {
    if (r.critical || r.state == State::Sleep) return;
    switch (byte) {
        case realtime::kHold:
            return hold();
        case realtime::kResume:
            return resume();
        case realtime::kDoor:
            return open_door();
        case realtime::kJogCancel:
            if (r.state == State::Jog) cancel_jog();
            return;
        default:
            return override_by(byte);
    }
}

// The interrupt has stopped the motors and switched the magnet off; here is the rest of a reset by byte, e-stop or silence.
void finish_reset(const realtime::Reset& reset) {
    const bool homing = r.state == State::Home;
    places::settle();
    if (reset.in_motion || homing) alarm(homing ? kHomingReset : kResetInMotion);
    if (reset.estop || r.state == State::Sleep) r.state = State::Alarm;
    if (r.state != State::Alarm) r.state = State::Idle;
    r.critical = false;
    r.aborted = true;
}

void obey_realtime() {
    realtime::Reset reset;
    if (realtime::take_reset(reset)) return finish_reset(reset);
    if (realtime::take_limit_hit()) {
        places::settle();
        alarm(kHardLimit);
    }
    if (realtime::take_magnet_over()) {
        r.modal.spindle = gcode::kSpindleOff;
        uart::put_line(TEXT("[MSG:Magnet off, on too long]"));
    }
    uint8_t byte = 0;
    while (!r.aborted && realtime::take(byte)) obey_byte(byte);
}

// A move, a braking or the waiting at the door has come to its end.
void note_rest() {
    if (stepper::moving()) return;
    if (r.jog_cancelled) {
        r.jog_cancelled = false;
        places::settle();
        if (r.state == State::Jog) r.state = State::Idle;
    }
    if (r.state == State::Door) {
        if (!r.restoring) {
            magnet::set(false);
        } else if (static_cast<int32_t>(realtime::now_ms() - r.restore_until_ms) >= 0) {
            r.restoring = false;
            go_on();
        }
    } else if ((r.state == State::Run || r.state == State::Jog) && planner::empty()) {
        r.state = State::Idle;
    }
}

void begin_motion() {
    if (stepper::moving() || planner::empty()) return;
    if (r.state != State::Run && r.state != State::Jog) return;
    if (r.eager || (uart::quiet_ms() > kQuietMs && !uart::received())) stepper::go();
}

void mind_silence() {
    const uint16_t silence = host_link::silence_ms();
    if (silence < kSilentHoldMs) return;
    if (r.state == State::Home || silence >= kSilentOffMs) {
        uart::put_line(TEXT("[MSG:Host silent]"));
        host_link::init();
        realtime::request_reset();
    } else if (r.state == State::Run || r.state == State::Jog) {
        hold();
    }
}

void mind_motors() {
    const uint32_t now = realtime::now_ms();
    if (stepper::moving() || r.state == State::Home) r.last_motion_ms = now;
    const uint8_t idle_ms = static_cast<uint8_t>(settings::get(settings::kIdleMs));
    const bool on = r.state != State::Sleep && (idle_ms == kNeverIdle || !planner::empty() || now - r.last_motion_ms < idle_ms);
    hal::set_enable_pin(on == settings::on(settings::kEnableInvert));
}

void report_if_asked() {
    // A command that came just before the query shows in its report.
    if (r.aborted || r.state == State::Home || realtime::pending() || !realtime::take_query()) return;
    if (r.critical) {
        uart::put_line(TEXT("[MSG:Reset to continue]"));
    } else {
        report::status();
    }
}

void obey_all() {
    hal::feed_watchdog();
    obey_realtime();
    begin_motion();
    stepper::prepare();
    note_rest();
    mind_silence();
    mind_motors();
    servo_to_place();
    report_if_asked();
}

void clear() {
    r.modal = gcode::first_modal();
    for (uint8_t i = 0; i < kAxisCount; ++i) places::shift[i] = 0;
    places::load_system_offset();
    places::settle();
    planner::set_overrides(100, 100);
    r.spindle_percent = 100;
    r.critical = r.aborted = r.jog_cancelled = r.restoring = r.dwelling = r.eager = false;
    magnet::set(false);
    servo_to_place();
    r.reader.clear();
    host_link::init();
    report::init();
}

// The rest of a soft reset: a line that was under way gets its `ok`, then comes the greeting.
void restart() {
    if (r.pending) uart::put_line(TEXT("ok"));
    r.pending = false;
    clear();
    if (inputs::controls() & hal::kEstop) r.state = State::Alarm;
    report::greeting(r.state == State::Alarm);
    if (r.state == State::Idle) program::run_startup_lines();
}

void greet_cold(const settings::Health& health) {
    const bool locked = settings::on(settings::kHoming) || (inputs::controls() & hal::kEstop);
    if (health.settings_lost) uart::put_line(TEXT("error:7"));
    r.state = locked ? State::Alarm : State::Idle;
    report::greeting(locked);
    bool lost = false;
    for (uint8_t slot = 0; slot < settings::kStartupLines; ++slot) {
        if (!health.startup_lost[slot]) continue;
        lost = true;
        uart::put_line(TEXT(">:error:7"));
    }
    if (!lost && !locked) program::run_startup_lines();
    report::abnormal_reset();
}

void serve(Line& line) {
    const char* text = nullptr;
    const host_link::Verdict verdict = host_link::admit(line, text);
    if (verdict == host_link::Verdict::Answered) return;
    r.pending = true;
    const uint8_t error = program::obey(text, line.too_long);
    if (r.aborted) return;  // restart() answers
    r.pending = false;
    if (verdict == host_link::Verdict::Obey) {
        host_link::sign_answer(error);
    } else {
        put_answer(error);
    }
}

}  // namespace

void setup() {
    planner::init();
    stepper::init();
    uart::init();
    inputs::init();
    servo::init();
    homing::init();
    realtime::init();
    host_link::init();
    r = Registers();
    const int32_t origin[kAxisCount] = {0, 0, 0};
    stepper::set_position(origin);
    hal::init();
    magnet::init();
    const settings::Health health = settings::load();
    r.resets = settings::count_reset();
    read_settings();
    clear();
    greet_cold(health);
}

void loop() {
    obey_all();
    if (r.aborted) return restart();
    if (suspended() || !uart::received()) return hal::wait();
    while (uart::received()) {
        if (r.reader.take(uart::take())) return serve(r.reader.line);
    }
}

State state() {
    return r.state;
}

void set_state(State state) {
    r.state = state;
}

bool waiting() {
    return r.restoring || r.dwelling || r.aborted;
}

bool aborted() {
    return r.aborted;
}

void abort() {
    stepper::halt();
    uart::drop_received();
    r.aborted = true;
}

bool door_restoring() {
    return r.restoring;
}

gcode::Modal& modal() {
    return r.modal;
}

void alarm(uint8_t number) {
    r.state = State::Alarm;
    magnet::set(false);
    uart::put_text(TEXT("ALARM:"));
    uart::put_whole(number);
    uart::end_line();
    r.critical = number == kHardLimit || number == kSoftLimit;
    if (r.critical) uart::put_line(TEXT("[MSG:Reset to continue]"));
}

void restore_magnet() {
    magnet::set(r.modal.spindle != gcode::kSpindleOff && r.modal.power > 0);
}

void sleep() {
    r.state = State::Sleep;
    magnet::set(false);
    servo::off();
}

void put_answer(uint8_t error) {
    if (!error) return uart::put_line(TEXT("ok"));
    uart::put_text(TEXT("error:"));
    uart::put_whole(error);
    uart::end_line();
}

void pass() {
    obey_all();
    if (!r.aborted) hal::wait();
}

bool wait_for_rest() {
    r.eager = true;
    while (!r.aborted && (suspended() || !planner::empty() || stepper::moving())) pass();
    r.eager = false;
    return !r.aborted;
}

bool wait_ms(uint32_t milliseconds) {
    const uint32_t from = realtime::now_ms();
    r.dwelling = true;
    while (!r.aborted && (suspended() || realtime::now_ms() - from < milliseconds)) pass();
    r.dwelling = false;
    return !r.aborted;
}

bool wait_while_suspended() {
    while (!r.aborted && suspended()) pass();
    return !r.aborted;
}

bool queue_move(const int32_t target[kAxisCount], uint32_t speed, State moving) {
    int32_t motors[kAxisCount];
    places::steps_of(target, motors);
    return queue_steps(motors, speed, moving, 0);
}

static bool wait_for_room() {
    r.eager = true;
    while (!r.aborted && (planner::full() || suspended())) pass();
    r.eager = false;
    return !r.aborted;
}

bool queue_steps(const int32_t motors[kAxisCount], uint32_t speed, State moving, uint8_t flags) {
    if (!wait_for_room()) return false;
    // A long way is cut into equal moves in a line.
    int32_t way[kAxisCount];
    uint32_t parts = 1;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        way[i] = motors[i] - planner::end()[i];
        const uint32_t needed = fixed::magnitude(way[i]) / planner::kMostSteps + 1;
        if (needed > parts) parts = needed;
    }
    for (uint32_t left = parts; left--;) {
        if (!wait_for_room()) return false;
        int32_t target[kAxisCount];
        for (uint8_t i = 0; i < kAxisCount; ++i) target[i] = motors[i] - fixed::scale(way[i], left, parts, 0x7FFFFFFF);
        if (planner::add(target, speed, flags) && r.state == State::Idle) r.state = moving;
    }
    return true;
}

void reset_motion_overrides() {
    planner::set_overrides(100, 100);
}

void read_settings() {
    stepper::read_settings();
    inputs::read_settings();
    magnet::read_settings();
    servo::read_settings();
    stepper::set_unpulsed(servo::used() ? kZ : 0);
    // A place in steps is another place after a change of steps/mm.
    places::settle();
}

void servo_to_place() {
    int32_t motors[kAxisCount];
    stepper::get_position(motors);
    servo::follow(motors[2]);
}

uint8_t spindle_percent() {
    return r.spindle_percent;
}

uint16_t reset_count() {
    return r.resets;
}

}  // namespace machine
