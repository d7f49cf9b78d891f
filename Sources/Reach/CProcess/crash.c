#include "process.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct termios terminal;
static volatile sig_atomic_t has_terminal;
/* The handler needs its own stack, because the crash may be a stack overflow. */
static char stack[32768];

static void print(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static const char *name_of(int number) {
  switch (number) {
    case SIGILL: return "illegal instruction, as after a failed check in Swift";
    case SIGTRAP: return "trap, as after a failed check in Swift";
    case SIGSEGV: return "invalid address or stack overflow";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error";
    default: return "abort";
  }
}

static void crashed(int number) {
  if (has_terminal) {
    static const char restore[] = "\033[?25h\033[?1049l";
    if (write(STDOUT_FILENO, restore, sizeof restore - 1) < 0) print("\n");
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
  }
  print("aneroid: internal error (");
  print(name_of(number));
  print("); please report it with the output of the same command under SWIFT_BACKTRACE=enable=yes\n");
  _exit(70);
}

void process_report_crashes(void) {
  const char *backtrace = getenv("SWIFT_BACKTRACE");
  if (backtrace != NULL && strstr(backtrace, "enable=no") == NULL) return;
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
  const int numbers[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    sigaction(numbers[index], &action, NULL);
  }
}

void process_save_terminal(const struct termios *original) {
  if (original != NULL) terminal = *original;
  has_terminal = original != NULL;
}
