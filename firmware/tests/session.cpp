#include "session.h"

#include <algorithm>
#include <cstring>

#include "check.h"

using bench::board;

namespace {

constexpr uint64_t kMillisecond = 16000;

}  // namespace

Session::Session(int start_mm) {
    bench::make_board(this);
    for (int i = 0; i < kAxisCount; ++i) board.place[i] = -start_mm * (i == 2 ? 400 : 80);
    board.steps = &steps;
    firmware_ = std::thread([this] {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            turn_.wait(lock, [this] { return firmware_runs_; });
        }
        while (!ended_) bench::run_until_left();
    });
    power_on(hal::ResetCause::Power);
    pass_ms(1500);
    power_on();
    pass_ms(100);
    lines();
}

Session::~Session() {
    ended_ = true;
    live(0, false);
    firmware_.join();
}

// In the firmware's thread.
void Session::reached_limit() {
    for (uint8_t byte : board.outgoing) output_ += static_cast<char>(byte);
    board.outgoing.clear();
    const bool done = board.now >= target_ || (to_answer_ && answered());
    if (done) {
        std::unique_lock<std::mutex> lock(mutex_);
        firmware_runs_ = false;
        turn_.notify_all();
        turn_.wait(lock, [this] { return firmware_runs_; });
    }
    if (ended_) bench::leave();
    if (reset_wanted_) {
        reset_wanted_ = false;
        board.reset_requests = 1;
        if (board.powered) bench::leave();
        return;
    }
    board.limit = board.now + kMillisecond < target_ ? board.now + kMillisecond : target_;
}

void Session::live(double milliseconds, bool to_answer) {
    std::unique_lock<std::mutex> lock(mutex_);
    target_ = board.now + static_cast<uint64_t>(milliseconds * static_cast<double>(kMillisecond));
    to_answer_ = to_answer;
    firmware_runs_ = true;
    turn_.notify_all();
    turn_.wait(lock, [this] { return !firmware_runs_ || ended_; });
}

bool Session::answered() const {
    size_t count = 0;
    size_t from = 0;
    for (size_t end; (end = output_.find("\r\n", from)) != std::string::npos; from = end + 2) {
        for (const char* word : {"ok", "error:", "done", "resend"}) count += output_.compare(from, strlen(word), word) == 0;
    }
    return count >= answers_wanted_;
}

void Session::power_on(hal::ResetCause cause) {
    board.cause = cause;
    reset_wanted_ = true;
    live(0, false);
}

void Session::pass_ms(double milliseconds) {
    live(milliseconds, false);
}

void Session::send(const std::string& bytes) {
    bench::send_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

void Session::force(uint8_t mask, uint8_t value) {
    board.forced = mask;
    board.forced_to = value;
}

std::vector<std::string> Session::lines() {
    std::vector<std::string> found;
    size_t from = 0;
    for (size_t at; (at = output_.find("\r\n", from)) != std::string::npos; from = at + 2) {
        found.push_back(output_.substr(from, at - from));
    }
    output_.erase(0, from);
    return found;
}

std::vector<std::string> Session::ask(const std::string& line, double limit_ms) {
    lines();
    send(line + "\n");
    answers_wanted_ = static_cast<size_t>(std::count(line.begin(), line.end(), '\n')) + 1;
    live(limit_ms, true);
    std::vector<std::string> found = lines();
    if (found.empty()) found.emplace_back();
    return found;
}

std::string Session::status() {
    lines();
    byte('?');
    pass_ms(15);
    const std::vector<std::string> found = lines();
    return found.empty() ? "" : found.back();
}

void Session::home() {
    EQUAL(answer("$H"), std::string("ok"));
}

double Session::now_ms() const {
    return static_cast<double>(board.now) / static_cast<double>(kMillisecond);
}
