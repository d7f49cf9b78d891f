/* System calls of the interposer that Swift cannot make: they are variadic, have no C library function, or are made
 * between fork and exec. The functions return 0 or a value, and -errno for a failure. */

#ifndef ANEROID_INTERPOSER_H
#define ANEROID_INTERPOSER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A system call that waits for an answer (struct seccomp_notif). */
struct interposer_call {
  uint64_t id;
  uint64_t arguments[6];
  int32_t thread;
  int32_t number;
};

/* A program to start. All memory is prepared before the fork. */
struct interposer_program {
  const char *path;
  char *const *arguments;
  /* The arguments of /bin/sh for a script without an interpreter line. */
  char *const *shell_arguments;
  const struct sock_filter *filter;
  uint16_t filter_length;
};

/* A started program. */
struct interposer_start {
  pid_t process;
  /* The guard process, which is the parent of the program, and the socket to it. */
  pid_t guard;
  int line;
  int listener;
  /* Readable once the result of the execution is known: see interposer_execution_result. */
  int report;
  /* true if a received call can be ended only by a fatal signal (Linux 5.19). */
  bool waits_killable;
  /* The last step, or the failed step and its errno. */
  enum {
    INTERPOSER_STARTED,
    INTERPOSER_NO_FORK,
    INTERPOSER_NO_FILTER,
    INTERPOSER_LAUNCHED
  } outcome;
  int error;
};

/* Launches a program under a seccomp filter, with a guard process in between that kills the program and its
 * descendants when this process ends for any reason. No Swift code runs between fork and exec. The program waits at its
 * execution, which is an intercepted call. */
struct interposer_start interposer_launch(const struct interposer_program *program);
/* Waits until a launched program has its filter: the outcome is then INTERPOSER_STARTED or a failure. */
void interposer_await_start(struct interposer_start *start);
/* Ends a program that waits at its execution, and its guard. */
void interposer_cancel_start(struct interposer_start *start);

/* Sends an order to the guard: a signal for the program; the end of all descendants; or to hold a descriptor
 * (otherwise -1): the listener, so that calls block after this process has died, or a directory, which is then
 * removed with its files. */
static const int INTERPOSER_END_ALL = 1 << 16;
static const int INTERPOSER_HOLD_LISTENER = 1 << 17;
static const int INTERPOSER_REMOVE_FOLDER = 1 << 18;
/* Returns whether the guard process has executed all orders that were sent to it. */
bool interposer_are_orders_executed(int line, pid_t guard);
int interposer_send_order(int line, int order, int descriptor);
/* Returns true if the guard has reported the exit of the program, with its wait status. */
bool interposer_program_status(int line, bool waits, int *status);
/* Closes the socket and waits a limited time until the guard has ended all processes and itself. */
void interposer_dismiss(pid_t guard, int line);

/* Reads the result of the execution: 0, or the errno of the failure. */
int interposer_execution_result(int report);

/* Checks for the kernel features that the interposer needs: 0, or -errno. */
int interposer_probe(const struct sock_filter *filter, uint16_t length);
/* Checks whether programs can be traced through their execution: 0, or -errno. */
int interposer_probe_tracing(void);
/* Checks whether FUSE files can be served: 0, or -errno. */
int interposer_probe_files(void);

/* Lets callers and this thread wake each other on one processor (Linux 6.6): one of them always waits for the other. */
void interposer_set_sync_wakeup(int listener);

/* Receives a call; -EINTR and -ENOENT are not failures. */
int interposer_receive(int listener, struct interposer_call *call);
/* Answers a call with a value or, if error is not 0, with an errno. */
int interposer_answer(int listener, uint64_t id, int64_t value, int error);
/* Passes the call to the kernel. */
int interposer_continue(int listener, uint64_t id);
/* Returns true if the call still waits for its answer. */
bool interposer_is_waiting(int listener, uint64_t id);
/* Installs a copy of a descriptor in the caller and answers with its number; number -1 is the lowest free one. */
int interposer_install_and_answer(int listener, uint64_t id, int descriptor, int number, bool close_on_exec);

