/* A thread that waits for a descriptor and signals the owner thread, only while it is armed, so that no other call
 * is interrupted. */

#define _GNU_SOURCE
#include "waker.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum state {
  DISARMED,
  /* The waker thread waits until it is armed. */
  AWAITED,
  ARMED,
  /* A signal is being sent; it has been sent. */
  SENDING,
  WOKEN,
};

struct interposer_waker {
  _Atomic uint32_t state;
  int descriptor, stop;
  pid_t sleeper;
  pthread_t thread;
};

/* Sleeps while the state has a value, for at most a number of nanoseconds unless that is 0. */
static void wait_while(struct interposer_waker *waker, uint32_t state, long nanoseconds) {
  struct timespec limit = {.tv_nsec = nanoseconds};
  syscall(SYS_futex, &waker->state, FUTEX_WAIT_PRIVATE, state, nanoseconds ? &limit : NULL, NULL, 0);
}

static void wake_thread(struct interposer_waker *waker) {
  syscall(SYS_futex, &waker->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool change(struct interposer_waker *waker, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong(&waker->state, &from, to);
}

static void *watch(void *argument) {
  struct interposer_waker *waker = argument;
  struct pollfd items[2] = {{.fd = waker->descriptor, .events = POLLIN},
                            {.fd = waker->stop, .events = POLLIN}};
  while (true) {
    poll(items, 2, -1);
    if (items[1].revents) return NULL;
    if (change(waker, ARMED, SENDING) || change(waker, WOKEN, SENDING)) {
      syscall(SYS_tgkill, getpid(), waker->sleeper, SIGURG);
      atomic_store(&waker->state, WOKEN);
      /* The owner may have been about to make the call and was not interrupted. */
      wait_while(waker, WOKEN, 1000000);
    } else if (change(waker, DISARMED, AWAITED) || atomic_load(&waker->state) == AWAITED) {
      if (poll(&items[1], 1, 0) == 0) wait_while(waker, AWAITED, 0);
    }
  }
}

static void ignore_signal(int signal) { (void)signal; }

struct interposer_waker *interposer_waker_create(int descriptor) {
  struct interposer_waker *waker = calloc(1, sizeof *waker);
  if (!waker) return NULL;
  waker->descriptor = descriptor;
  waker->sleeper = (pid_t)syscall(SYS_gettid);
  waker->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action = {.sa_handler = ignore_signal};
  sigset_t all, old;
  sigfillset(&all);
  if (waker->stop >= 0 && sigaction(SIGURG, &action, NULL) == 0 &&
      pthread_sigmask(SIG_SETMASK, &all, &old) == 0) {
    int error = pthread_create(&waker->thread, NULL, watch, waker);
    sigdelset(&old, SIGURG);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == 0) return waker;
  }
  if (waker->stop >= 0) close(waker->stop);
  free(waker);
  return NULL;
}

void interposer_waker_destroy(struct interposer_waker *waker) {
  eventfd_write(waker->stop, 1);
  /* The thread waits for one or the other. */
  interposer_waker_arm(waker);
  interposer_waker_disarm(waker);
  pthread_join(waker->thread, NULL);
  close(waker->stop);
  free(waker);
}

void interposer_waker_arm(struct interposer_waker *waker) {
  if (atomic_exchange(&waker->state, ARMED) == AWAITED) wake_thread(waker);
}

bool interposer_waker_has_woken(const struct interposer_waker *waker) {
  return atomic_load_explicit(&waker->state, memory_order_relaxed) >= SENDING;
}

void interposer_waker_disarm(struct interposer_waker *waker) {
  while (!change(waker, ARMED, DISARMED)) {
    if (change(waker, WOKEN, DISARMED)) {
      wake_thread(waker);
      return;
    }
    sched_yield();
  }
}
