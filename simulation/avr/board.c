#include "board.h"

#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_hex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    CYCLES_PER_BYTE = 1389,  // 10 bits at 115200 baud
    // Two bytes wait in the receiver and a third in its shift register; the next one is lost. libsimavr alone would keep 64.
    RECEIVER_BYTES = 3,
    SERVO_FORGOTTEN_CYCLES = CPU_HZ / 20,
    INPUT_BYTES = 1 << 16,
    OUTPUT_BYTES = 1 << 16,
};

// Data addresses of registers of the ATmega328P (data sheet, register summary).
enum { MCUSR = 0x54, OCR1AL = 0x88, OCR1AH = 0x89 };
enum { MCUSR_POWER_ON = 1, MCUSR_EXTERNAL = 2 };

// Pins of the CNC shield V3. A limit switch, and the buttons on A0..A2, connect to ground.
struct Pin {
    char port;
    uint8_t bit;
};
static const struct Pin STEP[AXES] = {{'D', 2}, {'D', 3}, {'D', 4}};
static const struct Pin DIRECTION[AXES] = {{'D', 5}, {'D', 6}, {'D', 7}};
static const struct Pin STEPPERS = {'B', 0};
static const struct Pin MAGNET = {'B', 3};
static const struct Pin SERVO = {'C', 3};
enum { INPUTS = 6 };
static const struct Pin INPUT[INPUTS] = {{'B', 1}, {'B', 2}, {'B', 4}, {'C', 0}, {'C', 1}, {'C', 2}};

static avr_t *avr;
static avr_uart_t *uart;
static avr_irq_t *receive_irq;
static FILE *trace;
static bool powered, was_reset;
static int32_t position[AXES];
static bool backwards[AXES];
static bool magnet_on, steppers_on;
static uint64_t magnet_edge, servo_rise, servo_fall;
static uint32_t servo_cycles;
static uint16_t resets;
static uint8_t forced_mask, forced_value, inputs_now;
static uint8_t incoming[INPUT_BYTES], outgoing[OUTPUT_BYTES];
static size_t in_first, in_count, out_count;
static void (*core_reset)(struct avr_t *);

static uint64_t to_ns(uint64_t cycles) { return cycles * 125 / 2; }
static uint64_t to_cycles(uint64_t ns) { return ns / 125 * 2 + ns % 125 * 2 / 125; }

static avr_irq_t *pin_irq(struct Pin pin) {
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(pin.port), IOPORT_IRQ_PIN0 + pin.bit);
}

// --- inputs

static uint8_t wanted_inputs(void) {
    uint8_t active = 0;
    for (int axis = 0; axis < AXES; axis++) {
        if (position[axis] >= 0) active |= 1u << axis;
    }
    return (active & ~forced_mask) | (forced_value & forced_mask);
}

// Raising the pin alone does not do: the next write to the port would put the internal pull-up in its place. And the pull alone
// is not seen before such a write.
static void drive(struct Pin pin, bool active) {
    static uint8_t masks[2], values[2];  // of the ports B and C
    int port = pin.port - 'B';
    uint8_t bit = 1u << pin.bit;
    masks[port] |= bit;
    values[port] = active ? values[port] & ~bit : values[port] | bit;
    avr_ioport_external_t pull = {.name = pin.port, .mask = masks[port], .value = values[port]};
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(pin.port), &pull);
    avr_raise_irq(pin_irq(pin), !active);
}

static void update_inputs(void) {
    uint8_t wanted = wanted_inputs(), changed = wanted ^ inputs_now;
    inputs_now = wanted;
    for (int i = 0; i < INPUTS && changed; i++) {
        if (changed >> i & 1) drive(INPUT[i], wanted >> i & 1);
    }
}

// After a reset the pins know nothing; an interrupt line that keeps its value would be filtered out, hence the inverse first.
static void drive_all_inputs(void) {
    inputs_now = ~wanted_inputs();
    for (int i = 0; i < INPUTS; i++) drive(INPUT[i], inputs_now >> i & 1);
    update_inputs();
}

// --- outputs

static void on_direction(avr_irq_t *irq, uint32_t value, void *axis) {
    (void)irq;
    backwards[(intptr_t)axis] = value;
}

