/* Thin wrappers, one per kernel interface. */

#define _GNU_SOURCE
#include "interposer.h"
#include "nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

void interposer_set_sync_wakeup(int listener) {
  /* SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP */
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1);
}

int interposer_receive(int listener, struct interposer_call *call) {
  /* The kernel's structure may be longer than that of the build. */
  union {
    struct seccomp_notif notification;
    char space[512];
  } buffer;
  memset(&buffer, 0, sizeof buffer);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &buffer.notification) < 0) return -errno;
  call->id = buffer.notification.id;
  call->thread = (int32_t)buffer.notification.pid;
  call->number = buffer.notification.data.nr;
  for (int i = 0; i < 6; i++) call->arguments[i] = buffer.notification.data.args[i];
  return 0;
}

static int respond(int listener, uint64_t id, int64_t value, int error, uint32_t flags) {
  union {
    struct seccomp_notif_resp response;
    char space[512];
  } buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.response.id = id;
  buffer.response.val = value;
  buffer.response.error = -error;
  buffer.response.flags = flags;
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &buffer.response) < 0 ? -errno : 0;
}

int interposer_answer(int listener, uint64_t id, int64_t value, int error) {
  return respond(listener, id, error ? 0 : value, error, 0);
}

int interposer_continue(int listener, uint64_t id) {
  return respond(listener, id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

bool interposer_is_waiting(int listener, uint64_t id) {
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static int add(int listener, uint64_t id, int descriptor, int number, bool close_on_exec,
               uint32_t flags) {
  struct seccomp_notif_addfd add = {
      .id = id,
      .flags = flags | (number >= 0 ? SECCOMP_ADDFD_FLAG_SETFD : 0),
      .srcfd = (uint32_t)descriptor,
      .newfd = number >= 0 ? (uint32_t)number : 0,
      .newfd_flags = close_on_exec ? O_CLOEXEC : 0};
  int given = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
  return given < 0 ? -errno : given;
}

int interposer_install(int listener, uint64_t id, int descriptor, int number, bool close_on_exec) {
  return add(listener, id, descriptor, number, close_on_exec, 0);
}

int interposer_install_and_answer(int listener, uint64_t id, int descriptor, int number, bool close_on_exec) {
  int given = add(listener, id, descriptor, number, close_on_exec, SECCOMP_ADDFD_FLAG_SEND);
  if (given != -EINVAL) return given;
  /* Before Linux 5.14 installing the descriptor and answering are two steps. */
  given = add(listener, id, descriptor, number, close_on_exec, 0);
  if (given < 0) return given;
  int sent = interposer_answer(listener, id, given, 0);
  return sent < 0 ? sent : given;
}

ssize_t interposer_read(pid_t thread, uint64_t address, void *bytes, size_t count) {
  struct iovec here = {.iov_base = bytes, .iov_len = count};
  struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
  ssize_t done = process_vm_readv(thread, &here, 1, &there, 1, 0);
  return done < 0 ? -errno : done;
}

ssize_t interposer_write(pid_t thread, uint64_t address, const void *bytes, size_t count) {
  struct iovec here = {.iov_base = (void *)bytes, .iov_len = count};
  struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
  ssize_t done = process_vm_writev(thread, &here, 1, &there, 1, 0);
  return done < 0 ? -errno : done;
}

int interposer_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGQUIT);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -errno;
  int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return signals < 0 ? -errno : signals;
}

int interposer_signal(int signals, pid_t *sender) {
  struct signalfd_siginfo info;
  if (read(signals, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  *sender = info.ssi_code <= 0 ? (pid_t)info.ssi_pid : 0;
  return (int)info.ssi_signo;
}

int interposer_set_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
}

bool interposer_die_with_parent(pid_t parent) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

int interposer_epoll_create(void) {
  int poll = epoll_create1(EPOLL_CLOEXEC);
  return poll < 0 ? -errno : poll;
}

void interposer_ignore_writing_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

int interposer_epoll_add(int poll, int descriptor, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
  return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

int interposer_epoll_events(int poll, uint64_t *tokens, bool *hangups, int capacity) {
  struct epoll_event events[16];
  int count = epoll_wait(poll, events, capacity > 16 ? 16 : capacity, 0);
  for (int i = 0; i < count; i++) {
    tokens[i] = events[i].data.u64;
    hangups[i] = (events[i].events & (EPOLLHUP | EPOLLERR)) != 0;
  }
  return count < 0 ? 0 : count;
}

void interposer_clear_timer_slack(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

#ifdef __NR_open
#define OLD(name) __NR_##name
#else
#define OLD(name) -1
#endif

int interposer_call_number(enum interposer_call_name name) {
  static const int numbers[INTERPOSER_NAMES] = {
      [INTERPOSER_IOCTL] = __NR_ioctl,
      [INTERPOSER_READ] = __NR_read,
      [INTERPOSER_WRITE] = __NR_write,
      [INTERPOSER_READV] = __NR_readv,
      [INTERPOSER_WRITEV] = __NR_writev,
      [INTERPOSER_PREAD64] = __NR_pread64,
      [INTERPOSER_PWRITE64] = __NR_pwrite64,
      [INTERPOSER_PREADV] = __NR_preadv,
      [INTERPOSER_PWRITEV] = __NR_pwritev,
      [INTERPOSER_PREADV2] = __NR_preadv2,
      [INTERPOSER_PWRITEV2] = __NR_pwritev2,
      [INTERPOSER_FSTAT] = __NR_fstat,
      [INTERPOSER_GETDENTS] = OLD(getdents),
      [INTERPOSER_GETDENTS64] = __NR_getdents64,
      [INTERPOSER_LSEEK] = __NR_lseek,
      [INTERPOSER_DUP] = __NR_dup,
      [INTERPOSER_DUP2] = OLD(dup2),
      [INTERPOSER_DUP3] = __NR_dup3,
      [INTERPOSER_FCNTL] = __NR_fcntl,
      [INTERPOSER_OPEN] = OLD(open),
      [INTERPOSER_OPENAT] = __NR_openat,
      [INTERPOSER_OPENAT2] = __NR_openat2,
      [INTERPOSER_STAT] = OLD(stat),
      [INTERPOSER_LSTAT] = OLD(lstat),
      [INTERPOSER_NEWFSTATAT] = __NR_newfstatat,
      [INTERPOSER_STATX] = __NR_statx,
      [INTERPOSER_ACCESS] = OLD(access),
      [INTERPOSER_FACCESSAT] = __NR_faccessat,
      [INTERPOSER_FACCESSAT2] = __NR_faccessat2,
      [INTERPOSER_READLINK] = OLD(readlink),
      [INTERPOSER_READLINKAT] = __NR_readlinkat,
      [INTERPOSER_GETXATTR] = __NR_getxattr,
      [INTERPOSER_LGETXATTR] = __NR_lgetxattr,
      [INTERPOSER_LISTXATTR] = __NR_listxattr,
      [INTERPOSER_LLISTXATTR] = __NR_llistxattr,
      [INTERPOSER_CHDIR] = __NR_chdir,
      [INTERPOSER_FCHDIR] = __NR_fchdir,
      [INTERPOSER_GETCWD] = __NR_getcwd,
      [INTERPOSER_STATFS] = __NR_statfs,
      [INTERPOSER_FSTATFS] = __NR_fstatfs,
      [INTERPOSER_CHMOD] = OLD(chmod),
      [INTERPOSER_FCHMODAT] = __NR_fchmodat,
      [INTERPOSER_FCHMODAT2] = 452,
      [INTERPOSER_FCHMOD] = __NR_fchmod,
      [INTERPOSER_FCHOWN] = __NR_fchown,
      [INTERPOSER_CHOWN] = OLD(chown),
      [INTERPOSER_LCHOWN] = OLD(lchown),
      [INTERPOSER_FCHOWNAT] = __NR_fchownat,
      [INTERPOSER_UTIME] = OLD(utime),
      [INTERPOSER_UTIMES] = OLD(utimes),
      [INTERPOSER_FUTIMESAT] = OLD(futimesat),
      [INTERPOSER_UTIMENSAT] = __NR_utimensat,
      [INTERPOSER_TRUNCATE] = __NR_truncate,
      [INTERPOSER_CREAT] = OLD(creat),
      [INTERPOSER_MKNOD] = OLD(mknod),
      [INTERPOSER_MKNODAT] = __NR_mknodat,
      [INTERPOSER_MKDIR] = OLD(mkdir),
      [INTERPOSER_MKDIRAT] = __NR_mkdirat,
      [INTERPOSER_RMDIR] = OLD(rmdir),
      [INTERPOSER_UNLINK] = OLD(unlink),
      [INTERPOSER_UNLINKAT] = __NR_unlinkat,
      [INTERPOSER_RENAME] = OLD(rename),
      [INTERPOSER_RENAMEAT] = OLD(renameat),
      [INTERPOSER_RENAMEAT2] = __NR_renameat2,
      [INTERPOSER_LINK] = OLD(link),
      [INTERPOSER_LINKAT] = __NR_linkat,
      [INTERPOSER_SYMLINK] = OLD(symlink),
      [INTERPOSER_SYMLINKAT] = __NR_symlinkat,
      [INTERPOSER_SETXATTR] = __NR_setxattr,
      [INTERPOSER_LSETXATTR] = __NR_lsetxattr,
      [INTERPOSER_REMOVEXATTR] = __NR_removexattr,
      [INTERPOSER_LREMOVEXATTR] = __NR_lremovexattr,
      [INTERPOSER_BIND] = __NR_bind,
      [INTERPOSER_EXECVE] = __NR_execve,
      [INTERPOSER_EXECVEAT] = __NR_execveat,
      [INTERPOSER_CLOCK_GETTIME] = __NR_clock_gettime,
      [INTERPOSER_GETTIMEOFDAY] = __NR_gettimeofday,
      [INTERPOSER_TIME] = OLD(time),
      [INTERPOSER_NANOSLEEP] = __NR_nanosleep,
      [INTERPOSER_CLOCK_NANOSLEEP] = __NR_clock_nanosleep,
      [INTERPOSER_POLL] = OLD(poll),
      [INTERPOSER_PPOLL] = __NR_ppoll,
      [INTERPOSER_SELECT] = OLD(select),
      [INTERPOSER_PSELECT6] = __NR_pselect6,
      [INTERPOSER_EPOLL_WAIT] = OLD(epoll_wait),
      [INTERPOSER_EPOLL_PWAIT] = __NR_epoll_pwait,
      [INTERPOSER_EPOLL_PWAIT2] = 441,
      [INTERPOSER_FUTEX] = __NR_futex,
      [INTERPOSER_FSYNC] = __NR_fsync,
      [INTERPOSER_FDATASYNC] = __NR_fdatasync,
      [INTERPOSER_SYNC_FILE_RANGE] = __NR_sync_file_range,
      [INTERPOSER_FTRUNCATE] = __NR_ftruncate,
      [INTERPOSER_FALLOCATE] = __NR_fallocate,
      [INTERPOSER_EPOLL_CTL] = __NR_epoll_ctl,
      [INTERPOSER_MMAP] = __NR_mmap,
      [INTERPOSER_SENDFILE] = __NR_sendfile,
      [INTERPOSER_SPLICE] = __NR_splice,
      [INTERPOSER_COPY_FILE_RANGE] = __NR_copy_file_range,
      [INTERPOSER_IO_SUBMIT] = __NR_io_submit,
      [INTERPOSER_IO_URING_SETUP] = 425,
      [INTERPOSER_MOUNT] = __NR_mount,
      [INTERPOSER_SETSOCKOPT] = __NR_setsockopt,
      [INTERPOSER_FUTEX_WAITV] = 449,
      [INTERPOSER_CHROOT] = __NR_chroot,
      [INTERPOSER_PIVOT_ROOT] = __NR_pivot_root,
      [INTERPOSER_UMOUNT2] = __NR_umount2,
      [INTERPOSER_INOTIFY_ADD_WATCH] = __NR_inotify_add_watch,
      [INTERPOSER_NAME_TO_HANDLE_AT] = __NR_name_to_handle_at,
      [INTERPOSER_QUOTACTL] = __NR_quotactl,
      [INTERPOSER_SWAPON] = __NR_swapon,
      [INTERPOSER_SWAPOFF] = __NR_swapoff,
      [INTERPOSER_ACCT] = __NR_acct,
      [INTERPOSER_FANOTIFY_MARK] = __NR_fanotify_mark,
      [INTERPOSER_OPEN_TREE] = 428,
      [INTERPOSER_MOVE_MOUNT] = 429,
      [INTERPOSER_FSPICK] = 433,
      [INTERPOSER_MOUNT_SETATTR] = 442,
      [INTERPOSER_CLONE] = __NR_clone,
      [INTERPOSER_CLONE3] = 435,
      [INTERPOSER_FORK] = OLD(fork),
      [INTERPOSER_VFORK] = OLD(vfork),
      [INTERPOSER_RT_SIGTIMEDWAIT] = __NR_rt_sigtimedwait,
      [INTERPOSER_SETITIMER] = __NR_setitimer,
      [INTERPOSER_GETITIMER] = __NR_getitimer,
      [INTERPOSER_ALARM] = OLD(alarm),
      [INTERPOSER_TIMER_CREATE] = __NR_timer_create,
      [INTERPOSER_TIMER_SETTIME] = __NR_timer_settime,
      [INTERPOSER_TIMER_GETTIME] = __NR_timer_gettime,
      [INTERPOSER_TIMER_GETOVERRUN] = __NR_timer_getoverrun,
      [INTERPOSER_TIMER_DELETE] = __NR_timer_delete,
      [INTERPOSER_TIMERFD_SETTIME] = __NR_timerfd_settime,
      [INTERPOSER_TIMERFD_GETTIME] = __NR_timerfd_gettime,
      [INTERPOSER_SEMTIMEDOP] = __NR_semtimedop,
      [INTERPOSER_MQ_TIMEDSEND] = __NR_mq_timedsend,
      [INTERPOSER_MQ_TIMEDRECEIVE] = __NR_mq_timedreceive,
      [INTERPOSER_KILL] = __NR_kill,
      [INTERPOSER_TKILL] = __NR_tkill,
      [INTERPOSER_TGKILL] = __NR_tgkill,
      [INTERPOSER_RT_SIGQUEUEINFO] = __NR_rt_sigqueueinfo,
      [INTERPOSER_RT_TGSIGQUEUEINFO] = __NR_rt_tgsigqueueinfo,
      [INTERPOSER_PIDFD_SEND_SIGNAL] = 424,
  };
  return (unsigned)name < INTERPOSER_NAMES ? numbers[name] : -1;
}

uint32_t interposer_architecture(void) {
#if defined(__x86_64__)
  return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  return AUDIT_ARCH_AARCH64;
#else
#error "the interposer knows x86_64 and aarch64"
#endif
}
