#include "board.h"

void print(const char *text) {
  while (*text) {
    if (*text == '\n') console_put('\r');
    console_put(*text++);
  }
}

/* Prints a decimal number with a number of fractional digits. */
void print_number(int32_t value, unsigned decimals) {
  char digits[16];
  unsigned count = 0;
  uint32_t rest = value < 0 ? -(uint32_t)value : (uint32_t)value;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest || count <= decimals);
  if (value < 0) console_put('-');
  while (count) {
    if (count == decimals) console_put('.');
    console_put(digits[--count]);
  }
}
