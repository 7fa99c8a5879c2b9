// A program that tries every part of the simulated board: not the firmware, so that a mistake of either shows.
// Commands of one letter: r reset cause and boot counter, l limits, s 1000 steps of x, b 500 back, m/o magnet on/off, h hang, e echo next,
// w close its ears for a millisecond, n how many bytes came.
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/delay.h>

static volatile uint8_t ring[32], first, last;
static volatile uint16_t steps_left;

ISR(USART_RX_vect) { ring[last++ % 32] = UDR0; }

ISR(TIMER1_COMPA_vect) {
    PORTD |= 1 << 2;
    if (--steps_left == 0) TIMSK1 = 0;
    PORTD &= ~(1 << 2);
}

static void say(uint8_t byte) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = byte;
}

static uint8_t next_byte(void) {
    for (;;) {
        wdt_reset();
        cli();
        if (first != last) {
            uint8_t byte = ring[first++ % 32];
            sei();
            return byte;
        }
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
}

static void step(uint16_t count, uint16_t interval) {
    steps_left = count;
    TCNT1 = 0;
    OCR1A = interval;
    TIMSK1 = 1 << OCIE1A;
    while (TIMSK1) wdt_reset();
}

int main(void) {
    uint8_t cause = MCUSR;
    MCUSR = 0;
    wdt_enable(WDTO_250MS);
    uint8_t boots = eeprom_read_byte(0) + 1;
    eeprom_write_byte(0, boots);
    DDRB = 1 << 0 | 1 << 3;
    DDRD = 0xFC;
    PORTB = 1 << 1 | 1 << 2 | 1 << 4;
    UBRR0 = 16;
    UCSR0A = 1 << U2X0;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    // The watchdog of the simulator does not wake a sleeping program: a slow timer does, as in any program that keeps time.
    TCCR0B = 5;
    TIMSK0 = 1 << TOIE0;
    sei();
    say('!');
    for (;;) {
        switch (next_byte()) {
            case 'r': say('0' + cause); say(boots); break;
            case 'l': say('0' + (PINB >> 1 & 3) + (PINB >> 2 & 4)); break;
            case 's': step(1000, 639); say('.'); break;
            case 'b': PORTD |= 1 << 5; step(500, 639); PORTD &= ~(1 << 5); say('.'); break;
            case 'm': PORTB |= 1 << 3; break;
            case 'o': PORTB &= ~(1 << 3); break;
            case 'h': for (;;) {}
            case 'w': cli(); _delay_ms(1); sei(); break;
            case 'n': say('0' + last); break;
            case 'e': say(next_byte()); break;
        }
    }
}

EMPTY_INTERRUPT(TIMER0_OVF_vect)