/* The state of the pre-filter, which recognizes relevant calls by their paths and by what is open. */
struct interposer_prefilter {
  /* The lowest descriptor number of synthetic files. */
  unsigned first_number;
  /* true if clients have synthetic descriptors open, a synthetic working directory, or a listing in progress. */
  bool has_sockets, has_folders, has_listings;
  /* true if a client may have another root directory than this process. */
  bool has_chroots;
  /* Additional substrings that make a path relevant, besides those of I2C. */
  int word_count;
  const char *words[12];
  /* The directories with synthetic entries. */
  int folder_count;
  const char *folders[16];
};
/* Returns true if a path relative to a directory can concern the interposer. */
bool interposer_is_relevant_path(const struct interposer_prefilter *prefilter, int directory, const char *path,
                        size_t length);
/* Returns true if a call can concern the interposer; other calls need no further handling. */
bool interposer_is_relevant(const struct interposer_prefilter *prefilter, const struct interposer_call *call);

/* The event loop: waits for calls of clients and for other descriptors. */
struct interposer_event_loop;
struct interposer_event_loop *interposer_event_loop_create(int *error);
void interposer_event_loop_destroy(struct interposer_event_loop *loop);
void interposer_event_loop_listen(struct interposer_event_loop *loop, int listener);
int interposer_event_loop_add(struct interposer_event_loop *loop, int descriptor, uint64_t token);
/* The events of a wait. */
struct interposer_events {
  /* true if a call may be pending, if all clients have ended, and if a call was received. */
  bool is_called, is_over, has_call;
  struct interposer_call call;
  /* The events of other descriptors, as of interposer_epoll_events. */
  int others;
  uint64_t tokens[16];
  bool hangups[16];
};
/* Waits for at most a number of nanoseconds; -1 for no limit. With a prefilter and without a limit, calls that cannot
 * concern the interposer are passed without returning, and others are received. */
void interposer_event_loop_wait(struct interposer_event_loop *loop, const struct interposer_prefilter *prefilter,
                     int64_t nanoseconds, struct interposer_events *events);

/* Copies memory from or to a process. Returns the number of bytes. */
ssize_t interposer_read(pid_t thread, uint64_t address, void *bytes, size_t count);
ssize_t interposer_write(pid_t thread, uint64_t address, const void *bytes, size_t count);

/* Blocks SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 and SIGUSR2, and returns a descriptor that receives
 * them. */
int interposer_signals(void);
/* Ignores SIGPIPE and SIGXFSZ: a closed output or a size limit of a trace must not end the supervisor. */
void interposer_ignore_writing_signals(void);
/* Returns the next signal, or 0; sender is 0 if the kernel (a terminal) sent it. */
int interposer_signal(int signals, pid_t *sender);
/* Makes orphans of the program children of this process. */
int interposer_set_subreaper(void);

/* Requests SIGKILL when the parent ends. Returns true if the parent is still the given process. */
bool interposer_die_with_parent(pid_t parent);

/* Creates an epoll instance. */
int interposer_epoll_create(void);
int interposer_epoll_add(int poll, int descriptor, uint64_t token);
/* Returns the pending events; each has a token and a hang-up flag. */
int interposer_epoll_events(int poll, uint64_t *tokens, bool *hangups, int capacity);
/* Removes the timer slack of this thread, by which waits end up to 50 us late. */
void interposer_clear_timer_slack(void);

/* Reads the path of a descriptor of a thread, or of its working directory for -1. Returns its length. */
ssize_t interposer_path(pid_t thread, int descriptor, char *path, size_t capacity);
/* Returns true if a descriptor of a thread is open. */
bool interposer_is_open(pid_t thread, int descriptor);

/* Open /proc files of a thread that is checked repeatedly; -1 if closed. They belong to that thread: if its ID is
 * reused, reading them shows that it has ended. */
struct interposer_thread_files {
  int state, runs, signals;
};
void interposer_thread_close(struct interposer_thread_files *files);
/* Returns the state of a thread from /proc, 0 if it has ended; with its start time in ticks since boot. */
char interposer_thread_state(pid_t thread, struct interposer_thread_files *files,
                             uint64_t *started);
/* Returns true if a thread that shows a sleeping state has left its processor, waiting briefly for it; true if the
 * kernel does not report it. */
