import CInterposer

/// The system calls that the interposer serves, independent of the architecture.
package enum SystemCall: UInt32, CaseIterable {
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

  /// The call number on this architecture; `nil` if it has no such call.
  package var number: Int32? {
    let number = interposer_call_number(interposer_call_name(rawValue: rawValue))
    return number < 0 ? nil : number
  }

  /// The condition under which the seccomp filter delivers the call to the supervisor.
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
    case .uringSetup: .rejected
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
    // Calls that change files: no file with the name of a node may be created on the host, whatever the mode.
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

  /// `true` if the call is serialized among all clients in virtual time because it reads or changes shared state.
  var isSerialized: Bool {
    switch interest {
    case .time: !concernsProcesses
    case .request: true
    default: false
    }
  }

  /// `true` for calls that read a clock.
  var isReading: Bool { self == .clockGettime || self == .gettimeofday || self == .time }

  /// `true` for the calls that a loop makes while it waits for a clock: readings, and polls, which may not block.
  var isReadingOrPoll: Bool {
    switch self {
    case .poll, .ppoll, .select, .pselect6, .epollWait, .epollPwait, .epollPwait2: true
    default: isReading
    }
  }

  /// `true` for calls that read or write data; if the descriptor is that of a node, the data are transferred over a
  /// bus.
  var isTransfer: Bool {
    switch self {
    case .read, .write, .readv, .writev, .pread64, .pwrite64, .preadv, .pwritev, .preadv2,
      .pwritev2:
      true
    default: false
    }
  }

  /// `true` if the call is intercepted only in virtual time.
  var concernsTime: Bool { if case .time = interest { true } else { false } }

  /// `true` for calls that create a thread or process, or send a signal.
  var concernsProcesses: Bool {
    switch self {
    case .execve, .execveat, .clone, .clone3, .fork, .vfork, .kill, .tkill, .tgkill,
      .rtSigqueueinfo, .rtTgsigqueueinfo, .pidfdSendSignal:
      true
    default: false
    }
  }

  /// The argument that specifies a call's timeout, by which the filter decides whether to deliver the call.
  enum Wait: Hashable {
    /// The call is always delivered.
    case always
    /// A timeout in milliseconds; the call is delivered if it is above 0.
    case milliseconds(argument: Int)
    /// A pointer to a timeout; the call is delivered if the pointer is not null.
    case pointer(argument: Int)
    /// The futex operation and a pointer to a timeout; the call is delivered if it waits with a timeout.
    case futex
    /// The socket option; the call is delivered if the option sets a timeout.
    case socketLimit
  }

  /// The seccomp filter's condition for a call; the filter sees argument values but not the memory they point to.
  enum Interest: Hashable {
    /// The call is an `ioctl` with a request of i2c-dev, whose codes start with 0x07, or with any request on a
    /// synthetic descriptor.
    case request
    /// The call is delivered if one of these arguments is a synthetic descriptor, which the filter recognizes by its
    /// high number.
    case descriptor(arguments: [Int])
    /// The call is never delivered and fails with ENOSYS, as on a kernel without the call.
    case rejected
    case openFlags(argument: Int)
    /// The call has a path, which only the supervisor can read, so it is always delivered in full mode.
    case path
    /// The call has a path or, if the path is empty, a descriptor; it is always delivered in full mode, and in fast
    /// mode if the descriptor is synthetic.
    case pathOrDescriptor
    /// The call is always delivered.
    case always
    /// The call is delivered only in virtual time, and only under the given condition for its timeout.
    case time(Wait)
  }
}

/// A system call whose client waits for the answer.
struct Call {
  let system: SystemCall
  /// The ID of the calling thread.
  let thread: Int32
  /// The kernel's ID of the call.
  let id: UInt64
  private let arguments: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  init(_ call: interposer_call, _ system: SystemCall) {
    self.system = system
    thread = call.thread
    id = call.id
    arguments = call.arguments
  }

  /// Returns the argument at an index.
  subscript(_ index: Int) -> UInt64 {
    switch index {
    case 0: arguments.0
    case 1: arguments.1
    case 2: arguments.2
    case 3: arguments.3
    case 4: arguments.4
    default: arguments.5
    }
  }

  /// Returns `true` if a later call of the same thread is a restart of this one.
  func isAgain(_ later: Call) -> Bool {
    thread == later.thread && system == later.system && arguments == later.arguments
  }

  /// Returns an argument of C type int: a descriptor or flags.
  func int(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: self[index]) }
}

/// The supervisor's answer to a call.
enum Answer {
  /// The kernel performs the call.
  case pass
  /// The call returns a value.
  case value(Int64)
  /// The call fails with an errno.
  case failure(Int32)
  /// The call has been answered, or will be answered later.
  case elsewhere
}

/// A blocked call, which waits for virtual time, for an event or for its position in the serial order.
struct Wait {
  let call: Call
  /// The time at which the wait ends, in nanoseconds since the start; `UInt64.max` for never.
  var deadline: UInt64
  /// Returns the answer at the deadline and writes output arguments.
  let end: () -> Answer
  /// Checks for the awaited event; returns the answer if it has occurred.
  var check: (() -> Answer?)?
  /// Returns the answer when a signal is handled during the wait; `nil` for a call that waits only to be serialized.
  var interruption: (() -> Answer)?
  /// The signals blocked during the wait, one bit each; `nil` if the call does not change the mask.
  var mask: UInt64?
  /// The signals that the call waits for, one bit each.
  var wanted: UInt64 = 0
  /// The descriptors that the call polls; some may be signalfds.
  var descriptors: [Int32] = []
  /// The tracer of the thread when its signals were first checked.
  var tracer: Int32?
  /// The machine time at which a different tracer was first seen, in nanoseconds.
  var tracedSince: UInt64?

  /// Orders waits by deadline, then by thread ID.
  static func isEarlier(_ left: Wait, _ right: Wait) -> Bool {
    (left.deadline, left.call.thread) < (right.deadline, right.call.thread)
  }
}
