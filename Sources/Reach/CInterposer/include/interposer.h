/* The system calls behind the interposer that Swift cannot make: variadic, or without a C library
 * function, or between fork and exec. They return 0 or a value, and -errno for a failure. */

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

/* What became of a program. */
struct interposer_start {
  pid_t process;
  /* The guard, which is the parent of the program, and the line to it. */
  pid_t guard;
  int line;
  int listener;
  /* Tells whether the program was executed: see interposer_execution. */
  int report;
  /* Whether a client that has been heard can only be killed, not interrupted (Linux 5.19). */
  bool waits_killable;
  /* What failed, and its errno. */
  enum {
    INTERPOSER_STARTED,
    INTERPOSER_NO_FORK,
    INTERPOSER_NO_FILTER
  } outcome;
  int error;
};

/* Starts a program under a filter with a listener, and between this process and the program a guard, which
 * ends the program and all that it started when this process is gone, however that happened. No Swift code
 * runs between fork and exec. */
struct interposer_start interposer_launch(const struct interposer_program *program);

/* An order to the guard: a signal for the program, none where it has ended; an end for everything that the
 * program started; or to hold a descriptor that goes with it (else -1): the listener, so that calls wait when
 * this process has died, or a folder, which is to be removed then with what is in it. */
static const int INTERPOSER_END_ALL = 1 << 16;
static const int INTERPOSER_HOLD_LISTENER = 1 << 17;
static const int INTERPOSER_REMOVE_FOLDER = 1 << 18;
int interposer_order(int line, int order, int descriptor);
/* Whether the guard has told that the program ended, and its wait status. */
bool interposer_end_of_program(int line, bool waits, int *status);
/* Closes the line, and gives the guard some time to end all that is left, and itself. */
void interposer_dismiss(pid_t guard, int line);

/* Once the report can be read: 0 if the program was executed, else the errno that it was not for. */
int interposer_execution(int report);

/* Whether the kernel can do what the interposer needs: 0, or -errno of what it lacks. */
int interposer_probe(const struct sock_filter *filter, uint16_t length);
/* Whether programs can be followed through their execution: 0, or -errno. */
int interposer_probe_following(void);
/* Whether files can be served to programs: 0, or -errno. */
int interposer_probe_files(void);

/* Lets callers and this thread wake each other on one processor, where the kernel can (Linux 6.6): one
 * of them always waits for the other. */
void interposer_wake_here(int listener);

/* Receives a call; -EINTR and -ENOENT are no failures. */
int interposer_receive(int listener, struct interposer_call *call);
/* Answers a call with a value or, if error is not 0, with an errno. */
int interposer_answer(int listener, uint64_t id, int64_t value, int error);
/* Lets the kernel do the call. */
int interposer_continue(int listener, uint64_t id);
/* Whether a call still waits. */
bool interposer_waits(int listener, uint64_t id);
/* Gives the caller a copy of a descriptor and answers with its number; number -1 is the lowest free. */
int interposer_give(int listener, uint64_t id, int descriptor, int number, bool close_on_exec);

/* What the gate knows: which calls can concern us is told by names, and by what is open now. */
struct interposer_gate {
  /* The lowest number of descriptors of ours. */
  unsigned first_number;
  /* Whether clients have something of ours open, work in a folder of ours, are amid a listing. */
  bool has_sockets, has_folders, has_listings;
  /* Whether a client may have another root than this process. */
  bool has_jails;
  /* More words that make a path matter, besides those of I2C. */
  int word_count;
  const char *words[8];
  /* The folders to which names are added. */
  int folder_count;
  const char *folders[16];
};
/* Whether a path that is relative to a directory can concern us. */
bool interposer_matters(const struct interposer_gate *gate, int directory, const char *path,
                        size_t length);
/* Whether a call can concern us; of those that cannot nothing more needs to be known. */
bool interposer_concerns(const struct interposer_gate *gate, const struct interposer_call *call);

