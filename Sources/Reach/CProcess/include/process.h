/* Process services that Swift does not offer: the arguments, and a one-line message on a crash. */

#ifndef ANEROID_PROCESS_H
#define ANEROID_PROCESS_H

#include <termios.h>

/* Returns the number of arguments, including the program name; 0 if the C library passes none to constructors. */
int process_argument_count(void);

/* Returns the argument at an index. */
const char *process_argument(int index);

/* Makes a program that is started with these actions, a posix_spawn_file_actions_t, run in a folder; returns 0, or an errno. */
int process_add_folder(void *actions, const char *folder);

/* Makes the kernel kill this process when its parent ends, and ends it if the parent has ended already. */
void process_end_with_parent(void);

/* Makes a crash end the process with one line on standard error and status 70. If SWIFT_BACKTRACE enables backtraces,
 * Swift's own crash handler is kept. */
void process_report_crashes(void);

/* Saves terminal settings, which are restored after a crash; NULL discards them. */
void process_save_terminal(const struct termios *original);

#endif
