#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "process.h"

#include <spawn.h>
#include <stddef.h>

/* Swift reads the arguments from /proc, which is missing in some containers. The C library passes them to constructors. */
static int count;
static char **arguments;

__attribute__((constructor)) static void save_arguments(int initial_count, char **initial) {
  count = initial_count;
  arguments = initial;
}

int process_argument_count(void) { return arguments == NULL ? 0 : count; }

const char *process_argument(int index) { return arguments[index]; }

int process_add_folder(void *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

void process_end_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == 1) _exit(128 + SIGKILL);
}