/* Where everything is waited for: the calls of clients, and other descriptors. */
struct interposer_hearing;
struct interposer_hearing *interposer_hearing_create(int *error);
void interposer_hearing_destroy(struct interposer_hearing *hearing);
void interposer_hearing_listen(struct interposer_hearing *hearing, int listener);
int interposer_hearing_add(struct interposer_hearing *hearing, int descriptor, uint64_t token);
/* What has been heard. */
struct interposer_heard {
  /* Whether there may be a call, whether there will be none any more, and a call that has been taken. */
  bool is_called, is_over, has_call;
  struct interposer_call call;
  /* What there is of others, as interposer_poll_look tells. */
  int others;
  uint64_t tokens[16];
  bool hangups[16];
};
/* Waits, at most nanoseconds (-1 for ever). With a gate and without a limit, calls that cannot concern us go on and
 * are not told of, and others that can are taken. */
void interposer_hear(struct interposer_hearing *hearing, const struct interposer_gate *gate,
                     int64_t nanoseconds, struct interposer_heard *heard);

/* Copies the memory of a process; the number of bytes. */
ssize_t interposer_read(pid_t thread, uint64_t address, void *bytes, size_t count);
ssize_t interposer_write(pid_t thread, uint64_t address, const void *bytes, size_t count);

/* A descriptor that tells the signals SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 and SIGUSR2, now
 * blocked. */
int interposer_signals(void);
/* A message that nobody reads, or a trace that may not grow, must not end the supervisor of a program. */
void interposer_ignore_writing_signals(void);
/* The next signal, or 0; sender is 0 where the kernel (a terminal) sent it. */
int interposer_signal(int signals, pid_t *sender);
/* Makes orphans of the program children of this process. */
int interposer_adopt(void);

/* Lets this process be killed when its parent ends; whether that is still the one that is meant. */
bool interposer_end_with(pid_t parent);

/* An epoll instance. */
int interposer_poll_create(void);
int interposer_poll_add(int poll, int descriptor, uint64_t token);
/* The events that there are now; each has a token and says if it is a hang-up. */
int interposer_poll_look(int poll, uint64_t *tokens, bool *hangups, int capacity);
/* Lets waits of this thread end at their time, not up to 50 us later. */
void interposer_wake_exactly(void);

/* The path of a descriptor of a thread, or with -1 of its working directory; its length. */
ssize_t interposer_path(pid_t thread, int descriptor, char *path, size_t capacity);
/* Whether a descriptor of a thread is open. */
bool interposer_is_open(pid_t thread, int descriptor);

/* Files in which the kernel tells of a thread that is looked at again and again: -1 before, and after they are closed.
 * They are of that thread alone: when another one gets its number, they say that it is gone. */
struct interposer_thread_files {
  int state, runs;
};
void interposer_thread_close(struct interposer_thread_files *files);
/* The state of a thread as /proc tells it, 0 where it is gone; when it was started, in ticks since boot. */
char interposer_thread_state(pid_t thread, struct interposer_thread_files *files,
                             uint64_t *started);
/* Whether a thread that shows the state of a sleep has left its processor, for which this waits shortly; true where
 * the kernel does not tell. */
bool interposer_thread_rests(pid_t thread);
/* Whether a thread is in a call that makes a thread or a process; true where the kernel does not tell. */
bool interposer_thread_forks(pid_t thread);
/* Waits until every parent is awake whose child shows that it has ended. */
void interposer_await_parents(void);
/* How often a thread has been put on a processor, and its time there in nanoseconds (processor may be
 * NULL); 0 where the kernel does not count. */
uint64_t interposer_thread_runs(pid_t thread, struct interposer_thread_files *files,
                                uint64_t *processor);
