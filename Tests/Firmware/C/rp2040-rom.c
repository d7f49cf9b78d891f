/* Calls functions of the RP2040's boot ROM, and prints their results. */
#include "board.h"

typedef void *(*look_up)(uint16_t *table, uint32_t code);
/* The start of the ROM; read, so that the compiler does not take it for a null pointer. */
static uint8_t *volatile rom;

static uint32_t half(uint32_t offset) { return rom[offset] | (uint32_t)rom[offset + 1] << 8; }

static void *in_table(uint32_t table, const char *code) {
  look_up find = (look_up)half(0x18);
  return find((uint16_t *)half(table), (uint32_t)(code[0] | code[1] << 8));
}

static uint32_t bits(float value) {
  union {
    float value;
    uint32_t bits;
  } both = {value};
  return both.bits;
}

static void show(const char *name, int32_t value) {
  print(name);
  print_number(value, 0);
  print("\n");
}

static uint8_t buffer[64];

int main(void) {
  console_start();
  show("version ", rom[0x13]);
  show("missing ", (int32_t)(uintptr_t)in_table(0x14, "??"));
  show("population ", ((int (*)(uint32_t))in_table(0x14, "P3"))(0xF0F0));
  show("zeros ", ((int (*)(uint32_t))in_table(0x14, "L3"))(0x00010000));
  show("reversed ", ((int (*)(uint32_t))in_table(0x14, "R3"))(0x80000000));
  ((void *(*)(void *, uint8_t, uint32_t))in_table(0x14, "MS"))(buffer, 7, 10);
  ((void *(*)(void *, void *, uint32_t))in_table(0x14, "MC"))(buffer + 20, buffer + 5, 10);
  int32_t sum = 0;
  for (unsigned i = 0; i < sizeof buffer; i++) sum += buffer[i];
  show("sum ", sum);
  uint32_t *floats = in_table(0x16, "SF");
  show("operations ", ((uint8_t *)floats)[-2]);
  uint32_t (*multiply)(uint32_t, uint32_t) = (uint32_t (*)(uint32_t, uint32_t))(uintptr_t)floats[2];
  int32_t (*to_int)(uint32_t) = (int32_t (*)(uint32_t))(uintptr_t)floats[7];
  int32_t (*to_fixed)(uint32_t, int) = (int32_t (*)(uint32_t, int))(uintptr_t)floats[8];
  show("product ", to_int(multiply(bits(1.5f), bits(250.0f))));
  show("floor ", to_int(bits(-1.5f)));
  show("fixed ", to_fixed(bits(3.25f), 8));
  uint32_t *doubles = in_table(0x16, "SD");
  uint64_t (*from_int)(int32_t) = (uint64_t (*)(int32_t))(uintptr_t)doubles[11];
  uint64_t (*divide)(uint64_t, uint64_t) = (uint64_t (*)(uint64_t, uint64_t))(uintptr_t)doubles[3];
  int32_t (*whole)(uint64_t) = (int32_t (*)(uint64_t))(uintptr_t)doubles[7];
  show("quotient ", whole(divide(from_int(1000000), from_int(7))));
  /* The sector at 1 MB: erased, then written. */
  void (*erase)(uint32_t, uint32_t, uint32_t, uint8_t) =
      (void (*)(uint32_t, uint32_t, uint32_t, uint8_t))in_table(0x14, "RE");
  void (*program)(uint32_t, const uint8_t *, uint32_t) =
      (void (*)(uint32_t, const uint8_t *, uint32_t))in_table(0x14, "RP");
  static uint8_t page[256];
  for (int i = 0; i < 256; i++) page[i] = (uint8_t)i;
  program(0x100000, page, 256);
  show("written ", *(volatile uint8_t *)0x10100005);
  page[5] = 0xF8;
  program(0x100000, page, 256);
  show("cleared only ", *(volatile uint8_t *)0x10100005);
  erase(0x100000, 4096, 65536, 0xD8);
  show("erased ", *(volatile uint8_t *)0x13100005);
  return 0;
}
