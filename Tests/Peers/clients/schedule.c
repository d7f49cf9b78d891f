/* Many waits at once, whose ends have an order: processes with threads wait by sleeps, limits, timers, signals,
 * children and pipes, each until its slot of time. Prints the numbers of the slots in the order in which they came.
 *
 * usage: schedule SEED SLOTS MICROSECONDS [forks]: the length of a slot; with `forks` there are only sleeps and waits
 * for children, and a slot is marked whose thread finds that the clock has gone on to the next one */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 4, THREADS = 3, ACTORS = PROCESSES * THREADS, MOST = 4000, FILES = 300 };
enum kind {
  SLEEP, SLEEP_UNTIL, SLEEP_UNTIL_DATE, POLL, PPOLL, SELECT, EPOLL, SEMAPHORE, CONDITION, TIMERFD, TIMERFD_POLLED,
  TIMERFD_PERIODIC, SIGTIMEDWAIT, TIMER_SIGNAL, CHILD, THREAD, PIPE_OF_CHILD, CONDITION_SIGNALLED, SIGNAL_IN_SLEEP,
  SIGNAL_IN_PSELECT, ITIMER, TIMER_IN_SLEEP, CHILD_OF_THREADS, CHILD_IN_PROC, KINDS
};
static const int fork_kinds[] = {SLEEP, CHILD, PIPE_OF_CHILD, CHILD_OF_THREADS, CHILD_IN_PROC};

static struct {
  double start, slot;
  atomic_int count, pids[ACTORS], tids[ACTORS];
  int order[MOST];
  bool is_late[MOST];
} *shared;
/* What is planned for each slot: who waits, how, and who sends a signal then. */
static struct { int actor, kind, sender; } plan[MOST];
static int slots;
static bool has_forks_alone;
static __thread volatile sig_atomic_t heard;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
static struct timespec span(double seconds) {
  if (seconds < 0) seconds = 0;
  struct timespec time = {.tv_sec = (time_t)seconds};
  time.tv_nsec = (long)((seconds - time.tv_sec) * 1e9);
  return time;
}
static double moment(int slot) { return shared->start + slot * shared->slot; }
static void log_slot(int slot) { shared->order[atomic_fetch_add(&shared->count, 1)] = slot; }
static void hear(int number) { heard = number; }
static void die(const char *what) {
  perror(what);
  _exit(99);
}

static void until(double end) {
  struct timespec rest = span(end - now());
  while (nanosleep(&rest, &rest) < 0 && errno == EINTR) {
  }
}

struct job {
  double end;
  int pipe, slot;
  pthread_mutex_t *mutex;
  pthread_cond_t *condition;
  bool *done;
};
static void *later(void *argument) {
  struct job *job = argument;
  until(job->end);
  if (job->condition) {
    pthread_mutex_lock(job->mutex);
    *job->done = true;
    pthread_cond_signal(job->condition);
    pthread_mutex_unlock(job->mutex);
  } else {
    log_slot(job->slot);
  }
  return NULL;
}

static void *leave(void *end) {
  until(*(double *)end);
  _exit(0);
}