bool interposer_thread_is_off_processor(pid_t thread);
/* Returns true if a thread is in a call that creates a thread or process; true if the kernel does not report it. */
bool interposer_thread_is_cloning(pid_t thread);
/* Waits until every parent is awake whose child shows that it has ended. */
void interposer_wait_for_parents(void);
/* Returns the number of time slices of a thread, and stores its CPU time in nanoseconds unless processor is NULL; 0
 * if the kernel does not count them. */
uint64_t interposer_thread_time_slices(pid_t thread, struct interposer_thread_files *files,
                                uint64_t *processor);
/* The kind of system call in which a thread sleeps. */
enum interposer_wait {
  INTERPOSER_SLEEP_OTHER,
  /* The first argument of these is a descriptor. */
  INTERPOSER_SLEEP_READ,
  INTERPOSER_SLEEP_WRITE,
  INTERPOSER_SLEEP_LOCK,
  INTERPOSER_SLEEP_EPOLL,
  INTERPOSER_SLEEP_POLL,
  INTERPOSER_SLEEP_SELECT,
  INTERPOSER_SLEEP_CHILD,
  INTERPOSER_SLEEP_WORD,
  INTERPOSER_SLEEP_SIGNAL
};
/* Returns the kind of the call in which a thread sleeps, its number (-1 for none) and its arguments. */
enum interposer_wait interposer_thread_wait(pid_t thread, int32_t *number, uint64_t *arguments);
/* Returns true if a descriptor of a process was opened for writing. */
bool interposer_descriptor_writes(pid_t process, int descriptor);
/* Open the lists of the threads of a thread's process, and of the children of a thread. Return a descriptor or -1. */
int interposer_open_threads(pid_t thread);
int interposer_open_children(pid_t thread);
/* Read such a list from its start: the threads in order. Return the count; as many as the capacity permits are stored. */
int interposer_read_threads(int directory, int32_t *list, int capacity);
int interposer_read_children(int file, int32_t *list, int capacity);

/* The signals of a thread, one bit each: bit 0 is signal 1. */
struct interposer_thread_signals {
  pid_t process;
  pid_t tracer;
  int threads;
  /* Pending for the thread, and for its process. */
  uint64_t own, shared;
  uint64_t blocked, ignored, caught;
};
/* Returns false if the thread has ended. The file stays open if the caller keeps it in files, which may be NULL. */
bool interposer_thread_signals(pid_t thread, struct interposer_thread_files *files,
                               struct interposer_thread_signals *signals);

/* Open a pidfd of a process, and check whether it has ended. */
int interposer_process_open(pid_t process);
bool interposer_process_has_ended(int process);
/* Sends the signal of an expired timer to a process or, if thread is not 0, to one of its threads. */
int interposer_expire(int process, pid_t group, pid_t thread, int number, int timer, int overruns,
                      uint64_t value);

/* A timerfd that the supervisor expires is armed far in the future. Its interval in seconds is the mark by which it
 * is recognized in any process. */
#define INTERPOSER_NO_TIMER UINT64_MAX
/* Returns the mark of a descriptor of a thread, or INTERPOSER_NO_TIMER if it is not a timerfd. */
uint64_t interposer_timer_mark(pid_t thread, int descriptor);
/* Returns a copy of a descriptor of a process. */
int interposer_copy_process_descriptor(pid_t process, int descriptor);
/* Returns the clock of a timerfd of this process, or -errno. */
int interposer_timer_clock(int timer);
/* Sets the mark of a timerfd; unread expirations are discarded. */
int interposer_timer_set_mark(int timer, uint64_t mark);
/* Returns the number of unread expirations of a timerfd. */
int64_t interposer_timer_ticks(int timer);
/* Makes a timerfd readable with a number of expirations. */
int interposer_timer_expire(int timer, uint64_t mark, uint64_t ticks);

/* Returns true if a descriptor is readable. */
bool interposer_is_readable(int descriptor);
/* Polls descriptors of a thread without blocking. Returns the number of ready ones. */
int interposer_poll(pid_t thread, void *pollfds, unsigned count);
/* Polls an epoll instance of a thread without blocking. Returns the number of events, each of the size
 * interposer_epoll_event_size. */
