/* Receives the calls of clients and passes those that cannot concern the interposer, with few system calls of its
 * own.
 *
 * While calls arrive in succession, this thread blocks in the listener itself, and another thread interrupts it for
 * other events. The listener is not in an epoll instance because that would add a cost to each call. */

#define _GNU_SOURCE
#include "interposer.h"
#include "waker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The number of consecutive passed calls after which a waker is created, and the number of full waits after another
 * event, because more events may follow. */
enum { MANY_CALLS = 16, CAUTIOUS_WAITS = 16 };

struct interposer_event_loop {
  int others, listener;
  int calls, caution;
  struct interposer_waker *waker;
};

struct interposer_event_loop *interposer_event_loop_create(int *error) {
  struct interposer_event_loop *loop = calloc(1, sizeof *loop);
  *error = ENOMEM;
  if (!loop) return NULL;
  loop->listener = -1;
  loop->others = interposer_epoll_create();
  if (loop->others >= 0) return loop;
  *error = -loop->others;
  interposer_event_loop_destroy(loop);
  return NULL;
}

void interposer_event_loop_destroy(struct interposer_event_loop *loop) {
  if (loop->waker) interposer_waker_destroy(loop->waker);
  if (loop->others >= 0) close(loop->others);
  free(loop);
}

void interposer_event_loop_listen(struct interposer_event_loop *loop, int listener) {
  loop->listener = listener;
}

int interposer_event_loop_add(struct interposer_event_loop *loop, int descriptor, uint64_t token) {
  return interposer_epoll_add(loop->others, descriptor, token);
}

/* Receives the next call. Returns true if it may concern the interposer; other calls are passed. */
static bool take(struct interposer_event_loop *loop, const struct interposer_prefilter *prefilter,
                 struct interposer_call *call, int *failure) {
  *failure = interposer_receive(loop->listener, call);
  if (*failure) return false;
  if (call->thread != 0 && interposer_is_relevant(prefilter, call)) return true;
  interposer_continue(loop->listener, call->id);
  return false;
}

/* Receives calls, blocking in the listener, until one may concern the interposer or another event occurs. */
static bool take_many(struct interposer_event_loop *loop, const struct interposer_prefilter *prefilter,
                      struct interposer_call *call) {
  int failure = 0;
  bool concerns = false;
  interposer_waker_arm(loop->waker);
  while (!failure && !concerns && !interposer_waker_has_woken(loop->waker))
    concerns = take(loop, prefilter, call, &failure);
  if (interposer_waker_has_woken(loop->waker)) loop->caution = CAUTIOUS_WAITS;
  interposer_waker_disarm(loop->waker);
  return concerns;
}

/* Waits for all events. */
static void wait_for_all(struct interposer_event_loop *loop, int64_t nanoseconds,
                         struct interposer_events *events) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  struct pollfd items[2] = {{.fd = loop->listener, .events = POLLIN},
                            {.fd = loop->others, .events = POLLIN}};
  if (ppoll(items, 2, nanoseconds < 0 ? NULL : &limit, NULL) <= 0) return;
  events->is_called = (items[0].revents & POLLIN) != 0;
  events->is_over = (items[0].revents & (POLLHUP | POLLERR)) != 0;
  if (items[1].revents)
    events->others = interposer_epoll_events(loop->others, events->tokens, events->hangups, 16);
}

void interposer_event_loop_wait(struct interposer_event_loop *loop, const struct interposer_prefilter *prefilter,
                     int64_t nanoseconds, struct interposer_events *events) {
  events->is_called = events->is_over = events->has_call = false;
  events->others = 0;
  bool takes = prefilter && nanoseconds < 0;
  while (!events->others && !events->is_over) {
    if (takes && loop->waker && loop->caution == 0) {
      events->is_called = events->has_call = take_many(loop, prefilter, &events->call);
      if (events->has_call) return;
    }
    if (loop->caution > 0) loop->caution--;
    wait_for_all(loop, nanoseconds, events);
    if (!takes || !events->is_called || events->is_over) return;
    int failure;
    events->is_called = events->has_call = take(loop, prefilter, &events->call, &failure);
    if (events->has_call) return;
    if (!loop->waker && ++loop->calls == MANY_CALLS)
      loop->waker = interposer_waker_create(loop->others);
  }
}
