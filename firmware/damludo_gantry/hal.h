// The border to the hardware: everything the core knows of pins, timers, port and memory.
// hal_avr.cpp is the ATmega328P; native/ holds the one for the PC, on virtual time.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#define TEXT(literal) PSTR(literal)
#else
#define PROGMEM
#define TEXT(literal) (literal)
inline uint8_t pgm_read_byte(const void* at) {
    return *static_cast<const uint8_t*>(at);
}
inline uint32_t pgm_read_dword(const void* at) {
    return *static_cast<const uint32_t*>(at);
}
#endif

// Left to itself the compiler copies a function so marked into every place that calls it.
#define ONCE __attribute__((noinline))

constexpr uint8_t kAxisCount = 3;
constexpr uint8_t kX = 1 << 0;
constexpr uint8_t kY = 1 << 1;
constexpr uint8_t kZ = 1 << 2;
constexpr uint8_t kAllAxes = kX | kY | kZ;

namespace hal {

constexpr uint32_t kCpuHz = 16000000;
constexpr uint8_t kEstop = 1 << 0;  // bits of controls()
constexpr uint8_t kHold = 1 << 1;
constexpr uint8_t kResume = 1 << 2;

enum class ResetCause : uint8_t { Power, External, Brownout, Watchdog };

// Outputs safe, timers and port running, interrupts on. Called once after each reset.
void init();
ResetCause reset_cause();
// Return after the next interrupt, or at once if there was one since the last call. The watchdog is fed by feed_watchdog() alone.
void wait();
void feed_watchdog();

// Steppers. Masks are of axes; a set bit in a direction mask means -. Inversions are the caller's.
void set_directions(uint8_t mask);
void raise_steps(uint8_t mask, uint8_t idle);  // pins = mask ^ idle
void drop_steps(uint8_t idle, uint8_t pulse_us);  // not before pulse_us after raise_steps
void set_enable_pin(bool high);
// The step timer calls interrupts::step_timer() once in `cycles` (200..65536).
void start_step_timer(uint16_t cycles_less_one);
void load_step_timer(uint16_t cycles_less_one);
void stop_step_timer();

void set_magnet(bool on);
// Give the servo one pulse now.
void pulse_servo(uint16_t microseconds);
uint8_t limit_levels();    // bit of an axis: the pin is high
uint8_t control_levels();  // kEstop, kHold, kResume: the pin is high

void begin_sending();  // interrupts::next_byte_to_send() is called from now on until it returns -1

uint8_t read_eeprom(uint16_t address);
// Write if it differs; returns when it is done (3.4 ms), interrupts go on meanwhile.
void write_eeprom(uint16_t address, uint8_t value);

// While one lives, no interrupt comes.
#ifdef __AVR__
class Locked {
public:
    Locked() : flags_(SREG) { cli(); }
    ~Locked() { SREG = flags_; }

private:
    uint8_t flags_;
};
#else
class Locked {
public:
    Locked() {}
    ~Locked() {}
};
#endif

}  // namespace hal

// What the hardware calls.
namespace interrupts {

void step_timer();
void millisecond();
void byte_received(uint8_t byte);
int16_t next_byte_to_send();  // -1: none

}  // namespace interrupts
