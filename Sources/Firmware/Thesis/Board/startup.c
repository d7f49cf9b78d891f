/* Vectors, .data and .bss; and main, which is Swift's. */
#include <stdint.h>

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
int main(int count, char **arguments);

/* A fault begins anew: what is kept lies in flash. AIRCR, SYSRESETREQ. */
static void begin_anew(void) {
  __asm__ volatile("dsb" ::: "memory");
  *(volatile uint32_t *)0xE000ED0C = 0x05FA0004;
  for (;;) {
  }
}

void reset_handler(void) {
  const uint32_t *from = &data_load;
  for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
  for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
  main(0, 0);
  begin_anew();
}

/* No interrupt is ever taken: one that is pending ends a sleep, and the program looks. */
__attribute__((section(".vectors"), used)) void (*const vectors[16])(void) = {
    (void (*)(void))&stack_top, reset_handler, begin_anew, begin_anew, begin_anew, begin_anew, begin_anew, 0,
    0, 0, 0, begin_anew, begin_anew, 0, begin_anew, begin_anew,
};
