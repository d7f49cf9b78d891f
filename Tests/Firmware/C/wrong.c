/* Fails in one of several ways, selected by KIND. */
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

#if KIND == 18
__attribute__((noinline)) static void touch_flash(void) { REG(0x40000) = 1; }
#endif

__attribute__((noinline)) static void spin_masked(void) {
  __asm__ volatile("cpsid i");
  for (;;) keeper++;
}

#if KIND == 19 || KIND == 20
/* Sleeps forever with interrupts off, after an interrupt of TIMER0 that WAKES enables. */
__attribute__((noinline)) static void sleep_masked(void) {
#ifdef WAKES
  REG(0x40008540) = 1000, REG(0x40008200) = 1, REG(0x40008304) = 1 << 16;
  REG(0xE000E100) = 1 << 8;
  REG(0x40008000) = 1;
#endif
#ifdef WATCHED
  REG(0x40010504) = 327, REG(0x40010000) = 1;
#endif
#if KIND == 20
  /* Without SEVONPEND, by which any interrupt wakes WFE, enabled or not. */
  REG(0xE000ED10) = 0;
#endif
  __asm__ volatile("cpsid i");
  for (;;) {
#if KIND == 20
    __asm__ volatile("wfe");
#else
    __asm__ volatile("wfi");
#endif
#ifdef WAKES
    print("awake\n");
    REG(0x40008140) = 0, REG(0xE000E280) = 1 << 8;
#endif
  }
}
#endif

#if KIND >= 22
/* Calls or jumps to an address without the Thumb bit. */
__attribute__((noinline)) static void jump_even(void) {
#if KIND == 22
  void (*data)(void) = (void (*)(void))0x20004000;
  data();
#elif KIND == 23
  __asm__ volatile("mov r0, %0\n bic r0, r0, #1\n bx r0" ::"r"(bus_start) : "r0");
#endif
  keeper++;
}
#endif

#if KIND >= 10
/* Leaves 16 KiB of an nRF52832's RAM for heap and stack. */
static volatile uint8_t crowd[48 * 1024];
extern uint32_t bss_end;

uint32_t dive(uint32_t depth);
__attribute__((noinline, noclone)) uint32_t dive(uint32_t depth) {
  volatile uint32_t room[16];
  room[depth & 15] = depth;
  if (depth == 0) return crowd[0];
  return dive(depth - 1) + room[depth & 15];
}

/* Calls dive() on another stack, by a move to the stack pointer. */
__attribute__((noinline)) static void elsewhere(void) {
  __asm__ volatile(
      "mov r4, sp\n mov sp, %0\n mov r0, #9\n bl dive\n mov sp, r4\n" ::"r"(crowd + 8192)
      : "r0", "r1", "r2", "r3", "r4", "r12", "lr", "memory");
}
#endif

#if KIND == 15
void HardFault_Handler(void) {
  for (;;) keeper++;
}
#elif KIND == 3
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
#elif KIND == 14
  __asm__ volatile("cpsid i");
  for (;;) {
    for (uint32_t i = 0; i < 1000000; i++) __asm__ volatile("nop");
    REG(0x50000510) = keeper++;
  }
#elif KIND == 15
  touch_nothing();
#elif KIND == 17
  /* With all GE bits set, as a string function leaves them. */
  __asm__ volatile("mvn r0, #0\n uadd8 r0, r0, r0" ::: "r0");
  touch_nothing();
#elif KIND == 16
  __asm__ volatile("cpsid i");
  for (;;) {
  }
#elif KIND == 18
  touch_flash();
#elif KIND == 19 || KIND == 20
  sleep_masked();
#elif KIND == 21
  print("half a line");
  REG(0x40013FF0) = 1;
  print(", and its end\n");
#elif KIND >= 22
  jump_even();
#elif KIND == 10
  keeper = dive(300);
#elif KIND == 11
  /* A heap that grows from the end of the variables up to 4 KiB below the stack. */
  uint8_t *heap = (uint8_t *)&bss_end;
  for (unsigned i = 0; i < 12 * 1024; i++) heap[i] = (uint8_t)i;
  keeper = dive(20);
  print("behind\n");
#elif KIND == 12
  elsewhere();
  print("behind\n");
#elif KIND == 13
  /* On the process stack, as a task of an RTOS. */
  __asm__ volatile("msr psp, %0\n mov r0, #2\n msr control, r0\n isb" ::"r"(crowd + 8192) : "r0");
  keeper = dive(9);
  print("behind\n");
  exit_with(0);
#endif
#if KIND >= 10
  (void)elsewhere;
#endif
  (void)descend, (void)jump_away, (void)touch_nothing, (void)spin_masked;
  return 0;
}
