// Runs a program to which the kernel refuses a system call, as containers do.
//
// usage: refuse NAME PROGRAM ARGUMENTS...
// NAME is epoll_create1, process_vm_readv or io_uring_setup; the call fails with EPERM.

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    unsigned number;
  } calls[] = {{"epoll_create1", SYS_epoll_create1},
               {"process_vm_readv", SYS_process_vm_readv},
               {"io_uring_setup", SYS_io_uring_setup}};
  if (count < 3) return 64;
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
    if (strcmp(arguments[1], calls[i].name) != 0) continue;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 71;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 71;
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 127;
  }
  return 64;
}
