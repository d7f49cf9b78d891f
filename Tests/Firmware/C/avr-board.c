/* The board of an ATmega328P at 16 MHz: USART0; its bus is in pins.c. */
#include <avr/io.h>
#include <util/delay.h>

#include "board.h"

void console_start(void) {
  UBRR0 = F_CPU / 16 / 115200;
  UCSR0B = 1 << TXEN0;
}

void console_put(char c) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = (uint8_t)c;
}

void rest(uint32_t milliseconds) {
  while (milliseconds--) _delay_ms(1);
}