static void on_step(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    if (!value) return;
    int axis = (intptr_t)param;
    int change = backwards[axis] ? -1 : 1;
    // A driver that is not enabled takes no step.
    if (!steppers_on) return;
    position[axis] += change;
    update_inputs();
    if (trace) fprintf(trace, "%llu %d %+d\n", (unsigned long long)avr->cycle, axis, change);
}

static void on_steppers(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    steppers_on = !value;
}

static void set_magnet(bool on) {
    if (on == magnet_on) return;
    magnet_on = on;
    magnet_edge = avr->cycle;
}

static void on_magnet(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    set_magnet(value);
}

static void on_servo(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (value) {
        servo_rise = avr->cycle;
    } else if (servo_rise) {
        servo_fall = avr->cycle;
        servo_cycles = servo_fall - servo_rise;
    }
}

static void on_timer_load(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (trace) fprintf(trace, "T %u\n", (unsigned)(avr->data[OCR1AH] << 8 | (value & 0xFF)));
}

static void on_transmit(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (out_count < OUTPUT_BYTES) outgoing[out_count++] = value;
}

// --- the receiver

static avr_cycle_count_t deliver(avr_t *core, avr_cycle_count_t when, void *param) {
    (void)core, (void)param;
    if (!in_count) return 0;
    uint8_t byte = incoming[in_first];
    in_first = (in_first + 1) % INPUT_BYTES;
    in_count--;
    unsigned waiting = (uart->input.write - uart->input.read) % uart_fifo_fifo_size;
    if (waiting < RECEIVER_BYTES) {
        // libsimavr would hand the byte over a byte time later still, and so fall behind the line by a tenth.
        avr_cycle_count_t pace = uart->cycles_per_byte;
        uart->cycles_per_byte = pace ? 1 : 0;
        avr_raise_irq(receive_irq, byte);
        uart->cycles_per_byte = pace;
    }
    return in_count ? when + CYCLES_PER_BYTE : 0;
}

void board_send(const uint8_t *bytes, size_t count) {
    if (!powered) return;
    bool idle = !in_count;
    for (size_t i = 0; i < count && in_count < INPUT_BYTES; i++) {
        incoming[(in_first + in_count++) % INPUT_BYTES] = bytes[i];
    }
    if (idle && in_count) avr_cycle_timer_register(avr, CYCLES_PER_BYTE, deliver, NULL);
}

// --- start and reset

static void be_silent(avr_t *core, const int level, const char *format, va_list arguments) {
    (void)core;
    // libsimavr speaks on stdout, which carries the answers here.
    if (level <= LOG_ERROR) vfprintf(stderr, format, arguments);
}

static void on_core_reset(avr_t *core) {
    if (core_reset) core_reset(core);
    was_reset = true;
}

static void do_not_sleep(avr_t *core, avr_cycle_count_t cycles) { (void)core, (void)cycles; }

// The pins float after a reset: the resistors on the board switch the magnet and the drivers off.
static void after_reset(void) {
    was_reset = false;
    resets++;
    // The step pins are the interrupt inputs INT0 and INT1 too. libsimavr would look at such a pin in every cycle while it is low, even
    // asleep, and be a hundred times slower.
    for (int i = 0; i < 2; i++) avr_extint_set_strict_lvl_trig(avr, i, 0);
    steppers_on = false;
    set_magnet(false);
    memset(backwards, 0, sizeof backwards);
    servo_rise = servo_fall = servo_cycles = 0;
    drive_all_inputs();
    if (in_count) avr_cycle_timer_register(avr, CYCLES_PER_BYTE, deliver, NULL);
}

static bool load_hex(const char *image) {
    uint32_t size = 0, start = 0;
    uint8_t *code = read_ihex_file(image, &size, &start);
    if (!code || !size || start + size > avr->flashend + 1) return false;
    memcpy(avr->flash + start, code, size);
    free(code);
    avr->codeend = avr->flashend;
    return true;
}

static bool load(const char *image) {
    const char *suffix = strrchr(image, '.');
    if (!suffix || strcmp(suffix, ".elf")) return load_hex(image);
    elf_firmware_t firmware = {0};
    if (elf_read_firmware(image, &firmware)) return false;
    avr_load_firmware(avr, &firmware);
    return true;
}

