/* Fails on an ATmega328P in one of several ways, selected by KIND; without variables in RAM. */
#include <avr/io.h>

__attribute__((noinline)) static unsigned dive(unsigned depth) {
  volatile unsigned room = depth;
  if (depth == 0) return 1;
  return dive(depth - 1) + room;
}

__attribute__((noinline)) static void jump_away(unsigned address) {
  ((void (*)(void))address)();
  GPIOR0 = 1;
}

/* Returns without having been called. */
__attribute__((noinline)) static void come_back(unsigned address) {
  __asm__ volatile("push %A0\n push %B0\n ret" ::"r"(address));
}

#if KIND >= 5
/* Reads its stack above the end of the RAM: by a return, or by a pop. */
__attribute__((noinline)) static void take_more(void) {
  __asm__ volatile("out 0x3e, %B0\n out 0x3d, %A0" ::"r"(RAMEND));
#if KIND == 6
  __asm__ volatile("pop r24" ::: "r24");
#endif
  __asm__ volatile("ret");
}
#endif

int main(void) {
#if KIND >= 5
  take_more();
#endif
#if KIND == 0
  GPIOR0 = (unsigned char)dive(2000);
#elif KIND == 1
  jump_away(0x6000 / 2);
#elif KIND == 2
  come_back(0x7000 / 2);
#elif KIND == 3
  __asm__ volatile("jmp behind");
#elif KIND == 4
  __asm__ volatile(".word 0xFFFF");
#endif
  (void)dive, (void)jump_away, (void)come_back;
  return 0;
}

#if KIND == 3
/* After all other code. */
__asm__(".section .last,\"ax\",@progbits\n.type behind,@function\n.global behind\nbehind:\n nop\n nop\n.size behind, 4\n");
#endif
