// The firmware as a program that speaks the peer protocol on stdin and stdout, on virtual time: see docs/protocol.md.
//
//   damludo-native [--eeprom FILE] [--trace FILE] [--start X,Y,Z]
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "bench.h"

namespace {

using bench::board;

const char* eeprom_path = nullptr;

uint64_t cycles_of(uint64_t ns) {
    return ns / 125 * 2 + ns % 125 * 2 / 125;
}

uint64_t ns_of(uint64_t cycles) {
    return cycles == bench::kNever ? cycles : cycles / 2 * 125 + (cycles % 2 ? 63 : 0);
}

void save_eeprom() {
    if (!eeprom_path) return;
    FILE* file = fopen(eeprom_path, "wb");
    if (!file) return;
    fwrite(board.eeprom, 1, sizeof board.eeprom, file);
    fclose(file);
}

void load_eeprom() {
    FILE* file = eeprom_path ? fopen(eeprom_path, "rb") : nullptr;
    if (!file) return;
    if (fread(board.eeprom, 1, sizeof board.eeprom, file) != sizeof board.eeprom) {
        memset(board.eeprom, 0xFF, sizeof board.eeprom);
    }
    fclose(file);
}

[[noreturn]] void end() {
    save_eeprom();
    if (board.trace) fclose(board.trace);
    std::_Exit(0);
}

void read_exactly(void* data, size_t size) {
    char* at = static_cast<char*>(data);
    while (size) {
        const ssize_t got = read(STDIN_FILENO, at, size);
        if (got <= 0) end();
        at += got;
        size -= static_cast<size_t>(got);
    }
}

template <class T>
T take() {
    T value;
    read_exactly(&value, sizeof value);
    return value;
}

template <class T>
void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint64_t now_ns;

void answer() {
    std::string out = "a";
    append<uint64_t>(out, now_ns);
    append<uint64_t>(out, ns_of(bench::next_event()));
    for (int32_t place : board.place) append<int32_t>(out, place);
    append<uint8_t>(out, static_cast<uint8_t>(board.magnet | board.enabled << 1));
    // A servo that got no pulse for three frames has none.
    const bool pulsed = board.servo_us && board.now - board.servo_at < 960000;
    append<uint16_t>(out, pulsed ? board.servo_us : 0);
    append<uint64_t>(out, ns_of(board.magnet_edge));
    append<uint16_t>(out, board.resets);
    const size_t count = board.outgoing.size() < 65535 ? board.outgoing.size() : 65535;
    append<uint16_t>(out, static_cast<uint16_t>(count));
    out.append(reinterpret_cast<const char*>(board.outgoing.data()), count);
    board.outgoing.erase(board.outgoing.begin(), board.outgoing.begin() + static_cast<std::ptrdiff_t>(count));
    const char* at = out.data();
    size_t left = out.size();
    while (left) {
        const ssize_t put = write(STDOUT_FILENO, at, left);
        if (put <= 0) end();
        at += put;
        left -= static_cast<size_t>(put);
    }
}

class Peer : public bench::Driver {
public:
    void reached_limit() override {
        if (asked_) answer();
        asked_ = true;
        switch (take<char>()) {
            case 'A': return advance();
            case 'R': return reset();
            case 'I':
                board.forced = take<uint8_t>();
                board.forced_to = take<uint8_t>();
                return;
            case 'S':
                for (int32_t& place : board.place) place += take<int32_t>();
                return;
            default:
                end();
        }
    }

private:
    void advance() {
        now_ns = take<uint64_t>();
        const uint16_t count = take<uint16_t>();
        std::string bytes(count, '\0');
        if (count) read_exactly(&bytes[0], count);
        bench::send_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
        board.limit = cycles_of(now_ns);
    }

    void reset() {
        board.cause = board.powered ? hal::ResetCause::External : hal::ResetCause::Power;
        board.reset_requests = 1;
        save_eeprom();
        if (board.powered) bench::leave();
    }

    bool asked_ = false;
};

bool parse_arguments(int count, char** arguments) {
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const char* value = arguments[i + 1];
        if (name == "--eeprom") {
            eeprom_path = value;
        } else if (name == "--trace") {
            board.trace = fopen(value, "w");
            if (!board.trace) return false;
        } else if (name == "--start") {
            if (sscanf(value, "%d,%d,%d", &board.place[0], &board.place[1], &board.place[2]) != 3) return false;
        } else {
            return false;
        }
    }
    return count % 2 == 1;
}

}  // namespace

int main(int count, char** arguments) {
    Peer peer;
    bench::make_board(&peer);
    if (!parse_arguments(count, arguments)) {
        fprintf(stderr, "usage: damludo-native [--eeprom FILE] [--trace FILE] [--start X,Y,Z]\n");
        return 2;
    }
    load_eeprom();
    for (;;) bench::run_until_left();
}
