/* Waits with interrupts off, as after a reset of an ATmega328P: for a time, for a byte, or forever, selected by KIND. */
#include <avr/io.h>
#include <util/delay.h>

int main(void) {
  UCSR0B = 1 << RXEN0 | 1 << TXEN0;
  for (;;) {
#if KIND == 0
    _delay_ms(5000);
#elif KIND == 1
    while (!(UCSR0A & 1 << RXC0)) {}
#else
    for (;;) {}
#endif
    UDR0 = 'x';
  }
}
