// Fuzz target: whatever bytes come, in whatever rhythm, the firmware stays within its memory and its frame, and obeys a reset.
// Input: bytes for the port, but 0xF0..0xF7 let time pass (1 ms to 0.8 s), 0xF8..0xFB press and release inputs, 0xFC cuts the power,
// 0xFD sends the check sum that the N line begun before it needs.
#include <cstring>

#include "bench.h"
#include "checksum.h"
#include "machine.h"

namespace {

using bench::board;

constexpr uint64_t kMillisecond = 16000;
constexpr uint64_t kLongest = 8000 * kMillisecond;
const uint16_t kWaits[] = {1, 3, 10, 30, 100, 200, 400, 800};

// Values of forced inputs that 0xF8..0xFB stand for: x limit, all limits, e-stop, none.
const uint8_t kInputs[] = {1, 7, 8, 0};

uint8_t first_memory[bench::kEepromSize];
bool memory_known;

class Feeder : public bench::Driver {
public:
    void begin(const uint8_t* data, size_t size) {
        data_ = data;
        size_ = size;
        at_ = 0;
        phase_ = 0;
        sum_ = checksum::kStart;
    }

    void reached_limit() override {
        if (!board.powered) {
            board.reset_requests = 1;
            return;
        }
        board.outgoing.clear();
        if (at_ < size_ && board.now < kLongest) return feed();
        finish();
    }

private:
    void feed() {
        while (at_ < size_) {
            const uint8_t byte = data_[at_++];
            if (byte >= 0xF0 && byte <= 0xF7) {
                board.limit = board.now + kWaits[byte & 7] * kMillisecond;
                return;
            }
            if (byte >= 0xF8 && byte <= 0xFB) {
                board.forced = board.forced_to = kInputs[byte & 3];
            } else if (byte == 0xFC) {
                board.reset_requests = 1;
                bench::leave();
            } else if (byte == 0xFD) {
                char text[8];
                snprintf(text, sizeof text, "*%04X\n", sum_);
                send(text, strlen(text));
            } else {
                send(reinterpret_cast<const char*>(&byte), 1);
            }
        }
        board.limit = board.now + 20 * kMillisecond;
    }

    void send(const char* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            const uint8_t byte = static_cast<uint8_t>(bytes[i]);
            sum_ = byte == '\n' ? checksum::kStart : checksum::add(sum_, byte);
        }
        bench::send_bytes(reinterpret_cast<const uint8_t*>(bytes), count);
    }

    // A reset must bring back a machine that answers.
    void finish() {
        switch (phase_++) {
            case 0:
                board.forced = board.forced_to = 0;
                board.limit = board.now + 100 * kMillisecond;
                return send("\x18", 1);
            case 1:
                board.limit = board.now + 1000 * kMillisecond;
                return send("\n$X\n?", 5);
            default:
                if (machine::state() != machine::State::Idle && machine::state() != machine::State::Run) __builtin_trap();
                if (board.magnet) __builtin_trap();
                ended = true;
                bench::leave();
        }
    }

    const uint8_t* data_ = nullptr;
    size_t size_ = 0;
    size_t at_ = 0;
    int phase_ = 0;
    uint16_t sum_ = 0;

public:
    bool ended = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Feeder feeder;
    bench::make_board(&feeder);
    for (int i = 0; i < kAxisCount; ++i) board.place[i] = i == 2 ? -400 : -80;
    if (memory_known) memcpy(board.eeprom, first_memory, sizeof first_memory);
    feeder.begin(data, size);
    while (!feeder.ended) bench::run_until_left();
    if (!memory_known && size == 0) {
        memcpy(first_memory, board.eeprom, sizeof first_memory);
        memory_known = true;
    }
    return 0;
}
