/* Cortex-M4 instructions that Swift cannot express. */
#ifndef THESIS_BOARD_H
#define THESIS_BOARD_H

/* Sleeps until an interrupt is pending or the event register is set. */
static inline void board_wait_for_event(void) { __asm__ volatile("wfe" ::: "memory"); }

/* Memory barrier: completes all earlier accesses first, for memory shared with EasyDMA. */
static inline void board_barrier(void) { __asm__ volatile("dsb" ::: "memory"); }

#endif
