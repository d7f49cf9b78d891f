/* What a process must do before and beneath Swift: keep its arguments, say one line when it crashes. */

#ifndef ANEROID_PROCESS_H
#define ANEROID_PROCESS_H

#include <termios.h>

/* The number of arguments, the program's name included; 0 where the system does not tell them so early. */
int process_argument_count(void);

/* An argument. */
const char *process_argument(int index);

/* Lets crashes end the process with one line on standard error and status 70. Where SWIFT_BACKTRACE asks for a
 * backtrace, Swift's own is left in place. */
void process_tell_crashes(void);

/* Keeps how the terminal was, so that a crash gives it back; NULL forgets it. */
void process_keep_terminal(const struct termios *original);

#endif
