import CInterposer

/// The system calls that the interposer serves, on any architecture.
enum SystemCall: UInt32, CaseIterable {
  case ioctl, read, write, readv, writev, pread64, pwrite64, preadv, pwritev, preadv2, pwritev2
  case fstat, getdents, getdents64, lseek, dup, dup2, dup3, fcntl
  case open, openat, openat2
  case stat, lstat, newfstatat, statx, access, faccessat, faccessat2, readlink, readlinkat
  case getxattr, lgetxattr, listxattr, llistxattr
  case chdir, fchdir, getcwd, statfs, fstatfs
  case chmod, fchmod, fchmodat, fchmodat2, chown, lchown, fchown, fchownat
  case utime, utimes, futimesat, utimensat, truncate
  case creat, mknod, mknodat, mkdir, mkdirat, rmdir, unlink, unlinkat
  case rename, renameat, renameat2, link, linkat, symlink, symlinkat
  case setxattr, lsetxattr, removexattr, lremovexattr, bind
  case execve, execveat
  case clockGettime, gettimeofday, time, nanosleep, clockNanosleep
  case poll, ppoll, select, pselect6, epollWait, epollPwait, epollPwait2, futex
  case fsync, fdatasync, syncFileRange, ftruncate, fallocate, epollControl, mmap
  case sendfile, splice, copyFileRange, submit, uringSetup, mount, chroot, pivotRoot
  case setsockopt, futexWaitv
  case clone, clone3, fork, vfork
  case rtSigtimedwait, setitimer, getitimer, alarm
  case timerCreate, timerSettime, timerGettime, timerGetoverrun, timerDelete
  case timerfdSettime, timerfdGettime, semtimedop, mqTimedsend, mqTimedreceive
  case kill, tkill, tgkill, rtSigqueueinfo, rtTgsigqueueinfo, pidfdSendSignal
  case umount2, inotifyAddWatch, nameToHandleAt, quotactl, swapon, swapoff, acct, fanotifyMark
  case openTree, moveMount, fspick, mountSetattr

  /// The number on this architecture, or `nil` where it has no such call.
  var number: Int32? {
    let number = interposer_number(interposer_name(rawValue: rawValue))
    return number < 0 ? nil : number
  }

  /// Which of its arguments tells whether it matters, and how.
  var interest: Interest {
    switch self {
    case .ioctl: .request
    case .read, .write, .readv, .writev, .pread64, .pwrite64, .preadv, .pwritev, .preadv2,
      .pwritev2, .getdents, .lseek, .dup, .dup2, .dup3, .fcntl, .fsync,
      .fdatasync, .syncFileRange, .ftruncate, .fallocate, .fchmod, .fchown,
      .fstatfs:
      .descriptor(arguments: [0])
    case .epollControl: .descriptor(arguments: [2])
    case .mmap: .descriptor(arguments: [4])
    case .sendfile: .descriptor(arguments: [0, 1])
    case .splice, .copyFileRange: .descriptor(arguments: [0, 2])
    case .uringSetup: .refused
    case .submit, .mount, .chroot, .pivotRoot, .execve, .execveat: .always
    case .open: .openFlags(argument: 1)
    case .openat: .openFlags(argument: 2)
    case .openat2: .always
    case .fstat, .newfstatat, .statx, .fchdir: .pathOrDescriptor
    case .stat, .lstat, .access, .faccessat, .faccessat2, .readlink, .readlinkat, .getxattr,
      .lgetxattr, .listxattr, .llistxattr, .getdents64, .chdir, .getcwd, .statfs,
      .umount2, .inotifyAddWatch, .nameToHandleAt, .quotactl, .swapon, .swapoff, .acct,
      .fanotifyMark, .openTree, .moveMount, .fspick, .mountSetattr:
      .path
    // What changes files: a name of ours must not reach the folders of the machine, whatever the mode.
    case .chmod, .fchmodat, .fchmodat2, .chown, .lchown, .fchownat, .utime, .utimes, .futimesat,
      .utimensat, .truncate, .creat, .mknod, .mknodat, .mkdir, .mkdirat, .rmdir, .unlink, .unlinkat,
      .rename, .renameat, .renameat2, .link, .linkat, .symlink, .symlinkat, .setxattr, .lsetxattr,
      .removexattr, .lremovexattr, .bind:
      .always
    case .clone, .clone3, .fork, .vfork, .clockGettime, .gettimeofday, .time,
      .nanosleep, .clockNanosleep, .setitimer, .getitimer, .alarm, .timerCreate, .timerSettime,
      .timerGettime, .timerGetoverrun, .timerDelete, .timerfdSettime, .timerfdGettime, .kill,
      .tkill, .tgkill, .rtSigqueueinfo, .rtTgsigqueueinfo, .pidfdSendSignal:
      .time(.always)
    case .poll: .time(.milliseconds(argument: 2))
    case .epollWait, .epollPwait: .time(.milliseconds(argument: 3))
    case .ppoll, .rtSigtimedwait: .time(.pointer(argument: 2))
    case .select, .pselect6: .time(.pointer(argument: 4))
    case .epollPwait2, .semtimedop: .time(.pointer(argument: 3))
    case .mqTimedsend, .mqTimedreceive: .time(.pointer(argument: 4))
    case .futexWaitv: .time(.pointer(argument: 3))
    case .setsockopt: .time(.socketLimit)
    case .futex: .time(.futex)
    }
  }

  /// Whether it has its turn among all clients where time is virtual: it reads or moves what they share.
  var isInTurn: Bool {
    switch interest {
    case .time: !concernsProcesses
    case .request: true
    default: false
    }
  }

  /// Whether it reads a clock.
  var isReading: Bool { self == .clockGettime || self == .gettimeofday || self == .time }

  /// Whether it moves bytes, over a bus where its descriptor is a node's.
  var isTransfer: Bool {
    switch self {
    case .read, .write, .readv, .writev, .pread64, .pwrite64, .preadv, .pwritev, .preadv2,
      .pwritev2:
      true
    default: false
    }
  }

  /// Whether it matters only where time is virtual.
  var concernsTime: Bool { if case .time = interest { true } else { false } }

  /// Whether it makes a thread or a process, or sends a signal.
  var concernsProcesses: Bool {
    switch self {
    case .execve, .execveat, .clone, .clone3, .fork, .vfork, .kill, .tkill, .tgkill,
      .rtSigqueueinfo, .rtTgsigqueueinfo, .pidfdSendSignal:
      true
    default: false
    }
  }

  /// How a call tells that it waits for a limited time.
  enum Wait: Hashable {
    /// It always matters.
    case always
    /// By a number of milliseconds above 0.
    case milliseconds(argument: Int)
    /// By a pointer to a time.
    case pointer(argument: Int)
    /// By the operation and a pointer to a time.
    case futex
    /// It sets a limit of waits on a socket.
    case socketLimit
  }

  /// How a filter decides about a call; it sees numbers, never what they point to.
  enum Interest: Hashable {
    /// By the request: those of i2c-dev begin with 0x07; of the others by the descriptor, where it is ours.
    case request
    /// By descriptors: ours are high.
    case descriptor(arguments: [Int])
    /// As if this kernel had no such call.
    case refused
    /// By the flags of an open.
    case openFlags(argument: Int)
    /// It names a path, which only the supervisor can read.
    case path
    /// It names a path or, with an empty one, a descriptor.
    case pathOrDescriptor
    /// Whatever it says.
    case always
    /// It matters only where time is virtual, and there if it can wait.
    case time(Wait)
  }
}
