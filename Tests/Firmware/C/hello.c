/* Prints hello and exits with status 7, or with DIES accesses an unmapped address. */
#include "board.h"

int main(void) {
  console_start();
  print("hello from firmware\n");
#ifdef DIES
  REG(0x70000010) = 1;
#endif
  return 7;
}
