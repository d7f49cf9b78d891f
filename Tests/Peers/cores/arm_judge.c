/* Does single instructions on Unicorn, for the tests of our own ARM core: a program of its own, since Unicorn is GPL-2.0.
 *
 *   arm_judge CASES RESULTS [m0]
 *
 * Both files hold records of 52 words: R0 to R15, xPSR, FPSCR, S0 to S31, then the instruction's two halfwords as one word
 * (a result has there whether it faulted) and a word that is 0 (a result has there a digest of the memory). The instruction
 * of record N is at 0x10002 + 16 * N, behind the IT that leads to its ITSTATE; 64 KiB of RAM lie at 0x20000000, word N holding N * 0x9E3779B1. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum { words = 52, code = 0x10000, ram = 0x20000000, ram_words = 16384, prelude = 0x8000, batch = 16384 };
static uint32_t memory[ram_words] __attribute__((aligned(4096)));
static uint32_t records[batch][words];

static void check(uc_err error, const char *what) {
  if (error == UC_ERR_OK) return;
  fprintf(stderr, "arm_judge: %s: %s\n", what, uc_strerror(error));
  exit(2);
}

static int is_small;

static uint32_t pattern(uint32_t index) { return index * 0x9E3779B1u; }

static uint32_t it_state(uint32_t xpsr) { return (xpsr >> 25 & 3) | (xpsr >> 8 & 0xFC); }

static uint32_t digest(void) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < ram_words; i++)
    if (memory[i] != pattern(i)) {
      sum = (sum ^ memory[i] ^ (i << 16)) * 0x01000193u + i;
      memory[i] = pattern(i);
    }
  return sum;
}

static int ids[50];
static void *places[50];

static uc_context *clean;

static void run(uc_engine *uc, uint32_t *record, uint32_t address) {
  for (int i = 0; i < 50; i++) places[i] = &record[i];
  /* Unicorn takes GE, ITSTATE and FPSCR from instructions alone. */
  check(uc_context_restore(uc, clean), "state");
  check(uc_reg_write(uc, UC_ARM_REG_R0, &record[16]), "flags");
  check(uc_reg_write(uc, UC_ARM_REG_R1, &record[17]), "flags");
  check(uc_emu_start(uc, prelude | 1, 0xFFFFFFFE, 0, is_small ? 1 : 2), "flags");
  check(uc_reg_write_batch(uc, ids, places, 15), "registers");
  check(uc_reg_write_batch(uc, ids + 18, places + 18, 32), "floats");
  uint32_t it = it_state(record[16]);
  uc_err error = uc_emu_start(uc, (it ? address : address + 2) | 1, 0xFFFFFFFE, 0, it ? 2 : 1);
  check(uc_reg_read_batch(uc, ids, places, 50), "result");
  if (!error && !is_small) {
    check(uc_emu_start(uc, (prelude + 8) | 1, 0xFFFFFFFE, 0, 1), "FPSCR");
    check(uc_reg_read(uc, UC_ARM_REG_R0, &record[17]), "FPSCR");
  }
  record[50] = error != UC_ERR_OK;
  record[51] = digest();
}

static void each(uint32_t count) {
  uc_engine *uc;
  check(uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &uc), "open");
  check(uc_ctl_set_cpu_model(uc, is_small ? UC_CPU_ARM_CORTEX_M0 : UC_CPU_ARM_CORTEX_M4), "model");
  check(uc_mem_map(uc, 0, code + batch * 16 + 0x10000, UC_PROT_READ | UC_PROT_EXEC), "code");
  check(uc_mem_map_ptr(uc, ram, sizeof memory, UC_PROT_READ | UC_PROT_WRITE, memory), "memory");
  check(uc_mem_map(uc, 0xE0000000, 0x100000, UC_PROT_READ | UC_PROT_WRITE), "registers");
  uint32_t enabled = 0x40000000;
  uc_reg_write(uc, UC_ARM_REG_FPEXC, &enabled);
  /* MSR APSR_nzcvqg, R0; VMSR FPSCR, R1; VMRS R0, FPSCR */
  check(uc_mem_write(uc, prelude, "\x80\xF3\x00\x8C\xE1\xEE\x10\x1A\xF1\xEE\x10\x0A", 12), "flags");
  /* A Cortex-M0 has neither GE nor an FPU. */
  if (is_small) check(uc_mem_write(uc, prelude, "\x80\xF3\x00\x88", 4), "flags");
  for (uint32_t i = 0; i < count; i++) {
    uint16_t slot[8] = {0xBF00 | it_state(records[i][16]), records[i][50] & 0xFFFF, records[i][50] >> 16};
    for (int n = 3; n < 8; n++) slot[n] = 0xBF00;
    check(uc_mem_write(uc, code + 16 * i, slot, sizeof slot), "instruction");
  }
  check(uc_context_alloc(uc, &clean), "state");
  check(uc_context_save(uc, clean), "state");
  for (uint32_t i = 0; i < count; i++) run(uc, records[i], code + 16 * i);
  uc_context_free(clean);
  uc_close(uc);
}

int main(int argc, char **argv) {
  is_small = argc == 4 && strcmp(argv[3], "m0") == 0;
  if (argc != 3 && !is_small) return 64;
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  if (!in || !out) return 74;
  for (int i = 0; i < 13; i++) ids[i] = UC_ARM_REG_R0 + i;
  ids[13] = UC_ARM_REG_SP, ids[14] = UC_ARM_REG_LR, ids[15] = UC_ARM_REG_PC;
  ids[16] = UC_ARM_REG_XPSR, ids[17] = UC_ARM_REG_FPSCR;
  for (int i = 0; i < 32; i++) ids[18 + i] = UC_ARM_REG_S0 + i;
  for (uint32_t i = 0; i < ram_words; i++) memory[i] = pattern(i);
  size_t count;
  while ((count = fread(records, sizeof records[0], batch, in)) > 0) {
    each((uint32_t)count);
    if (fwrite(records, sizeof records[0], count, out) != count) return 74;
  }
  return fclose(out) ? 74 : 0;
}
