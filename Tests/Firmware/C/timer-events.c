/* Polls a counter of an nRF52832 by writing to it, with interrupts masked, until its compare event is due: the event
 * must be set after the loop. KIND 0: TIMER1 by TASKS_CAPTURE; 1: with its interrupt enabled; 2: RTC0, whose other
 * compare value is changed meanwhile; 3: TIMER1, whose other event is cleared meanwhile. */
#include "board.h"

#define TIMER 0x40009000
#define RTC 0x4000B000

static uint32_t now(void) {
  REG(TIMER + 0x4C) = 1;
  return REG(TIMER + 0x54C);
}

int main(void) {
  unsigned lost = 0;
  console_start();
  __asm__ volatile("cpsid i");
  REG(TIMER + 0x508) = 3;
  REG(TIMER + 0x510) = 4;
  REG(TIMER) = 1;
  if (KIND == 1) REG(TIMER + 0x304) = 1 << 16;
  if (KIND == 2) {
    REG(0x40000008) = 1;
    while (!REG(0x40000104)) {}
    REG(RTC + 0x344) = 1 << 16;
    REG(RTC) = 1;
  }
  for (unsigned turn = 0; turn < 100; turn++) {
    if (KIND == 2) {
      uint32_t start = REG(RTC + 0x504);
      REG(RTC + 0x140) = 0;
      REG(RTC + 0x540) = start + 4 + turn % 7;
      for (uint32_t i = 0; REG(RTC + 0x504) - start < 20; i++) REG(RTC + 0x544) = i;
      lost += !REG(RTC + 0x140);
      continue;
    }
    uint32_t start = now();
    REG(TIMER + 0x140) = 0;
    REG(TIMER + 0x540) = start + 50 + turn;
    /* A different phase in each iteration, so that the event occurs at each instruction of the loop. */
    for (volatile unsigned i = 0; i < turn % 13; i++) {}
    while (now() - start < 200) {
      if (KIND == 3) REG(TIMER + 0x144) = 0;
    }
    lost += !REG(TIMER + 0x140);
  }
  print("lost ");
  print_number((int32_t)lost, 0);
  print("\n");
  return 0;
}
