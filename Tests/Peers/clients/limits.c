// Waits with a limit that few programs use: what each returns, and after how many tenths of a second of the program's
// clock.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double begun;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static struct timespec at(double seconds) {
  return (struct timespec){(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
}

static void begin(void) { begun = now(CLOCK_MONOTONIC); }

static void told(const char *what, long result) {
  double seconds = now(CLOCK_MONOTONIC) - begun;
  printf("%s %ld after %.1f\n", what, result < 0 ? -errno : result, seconds);
  fflush(stdout);
}

static void nap(double seconds) {
  struct timespec time = at(seconds);
  while (nanosleep(&time, &time) < 0 && errno == EINTR) {
  }
}

static void *signal_later(void *process) {
  nap(2);
  kill(*(pid_t *)process, SIGUSR1);
  return NULL;
}

static void signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int file = signalfd(-1, &set, SFD_CLOEXEC), group = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(group, EPOLL_CTL_ADD, file, &event);
  struct signalfd_siginfo info;
  pid_t self = getpid();
  pthread_t thread;
  struct pollfd item = {.fd = file, .events = POLLIN};
  begin();
  pthread_create(&thread, NULL, signal_later, &self);
  told("poll", poll(&item, 1, 60000));
  told("poll again", poll(&item, 1, 500));
  told("read", read(file, &info, sizeof info));
  pthread_join(thread, NULL);
  begin();
  alarm(3);
  told("epoll", epoll_wait(group, &event, 1, 60000));
  told("read", read(file, &info, sizeof info));
  fd_set files;
  FD_ZERO(&files);
  FD_SET(file, &files);
  struct timeval limit = {.tv_sec = 60};
  begin();
  alarm(1);
  told("select", select(file + 1, &files, NULL, NULL, &limit));
  told("read", read(file, &info, sizeof info));
  begin();
  told("nothing", poll(&item, 1, 1500));
}

static pthread_mutex_t mutex;

static void *hold(void *unused) {
  pthread_mutex_lock(&mutex);
  nap(2);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void priority(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&mutex, &kind);
  pthread_t thread;
  begin();
  pthread_create(&thread, NULL, hold, NULL);
  nap(0.5);
  struct timespec limit = at(now(CLOCK_REALTIME) + 1);
  told("held", pthread_mutex_timedlock(&mutex, &limit));
  limit = at(now(CLOCK_REALTIME) + 10);
  told("released", pthread_mutex_timedlock(&mutex, &limit));
  pthread_mutex_unlock(&mutex);
}

static mqd_t queue;

static void *send_later(void *unused) {
  nap(2);
  mq_send(queue, "x", 1, 0);
  return unused;
}

static void queues(void) {
  char name[64], byte[8];
  snprintf(name, sizeof name, "/aneroid-%d", (int)getpid());
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &size);
  mq_unlink(name);
  pthread_t thread;
  begin();
  struct timespec limit = at(now(CLOCK_REALTIME) + 3);
  told("empty", mq_timedreceive(queue, byte, sizeof byte, NULL, &limit));
  begin();
  pthread_create(&thread, NULL, send_later, NULL);
  limit = at(now(CLOCK_REALTIME) + 10);
  told("received", mq_timedreceive(queue, byte, sizeof byte, NULL, &limit));
  limit = at(now(CLOCK_REALTIME) + 10);
  told("sent", mq_timedsend(queue, "y", 1, 0, &limit));
  limit = at(now(CLOCK_REALTIME) + 1);
  told("full", mq_timedsend(queue, "z", 1, 0, &limit));
}

static int set;

static void *rise_later(void *unused) {
  struct sembuf rise = {.sem_num = 1, .sem_op = 2};
  nap(2);
  semop(set, &rise, 1);
  return unused;
}

static void semaphores(void) {
  set = semget(IPC_PRIVATE, 2, 0600);
  struct sembuf both[2] = {{.sem_num = 0, .sem_op = 1}, {.sem_num = 1, .sem_op = -2}};
  pthread_t thread;
  struct timespec limit = at(1);
  begin();
  told("zero", semtimedop(set, both, 2, &limit));
  begin();
  pthread_create(&thread, NULL, rise_later, NULL);
  limit = at(10);
  told("risen", semtimedop(set, both, 2, &limit));
  told("values", semctl(set, 0, GETVAL) * 10 + semctl(set, 1, GETVAL));
  struct sembuf nothing = {.sem_num = 0, .sem_op = 0};
  begin();
  told("not zero", semtimedop(set, &nothing, 1, &limit));
  semctl(set, 0, IPC_RMID);
}

static void sockets(void) {
  int pair[2];
  char byte;
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  struct timeval none = {0}, limit = {.tv_usec = 1000};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  printf("recv %ld\n", (long)(recv(pair[0], &byte, 1, 0) < 0 ? -errno : 0));
}

int main(int count, char **names) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"signals", signals},
               {"priority", priority},
               {"queues", queues},
               {"semaphores", semaphores},
               {"sockets", sockets}};
  for (size_t i = 0; count > 1 && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, names[1]) == 0) kinds[i].run();
  return 0;
}
