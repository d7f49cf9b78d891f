/* Hears the calls of clients and lets those go on that cannot concern us, with as few calls of its own as can be.
 *
 * Where calls come one after the other, this thread blocks in the listener itself, and another thread wakes it when
 * something else happens. The listener is in no epoll instance, as each call would pay for being told there. */

#define _GNU_SOURCE
#include "interposer.h"
#include "waker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* After so many calls that went on in a row there is a waker; after something else happened this one waits for
 * everything so many times, as more of that may come. */
enum { MANY_CALLS = 16, CAUTIOUS_WAITS = 16 };

struct interposer_hearing {
  int others, listener;
  int calls, caution;
  struct interposer_waker *waker;
};

struct interposer_hearing *interposer_hearing_create(int *error) {
  struct interposer_hearing *hearing = calloc(1, sizeof *hearing);
  *error = ENOMEM;
  if (!hearing) return NULL;
  hearing->listener = -1;
  hearing->others = interposer_poll_create();
  if (hearing->others >= 0) return hearing;
  *error = -hearing->others;
  interposer_hearing_destroy(hearing);
  return NULL;
}

void interposer_hearing_destroy(struct interposer_hearing *hearing) {
  if (hearing->waker) interposer_waker_destroy(hearing->waker);
  if (hearing->others >= 0) close(hearing->others);
  free(hearing);
}

void interposer_hearing_listen(struct interposer_hearing *hearing, int listener) {
  hearing->listener = listener;
}

int interposer_hearing_add(struct interposer_hearing *hearing, int descriptor, uint64_t token) {
  return interposer_poll_add(hearing->others, descriptor, token);
}

/* Takes the next call; whether it may concern us. Others go on. */
static bool take(struct interposer_hearing *hearing, const struct interposer_gate *gate,
                 struct interposer_call *call, int *failure) {
  *failure = interposer_receive(hearing->listener, call);
  if (*failure) return false;
  if (call->thread != 0 && interposer_concerns(gate, call)) return true;
  interposer_continue(hearing->listener, call->id);
  return false;
}

/* Takes calls, blocked in the listener, until one may concern us, or something else has happened. */
static bool take_many(struct interposer_hearing *hearing, const struct interposer_gate *gate,
                      struct interposer_call *call) {
  int failure = 0;
  bool concerns = false;
  interposer_waker_arm(hearing->waker);
  while (!failure && !concerns && !interposer_waker_has_woken(hearing->waker))
    concerns = take(hearing, gate, call, &failure);
  if (interposer_waker_has_woken(hearing->waker)) hearing->caution = CAUTIOUS_WAITS;
  interposer_waker_disarm(hearing->waker);
  return concerns;
}

/* Waits for everything. */
static void wait_for_all(struct interposer_hearing *hearing, int64_t nanoseconds,
                         struct interposer_heard *heard) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  struct pollfd items[2] = {{.fd = hearing->listener, .events = POLLIN},
                            {.fd = hearing->others, .events = POLLIN}};
  if (ppoll(items, 2, nanoseconds < 0 ? NULL : &limit, NULL) <= 0) return;
  heard->is_called = (items[0].revents & POLLIN) != 0;
  heard->is_over = (items[0].revents & (POLLHUP | POLLERR)) != 0;
  if (items[1].revents)
    heard->others = interposer_poll_look(hearing->others, heard->tokens, heard->hangups, 16);
}

void interposer_hear(struct interposer_hearing *hearing, const struct interposer_gate *gate,
                     int64_t nanoseconds, struct interposer_heard *heard) {
  heard->is_called = heard->is_over = heard->has_call = false;
  heard->others = 0;
  bool takes = gate && nanoseconds < 0;
  while (!heard->others && !heard->is_over) {
    if (takes && hearing->waker && hearing->caution == 0) {
      heard->is_called = heard->has_call = take_many(hearing, gate, &heard->call);
      if (heard->has_call) return;
    }
    if (hearing->caution > 0) hearing->caution--;
    wait_for_all(hearing, nanoseconds, heard);
    if (!takes || !heard->is_called || heard->is_over) return;
    int failure;
    heard->is_called = heard->has_call = take(hearing, gate, &heard->call, &failure);
    if (heard->has_call) return;
    if (!hearing->waker && ++hearing->calls == MANY_CALLS)
      hearing->waker = interposer_waker_create(hearing->others);
  }
}