/* What a thread sleeps in. */
enum interposer_sleep {
  INTERPOSER_SLEEP_OTHER,
  /* In these its first argument is a descriptor. */
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
/* The kind of the call in which a thread sleeps, its number (-1 for none) and its arguments. */
enum interposer_sleep interposer_thread_sleep(pid_t thread, int32_t *number, uint64_t *arguments);
/* Whether a descriptor of a process was opened for writing. */
bool interposer_descriptor_writes(pid_t process, int descriptor);
/* The threads of the process of a thread in order, and the children of a thread; how many there are, of
 * which those within the capacity are stored. */
int interposer_threads(pid_t thread, int32_t *list, int capacity);
int interposer_children(pid_t thread, int32_t *list, int capacity);

/* What waits for a thread, a bit for each signal: bit 0 is signal 1. */
struct interposer_thread_signals {
  pid_t process;
  pid_t tracer;
  int threads;
  /* Pending for the thread alone, and for its process. */
  uint64_t own, shared;
  uint64_t blocked, ignored, caught;
};
bool interposer_thread_signals(pid_t thread, struct interposer_thread_signals *signals);

/* A descriptor of a process (pidfd), and whether that process is over. */
int interposer_process_open(pid_t process);
bool interposer_process_is_over(int process);
/* Sends the signal of a timer that has expired, to a process or, if thread is not 0, to a thread of it. */
int interposer_expire(int process, pid_t group, pid_t thread, int number, int timer, int overruns,
                      uint64_t value);

/* A timerfd that the supervisor makes expire is armed for a time that never comes, and its interval, in
 * seconds, is the mark by which it is known in whatever process. */
#define INTERPOSER_NO_TIMER UINT64_MAX
/* The mark of a descriptor of a thread, or INTERPOSER_NO_TIMER where it is no timerfd. */
uint64_t interposer_timer_mark(pid_t thread, int descriptor);
/* A copy of a descriptor of a process. */
int interposer_descriptor_of(pid_t process, int descriptor);
/* The clock of a timerfd of this process, or -errno. */
int interposer_timer_clock(int timer);
/* Gives a timerfd its mark; expirations that nobody has read are gone. */
int interposer_timer_set_mark(int timer, uint64_t mark);
/* The expirations of a timerfd that nobody has read. */
int64_t interposer_timer_ticks(int timer);
/* Makes a timerfd readable, with a number of expirations. */
int interposer_timer_expire(int timer, uint64_t mark, uint64_t ticks);

/* Whether a descriptor can be read now. */
bool interposer_is_readable(int descriptor);
/* Looks at descriptors of a thread as poll does, without waiting; the number that are ready. */
int interposer_look(pid_t thread, void *pollfds, unsigned count);
/* Looks at an epoll instance of a thread, without waiting; the number of events, each of the size that
 * interposer_event_size tells. */
int interposer_look_epoll(pid_t thread, int descriptor, void *events, int capacity);
size_t interposer_event_size(void);

/* The signals that a signalfd of a thread takes, or all those in an epoll instance; 0 where there is none. */
uint64_t interposer_taken_signals(pid_t thread, int descriptor);
/* The flags of an open file of a thread (O_NONBLOCK and its kin), or -1. */
int interposer_open_flags(pid_t thread, int descriptor);
/* Whether a thread names semaphores as this process does. */
bool interposer_shares_semaphores(pid_t thread);
/* The value of a semaphore of a set, or -errno. */
int interposer_semaphore(int set, int index);

/* What a thread has read of clocks. */
struct interposer_reader {
  int32_t thread;
  /* Readings in a row, and with how many of them it needs the supervisor. */
  uint32_t streak, most;
  /* Readings since other things than its readings have moved time. */
  uint32_t readings;
  /* What it has read last, in nanoseconds since the start. */
  uint64_t now;
  /* What a reading takes of its time, in nanoseconds; readings that have not been system calls. */
  uint32_t cost, silent;
  /* Its process. */
  int32_t process;
  uint32_t reserved[7];
};
/* The clocks that programs can read without a system call: what they showed at the start, in nanoseconds, by their
 * numbers; 0 for those that they cannot. */
struct interposer_clocks;
struct interposer_clocks *interposer_clocks_create(const uint64_t *origins, int count);
void interposer_clocks_destroy(struct interposer_clocks *clocks);
/* Shows the time of all, in nanoseconds since the start. */
void interposer_clocks_show(struct interposer_clocks *clocks, uint64_t now);
/* The place for a reader, which may be another one's. A program reads without a system call only where it finds its own
 * number there, and changes it then: this process changes it only while that thread waits for its answer. */
struct interposer_reader *interposer_clocks_reader(struct interposer_clocks *clocks, pid_t thread);

/* Wants to be told when a thread executes a program. */
int interposer_follow(pid_t thread);
/* Takes what waitpid said of a child: whether it was only a stop on the way, which is over now. A
 * program just executed reads the clocks, where there are some, or loses its vDSO, so that its readings are system
 * calls. */
bool interposer_stopped(pid_t process, int status, const struct interposer_clocks *clocks);

/* The inode of the socket that a descriptor of a thread is, 0 if it is none. */
uint64_t interposer_socket(pid_t thread, int descriptor);
/* A pair of connected sockets for a folder or link: the client's end, and one on which the end of the last
 * copy of the other shows as a hang-up; the inode of the client's end. */
int interposer_sockets(int *client, int *peer, uint64_t *inode);

/* Who a client is. */
enum { INTERPOSER_GROUPS = 64 };
struct interposer_client {
  pid_t process, parent;
  /* What counts for files. */
  uint32_t user, group, mask;
  uint32_t groups[INTERPOSER_GROUPS];
  int group_count;
  uint64_t capabilities;
};
int interposer_identify(pid_t thread, struct interposer_client *client);
/* The path of a thread's root as this process sees it; its length. */
ssize_t interposer_root(pid_t thread, char *path, size_t capacity);
/* Whether an open file of a thread stands at its start. */
bool interposer_is_at_start(pid_t thread, int descriptor);
/* What a path of a thread leads to if its last part is a symbolic link: the length of that path, relative to the
 * same directory; 0 where it is no link, or where none to a node is looked for. */
ssize_t interposer_link(pid_t thread, int directory, const char *path, char *target,
                        size_t capacity);
/* Whether there may be a link in a path: interposer_link tells. */
bool interposer_has_links(pid_t thread, int directory, const char *path, bool has_jails);
/* Whether the last part of a path lies in /dev, that of the thread or of this process, by whatever links. */
bool interposer_is_in_devices(pid_t thread, int directory, const char *path);
/* The name that an open would make in /dev, that of the thread or of this process, by whatever links: its length, 0
 * where it would make none there. */
ssize_t interposer_made_in_devices(pid_t thread, int directory, const char *path, char *name,
                                   size_t capacity);
/* Whether a path lies where no links to nodes are looked for, and may for an open that makes files be one. */
bool interposer_may_make_elsewhere(const char *path, bool has_jails);
/* Whether a folder that a thread has open holds a name, and whether it sees a folder at a path. */
bool interposer_folder_has(pid_t thread, int descriptor, const char *name);
bool interposer_has_folder(pid_t thread, const char *path);
/* Whether a descriptor of a thread is a folder. */
bool interposer_is_folder(pid_t thread, int descriptor);
/* A file of some bytes in memory, which nobody can change; -errno. */
int interposer_file(const void *bytes, size_t count, unsigned mode);
/* A file opened once more: for reading alone, at its start; -errno. */
int interposer_reopen(int file);
/* statfs of a path, or of a file system of a type if that is not 0; the size of the structure. */
int interposer_statfs(const char *path, int64_t type, void *bytes);

/* The time of day in nanoseconds since 1970. */
int64_t interposer_moment(void);

/* What stat tells of a file that is made up; times in nanoseconds. */
struct interposer_facts {
  uint64_t file_system, inode, size;
  uint32_t mode, links, user, group;
  uint32_t device_major, device_minor;
  int64_t read, written, changed;
};
/* The facts as stat and statx give them, into 256 bytes; the size of the structure. */
int interposer_stat(const struct interposer_facts *facts, void *bytes);
int interposer_statx(const struct interposer_facts *facts, void *bytes);
/* The facts of an open file of this process; 0 or -errno. */
int interposer_file_facts(int file, struct interposer_facts *facts);

/* The numbers of the system calls of this architecture, -1 where it has none. */
enum interposer_name {
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
int interposer_number(enum interposer_name name);

/* The architecture as filters know it (AUDIT_ARCH_*). */
uint32_t interposer_architecture(void);

#endif
