/* What launch.c, guard.c and opener.c share. */

#ifndef ANEROID_INTERPOSER_GUARD_H
#define ANEROID_INTERPOSER_GUARD_H

#include "interposer.h"

/* Guards a program that is a child of this process, until the other end of the line is closed. All
 * signals are blocked. */
_Noreturn void interposer_guard(pid_t program, int line);

/* Takes what interposer_order sent: a number and a descriptor, -1 for none. How many bytes came, 0 where the other end
 * is closed, or -errno. */
ssize_t interposer_take_order(int line, int *order, int *descriptor);

#endif
