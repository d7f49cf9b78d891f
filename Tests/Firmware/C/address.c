/* Writes a byte to each address from FIRST down to LAST. */
#include "board.h"

int main(void) {
  const uint8_t reg = 0xD0;
  console_start();
  bus_start();
  for (int address = FIRST; address >= LAST; address--) bus_write((uint8_t)address, &reg, 1);
  return 0;
}
