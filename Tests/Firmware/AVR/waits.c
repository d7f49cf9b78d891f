// Polls as programs for an ATmega328P do: a variable that an interrupt handler counts, as Arduino's millis(), the count
// itself, as its delay(), a timer's flag, the ADC, the EEPROM, the TWI; and sleeps.
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

static volatile uint32_t overflows;

ISR(TIMER0_OVF_vect) { overflows++; }

static void put(char c) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = c;
}

static void report(const char *what, uint16_t value) {
  while (*what) put(*what++);
  put(' ');
  char digits[5];
  uint8_t count = 0;
  do digits[count++] = '0' + value % 10;
  while (value /= 10);
  while (count) put(digits[--count]);
  put('\n');
}

static uint32_t passed(void) {
  uint8_t before = SREG;
  cli();
  uint32_t value = overflows;
  SREG = before;
  return value;
}

static uint32_t ticks(void) {
  uint8_t before = SREG;
  cli();
  uint32_t value = overflows;
  uint8_t count = TCNT0;
  if (TIFR0 & 1 << TOV0 && count < 255) value++;
  SREG = before;
  return value << 8 | count;
}

int main(void) {
  UBRR0 = 8;
  UCSR0B = 1 << TXEN0;
  TCCR1B = 5; // prescaler 1024, to measure time
  TCCR0A = 3;
  TCCR0B = 3;
  TIMSK0 = 1;
  sei();
  uint32_t start = passed();
  while (passed() - start < 100) {
  }
  report("overflows", TCNT1);
  start = ticks();
  while (ticks() - start < 5000) {
  }
  report("ticks", TCNT1);
  TCCR2B = 7;
  while (!(TIFR2 & 1 << TOV2)) {
  }
  report("flag", TCNT1);
  while (TCNT2 < 200) {
  }
  report("count", TCNT1);
  ADCSRA = 1 << ADEN | 1 << ADSC | 7;
  while (ADCSRA & 1 << ADSC) {
  }
  report("converted", ADC);
  for (uint8_t i = 0; i < 3; i++) eeprom_write_byte((uint8_t *)(uint16_t)i, i + 7);
  eeprom_busy_wait();
  report("eeprom", eeprom_read_byte((uint8_t *)2));
  TWBR = 72;
  TWCR = 1 << TWINT | 1 << TWSTA | 1 << TWEN;
  while (!(TWCR & 1 << TWINT)) {
  }
  TWDR = 0xEC;
  TWCR = 1 << TWINT | 1 << TWEN;
  while (!(TWCR & 1 << TWINT)) {
  }
  report("status", TWSR);
  TWCR = 1 << TWINT | 1 << TWSTO | 1 << TWEN;
  while (TWCR & 1 << TWSTO) {
  }
  sleep_enable();
  start = passed();
  while (passed() - start < 20) sleep_cpu();
  report("asleep", TCNT1);
  for (;;) {
  }
}