static void connect(struct Pin pin, avr_irq_notify_t notify, intptr_t param) {
    avr_irq_register_notify(pin_irq(pin), notify, (void *)param);
}

bool board_load(const char *image) {
    avr_global_logger_set(be_silent);
    avr = avr_make_mcu_by_name("atmega328p");
    if (!avr) return false;
    avr_init(avr);
    avr->frequency = CPU_HZ;
    avr->sleep = do_not_sleep;
    if (!load(image)) {
        fprintf(stderr, "the image %s cannot be read\n", image);
        return false;
    }
    core_reset = avr->reset;
    avr->reset = on_core_reset;
    for (avr_io_t *io = avr->io_port; io; io = io->next) {
        if (!strcmp(io->kind, "uart")) uart = (avr_uart_t *)io;
    }
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    receive_irq = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_transmit, NULL);
    for (int axis = 0; axis < AXES; axis++) {
        connect(STEP[axis], on_step, axis);
        connect(DIRECTION[axis], on_direction, axis);
    }
    connect(STEPPERS, on_steppers, 0);
    connect(MAGNET, on_magnet, 0);
    connect(SERVO, on_servo, 0);
    avr_irq_register_notify(avr_iomem_getirq(avr, OCR1AL, "step timer", AVR_IOMEM_IRQ_ALL), on_timer_load, NULL);
    return true;
}

void board_reset(void) {
    in_count = 0;
    avr_reset(avr);
    avr->state = cpu_Running;
    avr->data[MCUSR] = powered ? MCUSR_EXTERNAL : MCUSR_POWER_ON;
    powered = true;
    after_reset();
}

// --- life

static avr_cycle_count_t wake_up(avr_t *core, avr_cycle_count_t when, void *param) {
    (void)core, (void)when, (void)param;
    return 0;
}

bool board_run(uint64_t until_ns) {
    uint64_t until = to_cycles(until_ns);
    if (!powered && avr->cycle < until) avr->cycle = until;
    if (avr->cycle >= until) return true;
    // A sleeping core jumps to its next event, which may lie behind the end.
    avr_cycle_timer_register(avr, until - avr->cycle, wake_up, NULL);
    while (avr->cycle < until) {
        int state = avr_run(avr);
        if (was_reset) {
            after_reset();
            if (avr->cycle < until) avr_cycle_timer_register(avr, until - avr->cycle, wake_up, NULL);
        }
        if (state == cpu_Done || state == cpu_Crashed) return false;
    }
    return true;
}

void board_place(const int32_t where[AXES]) { memcpy(position, where, sizeof position); }

void board_trace(FILE *file) { trace = file; }

void board_force(uint8_t mask, uint8_t value) {
    forced_mask = mask;
    forced_value = value;
    if (powered) update_inputs();
}

void board_slip(const int32_t steps[AXES]) {
    for (int axis = 0; axis < AXES; axis++) position[axis] += steps[axis];
    if (powered) update_inputs();
}

void board_set_eeprom(const uint8_t bytes[EEPROM_BYTES]) {
    avr_eeprom_desc_t all = {.ee = (uint8_t *)bytes, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &all);
}

void board_get_eeprom(uint8_t bytes[EEPROM_BYTES]) {
    avr_eeprom_desc_t all = {.ee = bytes, .offset = 0, .size = EEPROM_BYTES};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &all);
}

struct BoardState board_state(void) {
    bool servo_alive = servo_fall && avr->cycle - servo_fall < SERVO_FORGOTTEN_CYCLES;
    struct BoardState state = {
        .now_ns = to_ns(avr->cycle),
        .outputs = (magnet_on ? OUTPUT_MAGNET : 0) | (steppers_on ? OUTPUT_STEPPERS : 0),
        .servo_us = servo_alive ? servo_cycles / (CPU_HZ / 1000000) : 0,
        .magnet_edge_ns = to_ns(magnet_edge),
        .resets = resets,
    };
    memcpy(state.position, position, sizeof position);
    return state;
}

size_t board_output(const uint8_t **bytes) {
    size_t count = out_count;
    *bytes = outgoing;
    out_count = 0;
    return count;
}
