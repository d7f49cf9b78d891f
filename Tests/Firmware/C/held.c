/* Reads the temperature of an SHT21 every second; the sensor stretches the clock until it has measured. */
#include "board.h"

int main(void) {
  console_start();
  bus_start();
  /* Its start-up takes at most 15 ms. */
  rest(20);
  for (;;) {
    uint8_t bytes[3];
    if (bus_read(0x40, 0xE3, bytes, sizeof bytes)) {
      print("error: the sensor does not answer\n");
    } else {
      const uint32_t raw = (uint32_t)bytes[0] << 8 | (bytes[1] & 0xFC);
      print("temperature ");
      print_number((int32_t)(17572 * raw >> 16) - 4685, 2);
      print(" C\n");
    }
    rest(1000);
  }
}
