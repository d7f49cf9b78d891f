/* Memory in the layout of FreeRTOS as its sources document it (tasks.c, list.h; the ports GCC/ARM_CM3 and
 * GCC/ARM_CM4F): four tasks with registers on their stacks, without a scheduler. */
#include "board.h"

struct list;
struct item {
  uint32_t value;
  struct item *next, *previous;
  struct task *owner;
  struct list *container;
};
struct list {
  uint32_t count;
  struct item *index;
  struct {
    uint32_t value;
    struct item *next, *previous;
  } end;
};
struct task {
  uint32_t *top;
  struct item state, event;
  uint32_t priority;
  uint32_t *stack;
  char name[16];
};

struct task *volatile pxCurrentTCB;
struct list pxReadyTasksLists[5], xDelayedTaskList1, xDelayedTaskList2, xPendingReadyList;
struct list xSuspendedTaskList, xTasksWaitingTermination, events;
volatile uint32_t uxCurrentNumberOfTasks, xSchedulerRunning;

static struct task running, sensor, logger, filter, idle;
static uint32_t stacks[4][64];

static void empty(struct list *list) {
  list->count = 0;
  list->index = (struct item *)&list->end;
  list->end.value = 0xFFFFFFFF;
  list->end.next = list->end.previous = (struct item *)&list->end;
}

static void append(struct list *list, struct item *item) {
  struct item *end = (struct item *)&list->end;
  item->next = end;
  item->previous = end->previous;
  end->previous->next = item;
  end->previous = item;
  item->container = list;
  list->count++;
}

static void make(struct task *task, const char *name, uint32_t priority) {
  for (int index = 0; name[index]; index++) task->name[index] = name[index];
  task->priority = priority;
  task->state.owner = task->event.owner = task;
  uxCurrentNumberOfTasks++;
}

__attribute__((noinline)) void wait_for_time(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void wait_for_event(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void sensor_task(void) {
  wait_for_time();
  __asm__ volatile("nop\n nop");
}
__attribute__((noinline)) void logger_task(void) {
  wait_for_event();
  __asm__ volatile("nop\n nop");
}

/* Saves registers as a port does: R4 to R11 are 4 to 11, R0 to R3 and R12 100 to 103 and 112, S16 to S31 of the bits 1016
 * to 1031, S0 to S15 2000 to 2015. `link` is EXC_RETURN, 0 for the port that does not save it. */
static void save(struct task *task, uint32_t *end, uint32_t link, void (*at)(void), void (*from)(void), int pads) {
  int has_fpu = link && !(link & 0x10);
  uint32_t *top = end - 16 - pads - (link ? 1 : 0) - (has_fpu ? 34 : 0);
  task->top = top;
  for (uint32_t value = 4; value < 12; value++) *top++ = value;
  if (link) *top++ = link;
  for (uint32_t value = 16; has_fpu && value < 32; value++) *top++ = 1000 + value;
  for (uint32_t value = 0; value < 4; value++) *top++ = 100 + value;
  *top++ = 112;
  *top++ = (uint32_t)from + 6;
  *top++ = (uint32_t)at & ~1u;
  *top++ = 0x01000000 | (pads ? 1 << 9 : 0);
  for (uint32_t value = 0; has_fpu && value < 16; value++) *top++ = 2000 + value;
  if (has_fpu) *top++ = 0x03000000;
}

__attribute__((noinline)) void before(void) { __asm__ volatile("nop"); }
__attribute__((noinline)) void here(void) { __asm__ volatile("nop"); }

int main(void) {
  for (int index = 0; index < 5; index++) empty(&pxReadyTasksLists[index]);
  empty(&xDelayedTaskList1);
  empty(&xDelayedTaskList2);
  empty(&xPendingReadyList);
  empty(&xSuspendedTaskList);
  empty(&xTasksWaitingTermination);
  empty(&events);
  make(&running, "control", 3);
  make(&sensor, "sensor", 2);
  make(&logger, "logger", 1);
  make(&filter, "filter", 4);
  make(&idle, "IDLE", 0);
  append(&pxReadyTasksLists[3], &running.state);
  append(&xDelayedTaskList2, &sensor.state);
  append(&xSuspendedTaskList, &logger.state);
  append(&events, &logger.event);
  append(&xSuspendedTaskList, &filter.state);
  append(&pxReadyTasksLists[0], &idle.state);
  save(&sensor, stacks[0] + 64, 0xFFFFFFFD, wait_for_time, sensor_task, 0);
  save(&logger, stacks[1] + 64, 0xFFFFFFED, wait_for_event, logger_task, 1);
  save(&filter, stacks[2] + 64, 0xFFFFFFFD, wait_for_time, logger_task, 0);
  save(&idle, stacks[3] + 64, 0, wait_for_time, sensor_task, 0);
  pxCurrentTCB = &running;
  before();
  xSchedulerRunning = 1;
  here();
  wait_for_time();
  sensor_task();
  logger_task();
  return 0;
}
