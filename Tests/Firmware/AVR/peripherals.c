/* Uses the peripherals of an ATmega328P one after the other, and prints a line about each on the USART. */

#include <avr/boot.h>
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdio.h>

static int put(char c, FILE *stream) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = (unsigned char)c;
  return 0;
}

static FILE out = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);
static uint8_t cause __attribute__((section(".noinit")));
static volatile uint16_t counts[8];

__attribute__((naked, used, section(".init3"))) static void early(void) {
  __asm__ volatile("in r24, 0x34\n sts cause, r24" ::: "r24");
  MCUSR = 0;
  wdt_disable();
}

ISR(TIMER0_OVF_vect) { counts[0]++; }
ISR(TIMER1_COMPA_vect) { counts[1]++; }
ISR(TIMER1_OVF_vect) { counts[5]++; }
ISR(TIMER2_COMPA_vect) { counts[2]++; }
ISR(WDT_vect) { counts[3]++; }
ISR(EE_READY_vect) {
  counts[4]++;
  EECR &= (uint8_t)~(1 << EERIE);
}
ISR(ADC_vect) { counts[6]++; }
ISR(PCINT0_vect) { counts[7]++; }

static uint16_t now(void) { return TCNT1; }

static void timers(void) {
  /* Timer 1 measures time, one tick per cycle. */
  TCCR1B = 1;
  TCCR0A = 3, TCCR0B = 1, TIMSK0 = 1;
  TCCR2A = 2, OCR2A = 99, TCCR2B = 2, TIMSK2 = 2;
  TCNT1 = 0;
  TIFR0 = 7, TIFR2 = 7;
  sei();
  while (now() < 51200) {
  }
  cli();
  printf("timer0 overflows %u, timer2 matches %u\n", counts[0], counts[2]);
  TIMSK0 = TIMSK2 = 0, TCCR0B = TCCR2B = 0;
  TCCR1B = 0;
  /* Up and down between 0 and 1000: a match at the top every 2000 ticks. OCR1A is written first, as PWM modes buffer it. */
  OCR1A = 1000, TCCR1A = 3, TCNT1 = 0, TIFR1 = 0x27, TIMSK1 = 3;
  TCCR2A = 0, TCNT2 = 0, TIFR2 = 7;
  TCCR1B = 0x11, TCCR2B = 6;
  sei();
  while (!(TIFR2 & 1)) {
  }
  cli();
  TCCR1B = TCCR2B = 0, TIMSK1 = 0;
  printf("timer1 up and down: tops %u, bottoms %u\n", counts[1], counts[5]);
}

static void eeprom(void) {
  TCCR1A = 0, TCCR1B = 3, TCNT1 = 0;
  eeprom_write_byte((uint8_t *)17, 0x5A);
  uint16_t begun = now();
  eeprom_busy_wait();
  uint16_t ended = now();
  printf("eeprom %02x, begun %u, took %u\n", eeprom_read_byte((uint8_t *)17), begun < 10, ended / 10);
  EECR |= 1 << EERIE;
  sei();
  __asm__ volatile("nop\n nop");
  cli();
  printf("eeprom interrupts %u\n", counts[4]);
}

static void analog(void) {
  ADMUX = 0x40 | 2, ADCSRA = 0x87;
  TCCR1B = 1, TCNT1 = 0;
  ADCSRA |= 1 << ADSC;
  loop_until_bit_is_clear(ADCSRA, ADSC);
  uint16_t first = now(), value = ADC;
  TCNT1 = 0;
  ADCSRA |= 1 << ADSC;
  loop_until_bit_is_clear(ADCSRA, ADSC);
  printf("adc %u, first %u, next %u\n", value, first / 128, now() / 128);
  ADMUX = 0x40 | 14;
  ADCSRA |= 1 << ADIF | 1 << ADIE;
  set_sleep_mode(SLEEP_MODE_ADC);
  sei();
  sleep_mode();
  cli();
  printf("adc asleep %u, interrupts %u\n", ADC, counts[6]);
  ADCSRA = 0;
}

static void sleeps(void) {
  WDTCSR = 1 << WDCE | 1 << WDE;
  WDTCSR = 1 << WDIE | 1; /* 32 ms */
  TCCR1B = 3, TCNT1 = 0;
  set_sleep_mode(SLEEP_MODE_PWR_DOWN);
  sei();
  sleep_mode();
  cli();
  printf("power-down: watchdog %u, timer1 stood %u\n", counts[3], TCNT1 < 50);
  wdt_reset();
  TCNT1 = 0;
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
  sleep_mode();
  cli();
  printf("idle: watchdog %u, timer1 %u\n", counts[3], TCNT1 / 80);
  wdt_disable();
}

static void pins(void) {
  DDRB = 1 << 5, PORTB = 1 << 0;
  PCMSK0 = 1 << 5, PCICR = 1;
  PINB = 1 << 5;
  sei();
  __asm__ volatile("nop");
  cli();
  printf("pins %02x, changes %u\n", PINB, counts[7]);
  PINB = 1 << 5;
}

static void identity(void) {
  printf("signature %02x%02x%02x", boot_signature_byte_get(0), boot_signature_byte_get(2), boot_signature_byte_get(4));
  printf(", fuses %02x %02x %02x\n", boot_lock_fuse_bits_get(GET_LOW_FUSE_BITS),
         boot_lock_fuse_bits_get(GET_HIGH_FUSE_BITS), boot_lock_fuse_bits_get(GET_EXTENDED_FUSE_BITS));
}

int main(void) {
  stdout = &out;
  UBRR0 = 16, UCSR0A = 1 << U2X0, UCSR0B = 1 << TXEN0;
  printf("reset %02x\n", cause);
  if (cause & 1 << WDRF) {
    printf("done\n");
    loop_until_bit_is_set(UCSR0A, TXC0);
    __asm__ volatile("break");
  }
  identity();
  timers();
  eeprom();
  analog();
  sleeps();
  pins();
  UCSR0A |= 1 << TXC0;
  wdt_enable(WDTO_15MS);
  for (;;) {
  }
}
