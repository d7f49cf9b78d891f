// Many processes: COUNT that sleep side by side (crowd), or COUNT one below the other (tower), and what the supervisor
// has read to serve them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The guard is the parent of the first of us, and its parent the supervisor. */
static long reads(pid_t guard) {
  char name[64], line[256];
  long parent = 0, count = -1;
  snprintf(name, sizeof name, "/proc/%d/status", (int)guard);
  FILE *file = fopen(name, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "PPid: %ld", &parent);
  if (file) fclose(file);
  snprintf(name, sizeof name, "/proc/%ld/io", parent);
  file = fopen(name, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "syscr: %ld", &count);
  if (file) fclose(file);
  return count;
}

static int crowd(int count) {
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child < 0) return perror("fork"), 1;
    if (child == 0) {
      sleep((unsigned)(10 + i % 50));
      _exit(0);
    }
  }
  int ended = 0, status;
  while (wait(&status) > 0) ended += status == 0;
  printf("ended %d\n", ended);
  return 0;
}

/* Each child executes the program again, because repeated copies of one address space are slow. */
static int tower(int count) {
  char rest[16];
  snprintf(rest, sizeof rest, "%d", count - 1);
  if (count == 0) {
    sleep(5);
    return 0;
  }
  pid_t child = vfork();
  if (child == 0) {
    execl("/proc/self/exe", "crowd", "tower", rest, "inner", NULL);
    _exit(9);
  }
  int status = 9;
  waitpid(child, &status, 0);
  return status != 0;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  time_t begun = time(NULL);
  pid_t guard = getppid();
  int number = atoi(words[2]);
  int status = strcmp(words[1], "tower") == 0 ? tower(number) : crowd(number);
  if (count == 3)
    printf("status %d after %ld s, reads %ld\n", status, (long)(time(NULL) - begun), reads(guard));
  return status;
}
