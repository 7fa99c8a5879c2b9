// A test's hold on the board: the firmware lives in a thread of its own and stands still unless the test lets time pass.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench.h"

class Session : public bench::Driver {
public:
    // With a memory as after the first start, homing not done, switches `start_mm` away.
    explicit Session(int start_mm = 20);
    ~Session() override;

    void power_on(hal::ResetCause cause = hal::ResetCause::External);
    void pass_ms(double milliseconds);
    // Bytes begin to arrive now.
    void send(const std::string& bytes);
    void byte(uint8_t value) { send(std::string(1, static_cast<char>(value))); }
    void force(uint8_t mask, uint8_t value);  // inputs, as in the peer protocol

    // What left the port since the last call, as lines.
    std::vector<std::string> lines();
    // Send a line, or several at once; all lines up to the last one's answer, which is empty if none came in time.
    std::vector<std::string> ask(const std::string& line, double limit_ms = 120000);
    std::string answer(const std::string& line, double limit_ms = 120000) { return ask(line, limit_ms).back(); }
    std::string status();
    // Home, then leave the switches alone.
    void home();
    double now_ms() const;
    std::vector<bench::Step> steps;

    void reached_limit() override;

private:
    void live(double milliseconds, bool to_answer);
    bool answered() const;

    std::mutex mutex_;
    std::condition_variable turn_;
    bool firmware_runs_ = false;
    bool ended_ = false;
    bool to_answer_ = false;
    size_t answers_wanted_ = 1;
    bool reset_wanted_ = false;
    uint64_t target_ = 0;
    std::string output_;
    std::thread firmware_;
};
