/* Vector table and start-up code: initializes .data and .bss and calls main, which is in Swift. */
#include <stdint.h>

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
int main(int count, char **arguments);

/* Resets the part by AIRCR.SYSRESETREQ; faults end here, because the history is in flash. */
static void system_reset(void) {
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
  system_reset();
}

/* Interrupts are never taken: a pending one wakes the core, and the program polls the events. */
__attribute__((section(".vectors"), used)) void (*const vectors[16])(void) = {
    (void (*)(void))&stack_top, reset_handler, system_reset, system_reset, system_reset, system_reset, system_reset, 0,
    0, 0, 0, system_reset, system_reset, 0, system_reset, system_reset,
};
