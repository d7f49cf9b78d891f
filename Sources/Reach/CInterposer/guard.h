/* Declarations shared by launch.c, guard.c and opener.c. */

#ifndef ANEROID_INTERPOSER_GUARD_H
#define ANEROID_INTERPOSER_GUARD_H

#include "interposer.h"

/* Guards a program that is a child of this process until the other end of the socket is closed. All signals are
 * blocked. */
_Noreturn void interposer_guard(pid_t program, int line);

/* Receives a message of interposer_send_order: a number and a descriptor or -1. Returns the number of bytes, 0 if the
 * other end is closed, or -errno. */
ssize_t interposer_receive_order(int line, int *order, int *descriptor);

#endif