static void wait_for(int slot, int kind) {
  double end = moment(slot), left = end - now();
  int milliseconds = (int)(left * 1000 + 0.999);
  struct timespec rest = span(left), absolute = span(end), date;
  clock_gettime(CLOCK_REALTIME, &date);
  date = span(date.tv_sec + date.tv_nsec / 1e9 + left);
  struct itimerspec once = {.it_value = rest};
  uint64_t ticks;
  switch (kind) {
  case SLEEP: nanosleep(&rest, NULL); break;
  case SLEEP_UNTIL: clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &absolute, NULL); break;
  case SLEEP_UNTIL_DATE: clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &date, NULL); break;
  case POLL: poll(NULL, 0, milliseconds); break;
  case PPOLL: ppoll(NULL, 0, &rest, NULL); break;
  case SELECT: {
    struct timeval limit = {rest.tv_sec, rest.tv_nsec / 1000};
    select(0, NULL, NULL, NULL, &limit);
    break;
  }
  case EPOLL: {
    int instance = epoll_create1(0);
    struct epoll_event event;
    epoll_wait(instance, &event, 1, milliseconds);
    close(instance);
    break;
  }
  case SEMAPHORE: {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    if (sem_timedwait(&semaphore, &date) == 0 || errno != ETIMEDOUT) die("sem_timedwait");
    break;
  }
  case CONDITION:
  case CONDITION_SIGNALLED: {
    pthread_condattr_t attributes;
    pthread_cond_t condition;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &attributes);
    bool done = false;
    struct job job = {.end = end, .mutex = &mutex, .condition = &condition, .done = &done};
    pthread_t helper;
    if (kind == CONDITION_SIGNALLED) {
      if (pthread_create(&helper, NULL, later, &job)) die("pthread_create");
      absolute.tv_sec += 600;
    }
    pthread_mutex_lock(&mutex);
    while (!done && pthread_cond_timedwait(&condition, &mutex, &absolute) != ETIMEDOUT) {
    }
    pthread_mutex_unlock(&mutex);
    if (kind == CONDITION_SIGNALLED) pthread_join(helper, NULL);
    break;
  }
  case TIMERFD:
  case TIMERFD_POLLED: {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &once, NULL);
    struct pollfd item = {.fd = timer, .events = POLLIN};
    if (kind == TIMERFD_POLLED && poll(&item, 1, 600000) != 1) die("poll of timerfd");
    if (read(timer, &ticks, sizeof ticks) != sizeof ticks || ticks != 1) die("timerfd");
    close(timer);
    break;
  }
  case TIMERFD_PERIODIC: {
    /* A third of the way, two thirds, the end. */
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    once.it_value = once.it_interval = span(left / 3);
    timerfd_settime(timer, 0, &once, NULL);
    for (uint64_t all = 0; all < 3; all += ticks)
      if (read(timer, &ticks, sizeof ticks) != sizeof ticks) die("timerfd");
    close(timer);
    break;
  }
  case SIGTIMEDWAIT: {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 5);
    if (sigtimedwait(&set, NULL, &rest) >= 0 || errno != EAGAIN) die("sigtimedwait");
    break;
  }
  case TIMER_SIGNAL:
  case TIMER_IN_SLEEP: {
    timer_t timer;
    int number = kind == TIMER_SIGNAL ? SIGRTMIN + 6 : SIGUSR2;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    event.sigev_value.sival_int = slot;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer)) die("timer_create");
    timer_settime(timer, 0, &once, NULL);
    if (kind == TIMER_SIGNAL) {
      sigset_t set;
      siginfo_t info;
      sigemptyset(&set);
      sigaddset(&set, number);
      while (sigwaitinfo(&set, &info) != number) {
      }
      if (info.si_code != SI_TIMER || info.si_value.sival_int != slot) die("siginfo of a timer");
    } else {
      struct timespec hour = {.tv_sec = 3600}, rest_of_hour;
      if (nanosleep(&hour, &rest_of_hour) == 0 || errno != EINTR || heard != SIGUSR2) die("timer in sleep");
      double slept = 3600 - rest_of_hour.tv_sec - rest_of_hour.tv_nsec / 1e9;
      if (slept < left - 0.001) die("rest of a sleep");
      heard = 0;
    }
    timer_delete(timer);
    break;
  }
  case ITIMER: {
    struct itimerval value = {.it_value = {rest.tv_sec, rest.tv_nsec / 1000}};
    sigset_t set;
    int number;
    setitimer(ITIMER_REAL, &value, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigwait(&set, &number);
    break;
  }
  case CHILD: {
    pid_t child = fork();
    if (child == 0) {
      until(end);
      _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  case CHILD_IN_PROC: {
    /* The kernel keeps what was looked up of a process, and the parent throws that away before it knows of the end. */
    pid_t child = fork();
    if (child == 0) {
      for (int file = 0; file < FILES; file++) {
        char name[64];
        struct stat status;
        snprintf(name, sizeof name, "/proc/self/fdinfo/%d", file);
        stat(name, &status);
      }
      until(end);
      _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  case CHILD_OF_THREADS: {
    /* Another thread than the first ends it. */
    pid_t child = fork();
    if (child == 0) {
      pthread_t helper;
      if (pthread_create(&helper, NULL, leave, &end)) die("pthread_create");
      pthread_join(helper, NULL);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  case THREAD: {
    struct job job = {.end = end, .slot = slot};
    pthread_t helper;
    if (pthread_create(&helper, NULL, later, &job)) die("pthread_create");
    pthread_join(helper, NULL);
    return;
  }
  case PIPE_OF_CHILD: {
    int ends[2];
    if (pipe(ends) < 0) die("pipe");
    pid_t child = fork();
    if (child == 0) {
      until(end);
      _exit(write(ends[1], "x", 1) != 1);
    }
    struct pollfd item = {.fd = ends[0], .events = POLLIN};
    if (poll(&item, 1, 600000) != 1) die("poll of a pipe");
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    close(ends[0]);
    close(ends[1]);
    break;
  }
  case SIGNAL_IN_SLEEP: {
    /* On a busy machine the signal may come before the sleep. */
    struct timespec long_enough = span(30 * shared->slot);
    while (heard != SIGUSR1) nanosleep(&long_enough, NULL);
    heard = 0;
    break;
  }
  case SIGNAL_IN_PSELECT: {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    struct timespec hour = {.tv_sec = 3600};
    while (heard != SIGUSR1) pselect(0, NULL, NULL, NULL, &hour, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    heard = 0;
    break;
  }
  }
  shared->is_late[slot] = has_forks_alone && now() > moment(slot) + shared->slot / 2;
  log_slot(slot);
}

static void *act(void *argument) {
  int actor = (int)(intptr_t)argument;
  shared->pids[actor] = getpid();
  shared->tids[actor] = (int)syscall(SYS_gettid);
  for (int slot = 0; slot < slots; slot++) {
    if (plan[slot].actor == actor) wait_for(slot, plan[slot].kind);
    if (plan[slot].sender == actor) {
      until(moment(slot));
      int receiver = plan[slot].actor;
      syscall(SYS_tgkill, shared->pids[receiver], shared->tids[receiver], SIGUSR1);
    }
  }
  return NULL;
}

/* Each actor has a slot of its own at the most every third; signals need a sender who is free. */
static void make_plan(unsigned seed) {
  int last[ACTORS];
  for (int actor = 0; actor < ACTORS; actor++) last[actor] = -5;
  srandom(seed);
  for (int slot = 0; slot < slots; slot++) {
    int actor;
    do actor = random() % ACTORS;
    while (slot - last[actor] < 3);
    int kind = has_forks_alone ? fork_kinds[random() % 5] : random() % KINDS;
    /* The timer of a process is for its first thread; its signal is blocked in the others. */
    if (kind == ITIMER && actor % THREADS != 0) kind = SLEEP;
    plan[slot].actor = actor;
    plan[slot].kind = kind;
    plan[slot].sender = -1;
    last[actor] = slot;
    if (kind == SIGNAL_IN_SLEEP || kind == SIGNAL_IN_PSELECT) {
      int sender;
      do sender = random() % ACTORS;
      while (sender == actor || slot - last[sender] < 3);
      plan[slot].sender = sender;
      last[sender] = slot;
    }
  }
}

int main(int count, char **words) {
  if (count != 4 && count != 5) return 64;
  has_forks_alone = count == 5 && strcmp(words[4], "forks") == 0;
  slots = atoi(words[2]);
  if (slots < 1 || slots > MOST) return 64;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  make_plan((unsigned)atoi(words[1]));
  if (has_forks_alone)
    for (int file = 0; file < FILES; file++) dup(STDOUT_FILENO);
  struct sigaction action = {.sa_handler = hear};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  sigaddset(&blocked, SIGRTMIN + 5);
  sigaddset(&blocked, SIGRTMIN + 6);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  shared->slot = atof(words[3]) / 1e6;
  shared->start = now() + 0.2 + 3 * shared->slot;
  for (int process = 0; process < PROCESSES; process++) {
    if (fork() != 0) continue;
    pthread_t threads[THREADS];
    for (int index = 1; index < THREADS; index++)
      pthread_create(&threads[index], NULL, act, (void *)(intptr_t)(process * THREADS + index));
    act((void *)(intptr_t)(process * THREADS));
    for (int index = 1; index < THREADS; index++) pthread_join(threads[index], NULL);
    _exit(0);
  }
  int status, bad = 0;
  while (wait(&status) > 0) bad |= status != 0;
  for (int index = 0; index < shared->count; index++) {
    int slot = shared->order[index];
    printf("%d%s\n", slot, shared->is_late[slot] ? " late" : "");
  }
  return bad ? 1 : 0;
}
