/* Sleeps with interrupts off on an ATmega328P in the sleep mode MODE; WATCHED is the value of WDTCSR. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

int main(void) {
#ifdef WATCHED
  WDTCSR = 1 << WDCE | 1 << WDE;
  WDTCSR = WATCHED;
#endif
  set_sleep_mode(MODE);
  sleep_enable();
#ifdef WAKES
  /* The correct way: a timer interrupt ends the sleep. */
  TCCR0B = 5, TIMSK0 = 1;
  sei();
#else
  cli();
#endif
  for (;;) sleep_cpu();
}

ISR(TIMER0_OVF_vect) { GPIOR0 = GPIOR0 + 1; }
