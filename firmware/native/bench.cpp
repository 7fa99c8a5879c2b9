#include "bench.h"

#include <cstring>

#include "machine.h"
#include "planner.h"
#include "stepper.h"

namespace bench {

Board board;

namespace {

constexpr uint64_t kByteCycles = 1389;  // ten bits at 115200 baud
constexpr uint64_t kMillisecond = 16000;
constexpr uint64_t kEepromCycles = 54400;  // 3.4 ms
constexpr uint64_t kWatchdogCycles = 8000000;
constexpr uint64_t kBusyStep = 80000;  // in motion something is worth a look every 5 ms

// Thrown through the firmware to leave it: it holds nothing that needs care.
struct Left {};

uint64_t earliest() {
    uint64_t next = board.tick_at;
    if (board.step_at < next) next = board.step_at;
    if (board.send_at < next) next = board.send_at;
    if (!board.incoming.empty() && board.incoming.front().first < next) next = board.incoming.front().first;
    return next;
}

// One interrupt; those of one instant come in the order of the chip's vectors.
void interrupt() {
    if (board.step_at == board.now) {
        board.step_at += board.step_period;
        interrupts::step_timer();
    } else if (board.tick_at == board.now) {
        board.tick_at += kMillisecond;
        interrupts::millisecond();
    } else if (!board.incoming.empty() && board.incoming.front().first == board.now) {
        const uint8_t byte = board.incoming.front().second;
        board.incoming.pop_front();
        interrupts::byte_received(byte);
    } else if (board.send_at == board.now) {
        board.outgoing.push_back(static_cast<uint8_t>(board.sending));
        board.sending = interrupts::next_byte_to_send();
        board.send_at = board.sending < 0 ? kNever : board.now + kByteCycles;
    }
}

void live_to_next_event() {
    while (earliest() > board.limit) {
        if (board.now < board.limit) board.now = board.limit;
        board.driver->reached_limit();
    }
    board.now = earliest();
    interrupt();
}

void switch_pin(bool& pin, bool on, uint64_t& edge) {
    if (pin != on) edge = board.now;
    pin = on;
}

void power_up() {
    board.step_at = board.send_at = kNever;
    board.tick_at = board.now + kMillisecond;
    board.fed_at = board.now;
    board.incoming.clear();
    board.sending = -1;
    switch_pin(board.magnet, false, board.magnet_edge);
    board.enabled = false;
    board.servo_us = 0;
    board.directions = 0;
    board.powered = true;
    ++board.resets;
}

}  // namespace

void make_board(Driver* driver) {
    board = Board();
    board.driver = driver;
    board.step_at = board.tick_at = board.send_at = kNever;
    board.sending = -1;
    memset(board.eeprom, 0xFF, sizeof board.eeprom);
}

void send_bytes(const uint8_t* data, size_t count) {
    if (!board.powered) return;
    uint64_t at = board.incoming.empty() ? board.now : board.incoming.back().first;
    for (size_t i = 0; i < count; ++i) {
        at += kByteCycles;
        board.incoming.emplace_back(at, data[i]);
    }
}

void run_until_left() {
    try {
        while (!board.powered && !board.reset_requests) {
            board.now = board.limit;
            board.driver->reached_limit();
        }
        board.reset_requests = 0;
        power_up();
        machine::setup();
        for (;;) machine::loop();
    } catch (const Left&) {
    }
}

void leave() {
    throw Left();
}

uint64_t next_event() {
    if (!board.powered) return kNever;
    uint64_t next = kNever;
    if (board.send_at != kNever) next = board.send_at;
    if (!board.incoming.empty() && board.incoming.front().first < next) next = board.incoming.front().first;
    const machine::State state = machine::state();
    const bool busy = stepper::moving() || !planner::empty() || state == machine::State::Home || machine::waiting();
    if (busy && board.now + kBusyStep < next) next = board.now + kBusyStep;
    return next;
}

}  // namespace bench

namespace hal {

using bench::board;

static void trace_load(uint16_t value) {
    if (board.trace) fprintf(board.trace, "T %u\n", value);
}

void init() {
    trace_load(65535);
}

ResetCause reset_cause() {
    return board.cause;
}

void wait() {
    bench::live_to_next_event();
}

void feed_watchdog() {
    board.fed_at = board.now;
}

void set_directions(uint8_t mask) {
    board.directions = mask;
}

void raise_steps(uint8_t mask, uint8_t idle) {
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        // Steps on rising edges, whatever the firmware calls idle.
        if (!(mask & 1 << i) || (idle & 1 << i)) continue;
        const int step = board.directions & 1 << i ? -1 : 1;
        board.place[i] += step;
        if (board.steps) board.steps->push_back(bench::Step{board.now, i, static_cast<int8_t>(step)});
        if (board.trace) fprintf(board.trace, "%llu %d %+d\n", static_cast<unsigned long long>(board.now), i, step);
    }
}

void drop_steps(uint8_t, uint8_t) {}

void set_enable_pin(bool high) {
    board.enabled = !high;
}

void load_step_timer(uint16_t cycles_less_one) {
    trace_load(cycles_less_one);
    board.step_period = cycles_less_one + 1u;
    board.step_at = board.now + board.step_period;
}

void start_step_timer(uint16_t cycles_less_one) {
    load_step_timer(cycles_less_one);
}

void stop_step_timer() {
    // As on the chip, whose timer runs on at its slowest with its interrupt off.
    trace_load(65535);
    board.step_at = bench::kNever;
}

void set_magnet(bool on) {
    bench::switch_pin(board.magnet, on, board.magnet_edge);
}

void pulse_servo(uint16_t microseconds) {
    board.servo_us = microseconds;
    board.servo_at = board.now;
}

uint8_t limit_levels() {
    uint8_t closed = 0;
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        if (board.place[i] >= 0) closed |= static_cast<uint8_t>(1 << i);
    }
    closed = static_cast<uint8_t>((closed & ~board.forced) | (board.forced_to & board.forced)) & kAllAxes;
    return static_cast<uint8_t>(~closed) & kAllAxes;
}

uint8_t control_levels() {
    const uint8_t pressed = static_cast<uint8_t>(board.forced & board.forced_to) >> kAxisCount & 7;
    return static_cast<uint8_t>(~pressed) & 7;
}

void begin_sending() {
    if (board.sending >= 0) return;
    board.sending = interrupts::next_byte_to_send();
    if (board.sending >= 0) board.send_at = board.now + bench::kByteCycles;
}

uint8_t read_eeprom(uint16_t address) {
    return board.eeprom[address % bench::kEepromSize];
}

void write_eeprom(uint16_t address, uint8_t value) {
    uint8_t& cell = board.eeprom[address % bench::kEepromSize];
    if (cell == value) return;
    cell = value;
    const uint64_t until = board.now + bench::kEepromCycles;
    while (board.now < until) bench::live_to_next_event();
}

}  // namespace hal
