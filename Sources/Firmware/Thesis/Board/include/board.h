/* What no Swift can say to a Cortex-M4. */
#ifndef THESIS_BOARD_H
#define THESIS_BOARD_H

/* Sleeps until an interrupt is pending or an event was noted. */
static inline void board_wait_for_event(void) { __asm__ volatile("wfe" ::: "memory"); }

/* Nothing that stands before it in the program happens behind it: for memory that EasyDMA shares. */
static inline void board_barrier(void) { __asm__ volatile("dsb" ::: "memory"); }

#endif
