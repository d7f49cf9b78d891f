/* Start-up of the test images for ARM cores: vectors, .data, .bss, main, and its result by semihosting. */
#include "board.h"

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
int main(void);

static void default_handler(void) {
  for (;;) {
  }
}

void exit_with(int status) {
  /* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit and a status. */
  uint32_t block[2] = {0x20026, (uint32_t)status};
  register uint32_t r0 __asm__("r0") = 0x20;
  register void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void Reset_Handler(void) {
  uint32_t *from = &data_load;
  for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
  for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
  SCB_CPACR |= 0xF << 20;
  __asm__ volatile("dsb\n isb");
  exit_with(main());
  for (;;) {
  }
}

void HardFault_Handler(void) __attribute__((weak, alias("default_handler")));
void SysTick_Handler(void) __attribute__((weak, alias("default_handler")));
void IRQ3_Handler(void) __attribute__((weak, alias("default_handler")));
void IRQ17_Handler(void) __attribute__((weak, alias("default_handler")));

__attribute__((section(".vectors"), used)) void (*const vectors[])(void) = {
    (void (*)(void))&stack_top, Reset_Handler,   default_handler, HardFault_Handler,
    default_handler,            default_handler, default_handler, 0,
    0,                          0,               0,               default_handler,
    default_handler,            0,               default_handler, SysTick_Handler,
    default_handler,            default_handler, default_handler, IRQ3_Handler,
    default_handler,            default_handler, default_handler, default_handler,
    default_handler,            default_handler, default_handler, default_handler,
    default_handler,            default_handler, default_handler, default_handler,
    default_handler,            IRQ17_Handler,
};
