/* Does single instructions on simavr, for the tests of our own AVR core: a program of its own, since simavr is GPL-3.0.
 *
 *   avr_judge CASES RESULTS
 *
 * Both files hold records of 52 bytes, little endian: R0 to R31, SREG, a byte that is 0 (a result has there whether simavr
 * gave up), the stack pointer, the program counter in words, the three words of code that stand there, and two words of 32
 * bits that are 0 (a result has there a digest of the data space from 0x20 on and the cycles). Byte N of the data space from
 * 0x20 to the end of RAM, and of the flash, begins as N * 0x9D + (N >> 8); no peripheral answers. */

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  uint8_t r[32], sreg, fault;
  uint16_t sp, pc, code[3];
  uint32_t digest, cycles;
};
_Static_assert(sizeof(struct record) == 52, "as the tests write it");

static uint8_t pattern(uint32_t index) { return (uint8_t)(index * 0x9D + (index >> 8)); }

static int is_own(uint32_t address) { return address >= R_SPL && address <= R_SREG; }

static uint32_t digest(avr_t *avr) {
  uint32_t sum = 0;
  for (uint32_t i = 0x20; i <= avr->ramend; i++)
    if (!is_own(i) && avr->data[i] != pattern(i)) {
      sum = (sum ^ avr->data[i] ^ (i << 8)) * 0x01000193u + i;
      avr->data[i] = pattern(i);
    }
  return sum;
}

static void run(avr_t *avr, struct record *record) {
  memcpy(avr->data, record->r, sizeof record->r);
  SET_SREG_FROM(avr, record->sreg);
  avr->data[R_SREG] = record->sreg;
  _avr_sp_set(avr, record->sp);
  avr->pc = record->pc * 2;
  for (int i = 0; i < 3; i++) {
    uint32_t place = (record->pc + i) * 2 % (avr->flashend + 1);
    avr->flash[place] = record->code[i] & 0xFF;
    avr->flash[place + 1] = record->code[i] >> 8;
  }
  avr->state = cpu_Running;
  avr->cycle = 0;
  avr->run_cycle_count = avr->run_cycle_limit = 0;
  uint32_t begin = record->pc;
  avr_flashaddr_t next = avr_run_one(avr);
  memcpy(record->r, avr->data, sizeof record->r);
  READ_SREG_INTO(avr, record->sreg);
  record->fault = avr->state == cpu_Crashed || avr->state == cpu_Done;
  record->sp = _avr_sp_get(avr);
  record->pc = (uint16_t)(next >> 1);
  record->digest = digest(avr);
  record->cycles = (uint32_t)avr->cycle;
  for (uint32_t i = begin * 2; i < begin * 2 + 6; i++)
    avr->flash[i % (avr->flashend + 1)] = pattern(i % (avr->flashend + 1));
}

static void silent(avr_t *avr, const int level, const char *format, va_list arguments) {}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  if (!in || !out) return 74;
  avr_global_logger_set(silent);
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  if (!avr || avr_init(avr)) return 70;
  memset(avr->io, 0, sizeof avr->io);
  avr->codeend = avr->flashend;
  for (uint32_t i = 0; i <= avr->flashend; i++) avr->flash[i] = pattern(i);
  for (uint32_t i = 0x20; i <= avr->ramend; i++) avr->data[i] = pattern(i);
  struct record record;
  while (fread(&record, sizeof record, 1, in) == 1) {
    run(avr, &record);
    if (fwrite(&record, sizeof record, 1, out) != 1) return 74;
  }
  return fclose(out) ? 74 : 0;
}
