/* A front panel: a button with a pull-up, a light, and a prompt at the console that echoes lines. The button is P0.13
 * (STM32F411: PC13) and the light P0.17 (PA5); a press lights it, and counts as one whatever the bounces within 20 ms. */
#include "board.h"

#ifdef STM32F411
enum { CONSOLE = 0x40004400 };
static char ring[64];
static unsigned head, tail;
static void panel_start(void) {
  REG(0x40023830) |= 1 << 2;                                     /* GPIOC */
  REG(0x4002080C) = (REG(0x4002080C) & ~(3u << 26)) | 1u << 26;  /* PC13: pull-up */
  REG(0x40020000) = (REG(0x40020000) & ~(3u << 10)) | 1u << 10;  /* PA5: output */
  REG(0x40020020) = (REG(0x40020020) & ~0xF000u) | 0x7000;       /* PA3: USART2_RX */
  REG(0x40020000) = (REG(0x40020000) & ~0xC0u) | 0x80;
}
static int is_pressed(void) { return !(REG(0x40020810) & 1 << 13); }
static void light(int on) { REG(0x40020018) = on ? 1 << 5 : 1u << 21; }
static int has_byte(void) { return head != tail; }
static char get(void) { return ring[tail++ % sizeof ring]; }
/* Waits about 1 ms, and receives bytes meanwhile. */
static void idle(void) {
  for (unsigned i = 0; i < 6000; i++) {
    if (REG(CONSOLE) & 1 << 5) ring[head++ % sizeof ring] = (char)REG(CONSOLE + 4);
  }
}
#else
static volatile uint8_t received;
static void listen(void) {
  REG(0x40002110) = 0;                    /* EVENTS_ENDRX */
  REG(0x40002534) = (uint32_t)&received;  /* RXD.PTR */
  REG(0x40002538) = 1;
  REG(0x40002000) = 1; /* STARTRX */
}
static void panel_start(void) {
  REG(0x50000734) = 3 << 2; /* PIN_CNF[13]: input, pull-up */
  REG(0x50000744) = 1;      /* PIN_CNF[17]: output */
  REG(0x40002514) = 8;      /* PSEL.RXD */
  listen();
}
static int is_pressed(void) { return !(REG(0x50000510) & 1 << 13); }
static void light(int on) { REG(on ? 0x50000508 : 0x5000050C) = 1 << 17; }
static int has_byte(void) { return REG(0x40002110) != 0; }
static char get(void) {
  char c = (char)received;
  listen();
  return c;
}
static void idle(void) { rest(1); }
#endif

int main(void) {
  char line[40];
  unsigned count = 0, presses = 0, quiet = 0;
  int pressed = 0;
  console_start();
  panel_start();
  print("ready\n");
  for (;;) {
    while (has_byte()) {
      char c = get();
      if (c == '\n') {
        line[count] = 0;
        print("got ");
        print(line);
        print("\n");
        count = 0;
      } else if (count < sizeof line - 1) {
        line[count++] = c;
      }
    }
    int now = is_pressed();
    if (now != pressed && quiet == 0) {
      pressed = now;
      quiet = 20;
      light(now);
      if (now) {
        print("press ");
        print_number((int32_t)++presses, 0);
        print("\n");
      }
    }
    if (quiet) quiet--;
    idle();
  }
}
