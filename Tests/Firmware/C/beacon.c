/* Sends a beacon on the three advertising channels, as a program without a Bluetooth stack does. */
#include "board.h"

static const uint8_t packet[] = {0x42, 9, 0xC0, 0xFF, 0xEE, 0x11, 0x22, 0x33, 2, 1, 6};
static uint8_t buffer[sizeof packet];

int main(void) {
  for (unsigned i = 0; i < sizeof packet; i++) buffer[i] = packet[i];
  REG(0x40001504) = (uint32_t)buffer;            /* PACKETPTR */
  REG(0x40001510) = 3;                           /* MODE: Ble_1Mbit */
  REG(0x40001514) = 8 | 1 << 8;                  /* PCNF0: a length of 8 bits, S0 */
  REG(0x40001518) = 37 | 3 << 16 | 1 << 25;      /* PCNF1 */
  REG(0x4000151C) = 0x89BED600;                  /* BASE0 */
  REG(0x40001524) = 0x8E;                        /* PREFIX0 */
  REG(0x40001534) = 3 | 1 << 8;                  /* CRCCNF: three bytes, without the address */
  REG(0x40001538) = 0x65B;                       /* CRCPOLY */
  REG(0x4000153C) = 0x555555;                    /* CRCINIT */
  REG(0x40001200) = 3;                           /* SHORTS: READY_START, END_DISABLE */
  static const uint8_t frequencies[] = {2, 26, 80};
  for (unsigned turn = 0; turn < 2; turn++) {
    for (unsigned i = 0; i < 3; i++) {
      REG(0x40001508) = frequencies[i] + ODD;    /* FREQUENCY */
      REG(0x40001554) = 37 + i;                  /* DATAWHITEIV */
      REG(0x40001000) = 1;                       /* TASKS_TXEN */
      while (!REG(0x40001110)) {
      }
      REG(0x40001110) = 0;
    }
    rest(100);
  }
  return 0;
}
