/* Interrupts a thread's blocked system call (EINTR) when a descriptor becomes readable, for calls that can wait for
 * one event only. A call that is not interrupted costs two atomic exchanges. */

#ifndef ANEROID_INTERPOSER_WAKER_H
#define ANEROID_INTERPOSER_WAKER_H

#include <stdbool.h>

struct interposer_waker;

/* Creates a waker for the calling thread, or NULL if its thread cannot be started. It uses SIGURG. */
struct interposer_waker *interposer_waker_create(int descriptor);
void interposer_waker_destroy(struct interposer_waker *waker);
/* From now on calls of this thread are interrupted while the descriptor is readable; a call that starts at that very
 * moment is interrupted one millisecond later. */
void interposer_waker_arm(struct interposer_waker *waker);
/* Returns true if the waker has interrupted this thread since it was armed. */
bool interposer_waker_has_woken(const struct interposer_waker *waker);
/* From now on no call is interrupted. */
void interposer_waker_disarm(struct interposer_waker *waker);

#endif