int interposer_poll_epoll(pid_t thread, int descriptor, void *events, int capacity);
size_t interposer_epoll_event_size(void);

/* Returns the signals of a signalfd of a thread, or those of all signalfds in an epoll instance; 0 if there are
 * none. */
uint64_t interposer_accepted_signals(pid_t thread, int descriptor);
/* Returns the flags of an open file of a thread (such as O_NONBLOCK), or -1. */
int interposer_open_flags(pid_t thread, int descriptor);
/* Returns true if a thread is in this process's IPC namespace. */
bool interposer_shares_ipc_namespace(pid_t thread);
/* Returns the value of a semaphore of a set, or -errno. */
int interposer_semaphore(int set, int index);

/* The clock readings of a thread. */
struct interposer_reader {
  int32_t thread;
  /* The number of consecutive readings, and the number from which on the supervisor is needed. */
  uint32_t streak, most;
  /* The number of readings since time last advanced for another reason. */
  uint32_t readings;
  /* The time of its last reading, in nanoseconds since the start. */
  uint64_t now;
  /* The cost of a reading in nanoseconds; the number of readings without a system call. */
  uint32_t cost, silent;
  /* The process ID of the thread. */
  int32_t process;
  /* The number of readings since time last advanced from which on the supervisor is needed. */
  uint32_t most_readings;
  uint32_t reserved[6];
};
/* The initial value of most_readings. */
#define INTERPOSER_MOST_READINGS 8192
/* Creates the clocks that programs can read without a system call, from their values at the start in nanoseconds, by
 * clock ID; 0 for clocks that they cannot read. */
struct interposer_clocks;
struct interposer_clocks *interposer_clocks_create(const uint64_t *origins, int count);
void interposer_clocks_destroy(struct interposer_clocks *clocks);
/* Publishes the value of a clock at the start, which a step of the clock changes. */
void interposer_clocks_set_origin(struct interposer_clocks *clocks, int clock, uint64_t origin);
/* Publishes the global time, in nanoseconds since the start. */
void interposer_clocks_publish(struct interposer_clocks *clocks, uint64_t now);
/* Returns the slot of a reader, which may belong to another thread. A program reads without a system call only if
 * the slot has its own thread ID, and changes it then; this process changes it only while that thread waits for an
 * answer. */
struct interposer_reader *interposer_clocks_reader(struct interposer_clocks *clocks, pid_t thread);

/* Traces a thread to be notified when it executes a program. */
int interposer_trace_exec(pid_t thread);
/* Handles a child's status from waitpid. Returns true if it was only a stop of a traced thread, which is now
 * resumed. A program that was just executed gets the clocks, if there are any, or loses its vDSO, so that its
 * readings are system calls. */
bool interposer_handle_stop(pid_t process, int status, const struct interposer_clocks *clocks);

/* Returns the inode of the socket behind a descriptor of a thread; 0 if it is not a socket. */
uint64_t interposer_socket(pid_t thread, int descriptor);
/* Creates a pair of connected sockets for a synthetic directory or link: the client's end, the end that hangs up
 * after the last close of the client's end, and the inode of the client's end. */
int interposer_sockets(int *client, int *peer, uint64_t *inode);

/* The identity of a client. */
enum { INTERPOSER_GROUPS = 64 };
struct interposer_credentials {
  pid_t process, parent;
  /* The credentials for file access. */
  uint32_t user, group, mask;
  uint32_t groups[INTERPOSER_GROUPS];
  int group_count;
  uint64_t capabilities;
};
int interposer_read_credentials(pid_t thread, struct interposer_credentials *client);
/* Reads the path of a thread's root directory as this process sees it. Returns its length. */
ssize_t interposer_root(pid_t thread, char *path, size_t capacity);
/* Returns true if an open file of a thread is at offset 0. */
bool interposer_is_at_offset_zero(pid_t thread, int descriptor);
/* Reads the target of a path of a thread whose last component is a symbolic link. Returns the length of the target
 * path, relative to the same directory; 0 if it is not a link or links to nodes are not followed there. */
ssize_t interposer_link(pid_t thread, int directory, const char *path, char *target,
                        size_t capacity);
