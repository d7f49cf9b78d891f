/* Ends a thread's blocked system call (EINTR) when a descriptor becomes readable, for calls that can wait for one
 * thing only. What a call costs that nothing interrupts is two exchanges of a word. */

#ifndef ANEROID_INTERPOSER_WAKER_H
#define ANEROID_INTERPOSER_WAKER_H

#include <stdbool.h>

struct interposer_waker;

/* A waker of this thread; NULL where there is no thread for it. It uses SIGURG. */
struct interposer_waker *interposer_waker_create(int descriptor);
void interposer_waker_destroy(struct interposer_waker *waker);
/* From here on this thread's calls end while the descriptor is readable; one that begins in the very moment it is
 * interrupted ends a millisecond later. */
void interposer_waker_arm(struct interposer_waker *waker);
/* Whether it has woken this thread since it was armed. */
bool interposer_waker_has_woken(const struct interposer_waker *waker);
/* From here on no call is interrupted any more. */
void interposer_waker_disarm(struct interposer_waker *waker);

#endif
