/* Taken and untaken branches, an inlined function and an uncalled one, for ARM and AVR. */
volatile unsigned char zero, result;

void never(void);

static inline __attribute__((always_inline)) unsigned char inlined(unsigned char x) {
  if (x) {
    never(); // ran: no
    never(); // ran: no
  }
  return (unsigned char)(x + result); // ran: yes
}

__attribute__((noinline)) void never(void) {
  result = 7;
}

int main(void) {
  result = 1; // ran: yes
  if (zero) {
    never(); // ran: no
  } else {
    result = 3; // ran: yes
  }
  result = inlined(zero); // ran: yes
#ifdef __AVR__
  __asm__ volatile("sei");
#endif
  while (1) {
    if (result == 77) never();
  }
  return 0;
}
