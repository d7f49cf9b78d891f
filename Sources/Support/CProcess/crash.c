#include "process.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct termios terminal;
static volatile sig_atomic_t has_terminal;
/* A stack of its own: what has crashed may have run out of the other one. */
static char stack[32768];

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static const char *name_of(int number) {
  switch (number) {
    case SIGILL: return "an illegal instruction, as Swift ends a check that fails";
    case SIGTRAP: return "a trap, as Swift ends a check that fails";
    case SIGSEGV: return "a wrong address, or no stack left";
    case SIGBUS: return "memory that is not there";
    case SIGFPE: return "a wrong calculation";
    default: return "an abort";
  }
}

static void crashed(int number) {
  if (has_terminal) {
    static const char restore[] = "\033[?25h\033[?1049l";
    if (write(STDOUT_FILENO, restore, sizeof restore - 1) < 0) say("\n");
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
  }
  say("aneroid: a defect of aneroid has ended it (");
  say(name_of(number));
  say("); with SWIFT_BACKTRACE=enable=yes the same command shows where: please report both to its authors\n");
  _exit(70);
}

void process_tell_crashes(void) {
  const char *wish = getenv("SWIFT_BACKTRACE");
  if (wish != NULL && strstr(wish, "enable=no") == NULL) return;
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
  const int numbers[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    sigaction(numbers[index], &action, NULL);
  }
}

void process_keep_terminal(const struct termios *original) {
  if (original != NULL) terminal = *original;
  has_terminal = original != NULL;
}
