/* Sleeps with a peripheral that keeps a clock running: TIMER1 at 16 MHz (KIND 0), TIMER1 while the crystal runs (1), RTC1 (2),
 * or no peripheral (3). */
#include "board.h"

int main(void) {
  if (KIND == 1) {
    REG(0x40000000) = 1;
    while (!REG(0x40000100)) {
    }
  }
  if (KIND < 2) REG(0x40009000) = 1;
  if (KIND == 2) {
    REG(0x40000008) = 1;
    REG(0x40011000) = 1;
  }
  for (;;) __asm__ volatile("wfi");
}