/* Returns true if a path may contain a link; interposer_link determines it. */
bool interposer_has_links(pid_t thread, int directory, const char *path, bool has_chroots);
/* Returns true if the last component of a path is in /dev, of the thread or of this process, through any links. */
bool interposer_is_in_dev(pid_t thread, int directory, const char *path);
/* Reads the name that an open would create in /dev, of the thread or of this process, through any links. Returns its
 * length; 0 if it would create none there. */
ssize_t interposer_created_in_dev(pid_t thread, int directory, const char *path, char *name,
                                   size_t capacity);
/* Returns true if a path is where links to nodes are not followed, but may be one for an open that creates a file. */
bool interposer_may_create_elsewhere(const char *path, bool has_chroots);
/* Returns true if an open directory of a thread contains a name, and if a thread sees a directory at a path. */
bool interposer_directory_has(pid_t thread, int descriptor, const char *name);
bool interposer_has_directory(pid_t thread, const char *path);
/* Returns true if a descriptor of a thread is a directory. */
bool interposer_is_directory(pid_t thread, int descriptor);
/* Creates a sealed memory file. Returns its descriptor, or -errno. */
int interposer_memory_file(const void *bytes, size_t count, unsigned mode);
/* Reopens a file read-only at offset 0. Returns its descriptor, or -errno. */
int interposer_reopen(int file);
/* Fills a statfs of a path, or of a file system type unless that is 0. Returns the size of the structure. */
int interposer_statfs(const char *path, int64_t type, void *bytes);

/* Returns the time of day in nanoseconds since 1970. */
int64_t interposer_realtime(void);

/* The metadata of a synthetic file; times in nanoseconds. */
struct interposer_metadata {
  uint64_t file_system, inode, size;
  uint32_t mode, links, user, group;
  uint32_t device_major, device_minor;
  int64_t read, written, changed;
};
/* Fill a stat and a statx of at most 256 bytes. Return the size of the structure. */
int interposer_stat(const struct interposer_metadata *facts, void *bytes);
int interposer_statx(const struct interposer_metadata *facts, void *bytes);
/* Reads the metadata of an open file of this process. Returns 0 or -errno. */
int interposer_file_metadata(int file, struct interposer_metadata *facts);

