/* Counts its starts in the flash page at 0x40000, one word each; with FOREVER it counts without end. */
#include "board.h"

#define PAGE 0x00040000u

static void wait_ready(void) {
  while (!REG(0x4001E400)) {
  }
}

static void erase(void) {
  REG(0x4001E504) = 2;
  wait_ready();
  REG(0x4001E508) = PAGE;
  wait_ready();
}

int main(void) {
  console_start();
  uint32_t count = 0;
  do {
    count = 0;
    while (count < 1024 && REG(PAGE + 4 * count) != 0xFFFFFFFF) count++;
    if (count == 1024) {
      erase();
      count = 0;
    }
    REG(0x4001E504) = 1;
    wait_ready();
    REG(PAGE + 4 * count) = 0xA5A50000 | count;
    wait_ready();
    REG(0x4001E504) = 0;
#ifdef FOREVER
  } while (1);
#else
  } while (0);
#endif
  print("boots ");
  print_number((int32_t)count + 1, 0);
  print("\n");
  return 0;
}
