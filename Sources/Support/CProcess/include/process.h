/* Process services below Swift: the arguments, and a one-line message on a crash. */

#ifndef ANEROID_PROCESS_H
#define ANEROID_PROCESS_H

#include <termios.h>

/* The number of arguments, including the program name; 0 if the C library does not pass them to constructors. */
int process_argument_count(void);

/* The argument at an index. */
const char *process_argument(int index);

/* Ends the process on a crash with one line on standard error and status 70. If SWIFT_BACKTRACE enables backtraces,
 * Swift's own crash handler is kept. */
void process_report_crashes(void);

/* Saves the terminal settings, to be restored on a crash; NULL discards them. */
void process_save_terminal(const struct termios *original);

#endif
