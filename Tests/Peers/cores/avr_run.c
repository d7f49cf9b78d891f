/* Runs an image on simavr's ATmega328P at 16 MHz, for the tests of our own: a program of its own, since simavr is GPL-3.0.
 *
 *   avr_run IMAGE CYCLES
 *
 * IMAGE holds the flash as bytes. What the USART sends goes to standard output, each byte as "CYCLE BYTE" in decimal; the run
 * ends after CYCLES, or when the core stops or sleeps for good. */

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static avr_t *avr;

static void sent(struct avr_irq_t *irq, uint32_t value, void *param) {
  printf("%llu %u\n", (unsigned long long)avr->cycle, (unsigned)(value & 0xFF));
}

static void silent(avr_t *core, const int level, const char *format, va_list arguments) {}

/* Time passes in the simulation alone. */
static void skip(avr_t *core, avr_cycle_count_t cycles) {}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  static uint8_t flash[0x8000];
  FILE *in = fopen(argv[1], "rb");
  if (!in) return 66;
  size_t size = fread(flash, 1, sizeof flash, in);
  fclose(in);
  avr_global_logger_set(silent);
  avr = avr_make_mcu_by_name("atmega328p");
  if (!avr || avr_init(avr)) return 70;
  avr->frequency = 16000000;
  avr->sleep = skip;
  avr_loadcode(avr, flash, (uint32_t)size, 0);
  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
  flags &= ~(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), sent, NULL);
  uint64_t end = strtoull(argv[2], NULL, 10);
  while (avr->cycle < end) {
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) break;
  }
  return fflush(stdout) ? 74 : 0;
}
