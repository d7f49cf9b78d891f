/* Goes wrong in one of several ways, as KIND says. */
#include "board.h"

static volatile uint32_t keeper;

__attribute__((noinline)) static uint32_t descend(uint32_t depth) {
  volatile uint32_t room[16];
  room[depth & 15] = depth;
  return descend(depth + 1) + room[depth & 15];
}

__attribute__((noinline)) static void jump_away(void) {
  void (*nowhere)(void) = (void (*)(void))0x00060001;
  nowhere();
  keeper++;
}

__attribute__((noinline)) static void touch_nothing(void) { keeper = REG(0x70000010); }

__attribute__((noinline)) static void spin_masked(void) {
  __asm__ volatile("cpsid i");
  for (;;) keeper++;
}

#if KIND == 3
void HardFault_Handler(void) { keeper = REG(0x70000020); }
#endif

int main(void) {
  console_start();
  bus_start();
  uint8_t id;
  bus_read(0x76, 0xD0, &id, 1);
  print("before\n");
#if KIND == 1
  jump_away();
#elif KIND == 2
  keeper = descend(0);
#elif KIND == 3 || KIND == 5
  touch_nothing();
#elif KIND == 4
  spin_masked();
#elif KIND == 6
  REG(0x40013FF0) = 1;
  print("behind\n");
#elif KIND == 7
  REG(0xE000ED0C) = 0x05FA0004;
  for (;;) {
  }
#elif KIND == 8
  __asm__ volatile("bkpt 1");
#elif KIND == 9
  for (;;) {
  }
#endif
  (void)descend, (void)jump_away, (void)touch_nothing, (void)spin_masked;
  return 0;
}
