/* Reads an LM75 every second and prints its temperature. */
#include "board.h"

int main(void) {
  console_start();
  bus_start();
#ifndef EARLY
  /* The first conversion; without this wait, the planted defect is a value of before. */
  rest(310);
#endif
  for (;;) {
    uint8_t bytes[2];
    if (bus_read(0x48, 0, bytes, 2)) {
      print("error: the sensor does not answer\n");
    } else {
#ifdef UNSIGNED
      /* A planted defect: the sign is lost. */
      int32_t eighths = (bytes[0] << 8 | bytes[1]) >> 5;
#else
      int32_t eighths = (int16_t)(bytes[0] << 8 | bytes[1]) >> 5;
#endif
      print("temperature ");
      print_number(eighths * 125, 3);
      print(" C\n");
    }
    rest(1000);
  }
}
