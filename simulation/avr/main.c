// A controller in a process of its own: the flashed image on a simulated board, on virtual time.
//
//   damludo-avr IMAGE [--eeprom FILE] [--trace FILE] [--start X,Y,Z]
//
// Requests come on stdin, answers go to stdout, little endian; simulation/process_controller.py is the other end:
//   A  u64 time_ns, u16 n, n bytes   live until then; the bytes begin to arrive now
//   R                                hardware reset (the first one: power-on)
//   I  u8 mask, u8 value             force inputs
//   S  3 x i32                       the axes slip by so many steps
//   Q                                end; so does the end of stdin
#include "board.h"

#include <stdlib.h>
#include <string.h>

static const char *eeprom_file;

static bool read_exactly(void *target, size_t size) { return fread(target, 1, size, stdin) == size; }

static uint64_t little(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    while (count--) value = value << 8 | bytes[count];
    return value;
}

static uint8_t *put(uint8_t *at, uint64_t value, int count) {
    for (; count--; value >>= 8) *at++ = value;
    return at;
}

static bool answer(void) {
    enum { NEVER_LATER_NS = 1000000 };  // the board does not tell what it waits for: ask again after a millisecond
    struct BoardState state = board_state();
    const uint8_t *bytes;
    size_t count = board_output(&bytes);
    uint8_t head[64], *at = head;
    *at++ = 'a';
    at = put(at, state.now_ns, 8);
    at = put(at, state.now_ns + NEVER_LATER_NS, 8);
    for (int axis = 0; axis < AXES; axis++) at = put(at, (uint32_t)state.position[axis], 4);
    at = put(at, state.outputs, 1);
    at = put(at, state.servo_us, 2);
    at = put(at, state.magnet_edge_ns, 8);
    at = put(at, state.resets, 2);
    at = put(at, count, 2);
    return fwrite(head, at - head, 1, stdout) == 1 && fwrite(bytes, 1, count, stdout) == count && !fflush(stdout);
}

static bool advance(void) {
    uint8_t head[10], bytes[1 << 16];
    if (!read_exactly(head, sizeof head)) return false;
    size_t count = little(head + 8, 2);
    if (!read_exactly(bytes, count)) return false;
    board_send(bytes, count);
    if (board_run(little(head, 8))) return true;
    fprintf(stderr, "the program on the board crashed\n");
    return false;
}

static bool slip(void) {
    uint8_t bytes[4 * AXES];
    int32_t steps[AXES];
    if (!read_exactly(bytes, sizeof bytes)) return false;
    for (int axis = 0; axis < AXES; axis++) steps[axis] = (int32_t)little(bytes + 4 * axis, 4);
    board_slip(steps);
    return true;
}

static bool force(void) {
    uint8_t bytes[2];
    if (!read_exactly(bytes, sizeof bytes)) return false;
    board_force(bytes[0], bytes[1]);
    return true;
}

static bool serve(void) {
    switch (getchar()) {
        case 'A': return advance() && answer();
        case 'R': board_reset(); return answer();
        case 'I': return force() && answer();
        case 'S': return slip() && answer();
        default: return false;
    }
}

static void load_eeprom(void) {
    uint8_t bytes[EEPROM_BYTES];
    memset(bytes, 0xFF, sizeof bytes);
    FILE *file = eeprom_file ? fopen(eeprom_file, "rb") : NULL;
    if (file) {
        if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) memset(bytes, 0xFF, sizeof bytes);
        fclose(file);
    }
    board_set_eeprom(bytes);
}

static bool save_eeprom(void) {
    uint8_t bytes[EEPROM_BYTES];
    if (!eeprom_file) return true;
    board_get_eeprom(bytes);
    FILE *file = fopen(eeprom_file, "wb");
    if (!file) return false;
    bool written = fwrite(bytes, sizeof bytes, 1, file) == 1;
    return !fclose(file) && written;
}

static bool take_option(const char *name, const char *value) {
    if (!strcmp(name, "--eeprom")) {
        eeprom_file = value;
        return true;
    }
    if (!strcmp(name, "--trace")) {
        FILE *file = fopen(value, "w");
        board_trace(file);
        return file;
    }
    int32_t at[AXES];
    if (strcmp(name, "--start") || sscanf(value, "%d,%d,%d", &at[0], &at[1], &at[2]) != AXES) return false;
    board_place(at);
    return true;
}

int main(int count, char **words) {
    bool good = count >= 2 && count % 2 == 0 && board_load(words[1]);
    for (int i = 2; good && i < count; i += 2) good = take_option(words[i], words[i + 1]);
    if (!good) {
        fprintf(stderr, "usage: %s IMAGE [--eeprom FILE] [--trace FILE] [--start X,Y,Z]\n", words[0]);
        return 2;
    }
    load_eeprom();
    while (serve()) {
    }
    return save_eeprom() ? 0 : 1;
}
