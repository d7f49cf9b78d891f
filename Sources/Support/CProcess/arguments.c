#include "process.h"

#include <stddef.h>

/* Swift asks /proc for the arguments, which not every container has. The C library hands them to what runs before main. */
static int count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int given_count, char **given) {
  count = given_count;
  arguments = given;
}

int process_argument_count(void) { return arguments == NULL ? 0 : count; }

const char *process_argument(int index) { return arguments[index]; }
