/* Says hello and ends with status 7. */
#include "board.h"

int main(void) {
  console_start();
  print("hello from firmware\n");
  return 7;
}
