/* Runs an image on Unicorn to its BKPT, for the speed of our own ARM core: a program of its own, since Unicorn is GPL-2.0.
 *
 *   arm_run IMAGE RAM RESULT
 *
 * IMAGE is loaded at 0; RAM holds the initial 512 KiB at 0x20000000, which are written to RESULT after the run. Prints the nanoseconds of the processor that
 * the run took. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unicorn/unicorn.h>

enum { ram = 0x20000000, ram_size = 0x80000, code_size = 0x40000 };
static uint8_t memory[ram_size] __attribute__((aligned(4096)));
static uint8_t code[code_size] __attribute__((aligned(4096)));

static void check(uc_err error, const char *what) {
  if (error == UC_ERR_OK) return;
  fprintf(stderr, "arm_run: %s: %s\n", what, uc_strerror(error));
  exit(2);
}

static void load(const char *path, uint8_t *to, size_t size) {
  FILE *in = fopen(path, "rb");
  if (!in || fread(to, 1, size, in) == 0) exit(74);
  fclose(in);
}

static void interrupt(uc_engine *uc, uint32_t number, void *unused) {
  (void)number, (void)unused;
  uc_emu_stop(uc);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  load(argv[1], code, code_size);
  load(argv[2], memory, ram_size);
  uc_engine *uc;
  check(uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &uc), "open");
  check(uc_ctl_set_cpu_model(uc, UC_CPU_ARM_CORTEX_M4), "model");
  check(uc_mem_map_ptr(uc, 0, code_size, UC_PROT_READ | UC_PROT_EXEC, code), "code");
  check(uc_mem_map_ptr(uc, ram, ram_size, UC_PROT_READ | UC_PROT_WRITE, memory), "memory");
  check(uc_mem_map(uc, 0xE0000000, 0x100000, UC_PROT_READ | UC_PROT_WRITE), "registers");
  uint32_t enabled = 0x40000000;
  uc_reg_write(uc, UC_ARM_REG_FPEXC, &enabled);
  uc_hook hook;
  check(uc_hook_add(uc, &hook, UC_HOOK_INTR, interrupt, NULL, 1, 0), "hook");
  uint32_t stack = *(uint32_t *)code, start = ((uint32_t *)code)[1];
  check(uc_reg_write(uc, UC_ARM_REG_SP, &stack), "stack");
  struct timespec before, after;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  check(uc_emu_start(uc, start | 1, 0xFFFFFFFE, 0, 0), "run");
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  printf("%lld\n", (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec);
  FILE *out = fopen(argv[3], "wb");
  if (!out || fwrite(memory, 1, ram_size, out) != ram_size) return 74;
  return fclose(out) ? 74 : 0;
}
