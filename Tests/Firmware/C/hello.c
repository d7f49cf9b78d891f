/* Says hello and ends with status 7, or with DIES dies of an address where nothing is. */
#include "board.h"

int main(void) {
  console_start();
  print("hello from firmware\n");
#ifdef DIES
  REG(0x70000010) = 1;
#endif
  return 7;
}
