import CInterposer

/// The system calls that the interposer serves, on any architecture.
enum SystemCall: UInt32, CaseIterable {
  case ioctl, read, write, readv, writev, pread64, pwrite64, preadv, pwritev, preadv2, pwritev2
  case fstat, getdents, getdents64, lseek, dup, dup2, dup3, fcntl
  case open, openat, openat2
  case stat, lstat, newfstatat, statx, access, faccessat, faccessat2, readlink, readlinkat
  case getxattr, lgetxattr, listxattr, llistxattr

  /// The number on this architecture, or nothing where it has no such call.
  var number: Int32? {
    let number = interposer_number(interposer_name(rawValue: rawValue))
    return number < 0 ? nil : number
  }

  /// Which of its arguments tells whether it matters, and how.
  var interest: Interest {
    switch self {
    case .ioctl: .request
    case .read, .write, .readv, .writev, .pread64, .pwrite64, .preadv, .pwritev, .preadv2,
      .pwritev2, .fstat, .getdents, .getdents64, .lseek, .dup, .dup2, .dup3, .fcntl:
      .descriptor
    case .open: .openFlags(argument: 1)
    case .openat: .openFlags(argument: 2)
    case .openat2: .always
    case .newfstatat, .statx: .pathOrDescriptor
    case .stat, .lstat, .access, .faccessat, .faccessat2, .readlink, .readlinkat, .getxattr,
      .lgetxattr, .listxattr, .llistxattr:
      .path
    }
  }

  /// How a filter decides about a call; it sees numbers, never what they point to.
  enum Interest: Hashable {
    /// By the request: those of i2c-dev begin with 0x07.
    case request
    /// By the descriptor: ours are high.
    case descriptor
    /// By the flags of an open.
    case openFlags(argument: Int)
    /// It names a path, which only the supervisor can read.
    case path
    /// It names a path or, with an empty one, a descriptor.
    case pathOrDescriptor
    /// Whatever it says.
    case always
  }
}
