/* Tracing of programs through their execution, to replace their clocks. */

#define _GNU_SOURCE
#include "clocks.h"
#include "procfs.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int interposer_trace_exec(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACEEXEC) == 0) return 0;
  int error = errno;
  /* A thread whose last execve failed is still traced. */
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  if (interposer_read_file(name, text, sizeof text) <= 0) return -error;
  const char *line = strstr(text, "\nTracerPid:");
  return line && atoi(line + 11) == getpid() ? 0 : -error;
}

/* The stack pointer of a process that has just been executed, or 0. */
static uint64_t stack_pointer(pid_t process) {
  struct user_regs_struct registers;
  struct iovec vector = {.iov_base = &registers, .iov_len = sizeof registers};
  if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &vector) < 0) return 0;
#if defined(__x86_64__)
  return registers.rsp;
#else
  return registers.sp;
#endif
}

/* Replaces the clock functions of a program's vDSO. If that is not possible, removes the vDSO entry from its
 * auxiliary vector; stack layout: argument count, arguments, 0, environment, 0, vector. */
static void replace_vdso(pid_t process, const struct interposer_clocks *clocks) {
  uint64_t address = stack_pointer(process), word;
  if (!address || interposer_read(process, address, &word, 8) != 8) return;
  address += 8 * (word + 2);
  do {
    if (interposer_read(process, address, &word, 8) != 8) return;
    address += 8;
  } while (word);
  for (uint64_t entry[2];; address += sizeof entry) {
    if (interposer_read(process, address, entry, sizeof entry) != (ssize_t)sizeof entry) return;
    if (entry[0] == AT_NULL) return;
    if (entry[0] != AT_SYSINFO_EHDR) continue;
    if (clocks && interposer_patch_vdso(clocks, process, entry[1], address)) return;
    entry[0] = AT_IGNORE;
    interposer_write(process, address, entry, sizeof entry);
    return;
  }
}

bool interposer_handle_stop(pid_t process, int status, const struct interposer_clocks *clocks) {
  if (!WIFSTOPPED(status)) return false;
  int event = status >> 16;
  if (event == PTRACE_EVENT_EXEC) replace_vdso(process, clocks);
  /* Any other stop means that the execution failed: the signal is delivered. */
  long signal = event ? 0 : WSTOPSIG(status);
  ptrace(PTRACE_DETACH, process, NULL, (void *)signal);
  return true;
}