/* Returns the number of a system call on this architecture; -1 if it has none. */
enum interposer_call_name {
  INTERPOSER_IOCTL, INTERPOSER_READ, INTERPOSER_WRITE, INTERPOSER_READV, INTERPOSER_WRITEV,
  INTERPOSER_PREAD64, INTERPOSER_PWRITE64, INTERPOSER_PREADV, INTERPOSER_PWRITEV,
  INTERPOSER_PREADV2, INTERPOSER_PWRITEV2, INTERPOSER_FSTAT, INTERPOSER_GETDENTS,
  INTERPOSER_GETDENTS64, INTERPOSER_LSEEK, INTERPOSER_DUP, INTERPOSER_DUP2, INTERPOSER_DUP3,
  INTERPOSER_FCNTL, INTERPOSER_OPEN, INTERPOSER_OPENAT, INTERPOSER_OPENAT2, INTERPOSER_STAT,
  INTERPOSER_LSTAT, INTERPOSER_NEWFSTATAT, INTERPOSER_STATX, INTERPOSER_ACCESS,
  INTERPOSER_FACCESSAT, INTERPOSER_FACCESSAT2, INTERPOSER_READLINK, INTERPOSER_READLINKAT,
  INTERPOSER_GETXATTR, INTERPOSER_LGETXATTR, INTERPOSER_LISTXATTR, INTERPOSER_LLISTXATTR,
  INTERPOSER_CHDIR, INTERPOSER_FCHDIR, INTERPOSER_GETCWD, INTERPOSER_STATFS, INTERPOSER_FSTATFS,
  INTERPOSER_CHMOD, INTERPOSER_FCHMOD, INTERPOSER_FCHMODAT, INTERPOSER_FCHMODAT2,
  INTERPOSER_CHOWN, INTERPOSER_LCHOWN, INTERPOSER_FCHOWN, INTERPOSER_FCHOWNAT, INTERPOSER_UTIME,
  INTERPOSER_UTIMES, INTERPOSER_FUTIMESAT, INTERPOSER_UTIMENSAT, INTERPOSER_TRUNCATE,
  INTERPOSER_CREAT, INTERPOSER_MKNOD, INTERPOSER_MKNODAT, INTERPOSER_MKDIR, INTERPOSER_MKDIRAT,
  INTERPOSER_RMDIR, INTERPOSER_UNLINK, INTERPOSER_UNLINKAT, INTERPOSER_RENAME,
  INTERPOSER_RENAMEAT, INTERPOSER_RENAMEAT2, INTERPOSER_LINK, INTERPOSER_LINKAT,
  INTERPOSER_SYMLINK, INTERPOSER_SYMLINKAT, INTERPOSER_SETXATTR, INTERPOSER_LSETXATTR,
  INTERPOSER_REMOVEXATTR, INTERPOSER_LREMOVEXATTR, INTERPOSER_BIND,
  INTERPOSER_EXECVE, INTERPOSER_EXECVEAT, INTERPOSER_CLOCK_GETTIME, INTERPOSER_GETTIMEOFDAY,
  INTERPOSER_TIME, INTERPOSER_NANOSLEEP, INTERPOSER_CLOCK_NANOSLEEP, INTERPOSER_POLL,
  INTERPOSER_PPOLL, INTERPOSER_SELECT, INTERPOSER_PSELECT6, INTERPOSER_EPOLL_WAIT,
  INTERPOSER_EPOLL_PWAIT, INTERPOSER_EPOLL_PWAIT2, INTERPOSER_FUTEX,
  INTERPOSER_FSYNC, INTERPOSER_FDATASYNC, INTERPOSER_SYNC_FILE_RANGE, INTERPOSER_FTRUNCATE,
  INTERPOSER_FALLOCATE, INTERPOSER_EPOLL_CTL,
  INTERPOSER_MMAP, INTERPOSER_SENDFILE, INTERPOSER_SPLICE, INTERPOSER_COPY_FILE_RANGE,
  INTERPOSER_IO_SUBMIT, INTERPOSER_IO_URING_SETUP, INTERPOSER_MOUNT,
  INTERPOSER_CHROOT, INTERPOSER_PIVOT_ROOT,
  INTERPOSER_SETSOCKOPT, INTERPOSER_FUTEX_WAITV,
  INTERPOSER_CLONE, INTERPOSER_CLONE3, INTERPOSER_FORK, INTERPOSER_VFORK,
  INTERPOSER_RT_SIGTIMEDWAIT, INTERPOSER_SETITIMER, INTERPOSER_GETITIMER, INTERPOSER_ALARM,
  INTERPOSER_TIMER_CREATE, INTERPOSER_TIMER_SETTIME, INTERPOSER_TIMER_GETTIME,
  INTERPOSER_TIMER_GETOVERRUN, INTERPOSER_TIMER_DELETE, INTERPOSER_TIMERFD_SETTIME,
  INTERPOSER_TIMERFD_GETTIME, INTERPOSER_SEMTIMEDOP, INTERPOSER_MQ_TIMEDSEND,
  INTERPOSER_MQ_TIMEDRECEIVE, INTERPOSER_KILL, INTERPOSER_TKILL, INTERPOSER_TGKILL,
  INTERPOSER_RT_SIGQUEUEINFO, INTERPOSER_RT_TGSIGQUEUEINFO, INTERPOSER_PIDFD_SEND_SIGNAL,
  INTERPOSER_UMOUNT2, INTERPOSER_INOTIFY_ADD_WATCH, INTERPOSER_NAME_TO_HANDLE_AT,
  INTERPOSER_QUOTACTL, INTERPOSER_SWAPON, INTERPOSER_SWAPOFF, INTERPOSER_ACCT,
  INTERPOSER_FANOTIFY_MARK, INTERPOSER_OPEN_TREE, INTERPOSER_MOVE_MOUNT, INTERPOSER_FSPICK,
  INTERPOSER_MOUNT_SETATTR,
  INTERPOSER_NAMES
};
int interposer_call_number(enum interposer_call_name name);

/* Returns the architecture for seccomp filters (AUDIT_ARCH_*). */
uint32_t interposer_architecture(void);

#endif
