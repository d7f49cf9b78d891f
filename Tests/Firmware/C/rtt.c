/* Writes through SEGGER's RTT and over the UART, and takes a line from RTT. The control block is laid out as SEGGER's manual
 * describes it. HIDDEN gives it a different symbol; HOSTILE sets invalid pointers; RESTART places it in
 * .data, which is initialized again word by word after a software reset. */
#include "board.h"

struct ring {
  const char *name;
  char *buffer;
  uint32_t size;
  volatile uint32_t written;
  volatile uint32_t read;
  uint32_t flags;
};

#ifdef HIDDEN
#define BLOCK hidden
#else
#define BLOCK _SEGGER_RTT
#endif
static char first[32], second[16], input[16];

struct {
  char id[16];
  uint32_t up, down;
  struct ring rings[3];
} BLOCK
#ifdef RESTART
    = {"SEGGER RTT", 1, 0, {{"Terminal", first, sizeof first, 0, 0, 2}}}
#endif
;

static void begin(void) {
  static const char name[] = "SEGGER RTT";
  BLOCK.up = 2;
  BLOCK.down = 1;
  BLOCK.rings[0] = (struct ring){"Terminal", first, sizeof first, 0, 0, 2};
  BLOCK.rings[1] = (struct ring){"Log", second, sizeof second, 0, 0, 0};
  BLOCK.rings[2] = (struct ring){"Terminal", input, sizeof input, 0, 0, 0};
#ifdef HOSTILE
  BLOCK.up = HOSTILE;
  BLOCK.rings[0].buffer = (char *)0x2000FFF8;
  BLOCK.rings[1].buffer = (char *)0xFFFFFFF0;
  BLOCK.rings[1].size = 0xFFFFFFFF;
  BLOCK.rings[2].written = 99;
#endif
  for (int i = sizeof name - 1; i >= 0; i--) ((volatile char *)BLOCK.id)[i] = name[i];
}

/* Waits for space, as the blocking mode does. */
static void put(struct ring *ring, const char *text) {
  for (; *text; text++) {
    uint32_t next = (ring->written + 1) % ring->size;
    for (uint32_t tries = 0; next == ring->read; tries++) {
      if (tries == 1000000) return;
    }
    ring->buffer[ring->written] = *text;
    ring->written = next;
  }
}

static int get(struct ring *ring) {
  if (ring->read == ring->written) return -1;
  char c = ring->buffer[ring->read];
  ring->read = (ring->read + 1) % ring->size;
  return c;
}

#ifdef RESTART
int main(void) {
  (void)begin, (void)get, (void)second, (void)input;
  /* GPREGRET is kept over a software reset. */
  uint32_t turns = REG(0x4000051C);
  put(&BLOCK.rings[0], turns ? "again\n" : "once\n");
  if (turns == 2) return 3;
  REG(0x4000051C) = turns + 1;
  REG(0xE000ED0C) = 0x05FA0004;
  for (;;) {
  }
}
#else
int main(void) {
  console_start();
  begin();
#ifdef BRIEF
  put(&BLOCK.rings[0], "brief\n");
  return 3;
#endif
#ifndef HOSTILE
  put(&BLOCK.rings[0], "hello through RTT, which is longer than its buffer\r\n");
  put(&BLOCK.rings[1], "a log\n");
#endif
  print("over the UART\n");
#ifndef HOSTILE
  char text[3] = "> ";
  put(&BLOCK.rings[0], text);
  rest(5);
  for (int c; (c = get(&BLOCK.rings[2])) >= 0;) {
    text[0] = (char)c;
    text[1] = 0;
    put(&BLOCK.rings[0], text);
  }
  put(&BLOCK.rings[0], "\n");
#endif
  (void)put, (void)get;
  return 3;
}
#endif
