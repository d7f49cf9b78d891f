/* What launch.c and guard.c share. */

#ifndef ANEROID_INTERPOSER_GUARD_H
#define ANEROID_INTERPOSER_GUARD_H

#include "interposer.h"

/* Guards a program that is a child of this process, until the other end of the line is closed. All
 * signals are blocked. */
_Noreturn void interposer_guard(pid_t program, int line);

#endif
