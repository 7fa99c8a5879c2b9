// The ATmega328P at 16 MHz on an Arduino Uno or Nano.
#ifdef __AVR__

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "board_pins.h"
#include "hal.h"

static_assert(F_CPU == hal::kCpuHz, "intervals and baud rate are for 16 MHz");

namespace hal {

namespace {

constexpr uint8_t kLimits = pins::kLimitX | pins::kLimitY | pins::kLimitZ;
constexpr uint8_t kTickCount = 250;      // 16 MHz / 64 / 250 = 1 kHz
constexpr uint16_t kLongestTick = 65535;
constexpr uint8_t kServoTickUs = 8;      // 16 MHz / 128
constexpr uint16_t kBaudDivisor = 16;    // double speed: 16 MHz / 8 / 17 = 117647 baud, 2.1 % above 115200, as the boot loader has it
constexpr uint8_t kCyclesPerUs = 16;

volatile bool woken;   // a byte came since the last wait
uint8_t reset_flags;
uint16_t raised_at;    // step timer when the pulses began

}  // namespace

void init() {
    cli();
    reset_flags = MCUSR;
    // After a watchdog reset the watchdog is still on, at its shortest time, as long as its flag is set.
    MCUSR = 0;
    wdt_reset();
    wdt_enable(WDTO_500MS);
    // No external interrupt is used, but in libsimavr a step pin that is low (D2, D3) asks for one at every cycle as long as they are
    // by level, and simulation takes five times as long.
    EICRA = 1 << ISC01 | 1 << ISC11;
    PORTB = kLimits | pins::kSteppersOff;
    DDRB = pins::kSteppersOff | pins::kMagnet;
    PORTC = pins::kControls;
    DDRC = pins::kServo;
    PORTD = 0;
    DDRD = pins::kAxes << pins::kStepShift | pins::kAxes << pins::kDirectionShift;
    // Clock and comparators before the mode: a top of 0 never matches in the simulators.
    TCCR0B = 1 << CS01 | 1 << CS00;
    OCR0A = kTickCount - 1;
    TCCR0A = 1 << WGM01;  // 1 kHz
    TIMSK0 = 1 << OCIE0A;
    TCCR1B = 1 << CS10;
    OCR1A = kLongestTick;
    TCCR1A = 0;
    TCCR1B = 1 << WGM12 | 1 << CS10;  // steps, when its interrupt is on
    TIMSK1 = 0;
    TCCR2B = 1 << CS22 | 1 << CS20;  // servo pulse
    TCCR2A = 0;
    TIMSK2 = 0;
    UBRR0 = kBaudDivisor;
    UCSR0A = 1 << U2X0;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
}

ResetCause reset_cause() {
    if (reset_flags & 1 << WDRF) return ResetCause::Watchdog;
    if (reset_flags & 1 << PORF) return ResetCause::Power;
    if (reset_flags & 1 << BORF) return ResetCause::Brownout;
    return ResetCause::External;
}

void wait() {
    cli();
    if (!woken) {
        sleep_enable();
        // The instruction behind sei is done before any interrupt: none slips in between.
        sei();
        sleep_cpu();
        sleep_disable();
    }
    woken = false;
    sei();
}

void feed_watchdog() {
    wdt_reset();
}

void set_directions(uint8_t mask) {
    constexpr uint8_t kMask = pins::kAxes << pins::kDirectionShift;
    PORTD = static_cast<uint8_t>((PORTD & ~kMask) | mask << pins::kDirectionShift);
}

static void set_steps(uint8_t levels) {
    constexpr uint8_t kMask = pins::kAxes << pins::kStepShift;
    PORTD = static_cast<uint8_t>((PORTD & ~kMask) | levels << pins::kStepShift);
}

void raise_steps(uint8_t mask, uint8_t idle) {
    set_steps(mask ^ idle);
    raised_at = TCNT1;
}

void drop_steps(uint8_t idle, uint8_t pulse_us) {
    const uint16_t width = static_cast<uint16_t>(pulse_us * kCyclesPerUs);
    // The timer is at 0 again if this took longer than an interval: the difference is large then.
    while (static_cast<uint16_t>(TCNT1 - raised_at) < width && (TIMSK1 & 1 << OCIE1A)) {
    }
    set_steps(idle);
}

void set_enable_pin(bool high) {
    if (high) {
        PORTB |= pins::kSteppersOff;
    } else {
        PORTB &= static_cast<uint8_t>(~pins::kSteppersOff);
    }
}

void load_step_timer(uint16_t cycles_less_one) {
    OCR1A = cycles_less_one;
    // An interrupt before this one may have let the counter pass: it would run round for 4 ms.
    if (TCNT1 >= cycles_less_one) TCNT1 = cycles_less_one - 8;
}

void start_step_timer(uint16_t cycles_less_one) {
    TCNT1 = 0;
    OCR1A = cycles_less_one;
    TIFR1 = 1 << OCF1A;
    TIMSK1 = 1 << OCIE1A;
}

void stop_step_timer() {
    TIMSK1 = 0;
    OCR1A = kLongestTick;
}

void set_magnet(bool on) {
    if (on) {
        PORTB |= pins::kMagnet;
    } else {
        PORTB &= static_cast<uint8_t>(~pins::kMagnet);
    }
}

void pulse_servo(uint16_t microseconds) {
    PORTC |= pins::kServo;
    OCR2A = static_cast<uint8_t>(TCNT2 + microseconds / kServoTickUs);
    TIFR2 = 1 << OCF2A;
    TIMSK2 = 1 << OCIE2A;
}

uint8_t limit_levels() {
    const uint8_t port = PINB;
    return static_cast<uint8_t>((port & pins::kLimitX ? kX : 0) | (port & pins::kLimitY ? kY : 0) |
                                (port & pins::kLimitZ ? kZ : 0));
}

uint8_t control_levels() {
    return PINC & pins::kControls;
}

void begin_sending() {
    UCSR0B |= 1 << UDRIE0;
}

uint8_t read_eeprom(uint16_t address) {
    return eeprom_read_byte(reinterpret_cast<const uint8_t*>(address));
}

void write_eeprom(uint16_t address, uint8_t value) {
    wdt_reset();
    eeprom_update_byte(reinterpret_cast<uint8_t*>(address), value);
    eeprom_busy_wait();
}

}  // namespace hal

ISR(TIMER1_COMPA_vect) {
    interrupts::step_timer();
}

ISR(TIMER0_COMPA_vect) {
    interrupts::millisecond();
}

ISR(TIMER2_COMPA_vect) {
    PORTC &= static_cast<uint8_t>(~pins::kServo);
    TIMSK2 = 0;
}

ISR(USART_RX_vect) {
    hal::woken = true;
    interrupts::byte_received(UDR0);
}

ISR(USART_UDRE_vect) {
    const int16_t byte = interrupts::next_byte_to_send();
    if (byte < 0) {
        UCSR0B &= static_cast<uint8_t>(~(1 << UDRIE0));
    } else {
        UDR0 = static_cast<uint8_t>(byte);
    }
}

#endif
