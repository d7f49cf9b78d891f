import CInterposer
import Glibc

/// Whether this machine lets the system calls of a program be answered.
public enum Availability {
  /// Tries it; why it does not work, or `nil` if it does.
  public static func problem() -> String? {
    let filter = FilterProgram(slots: 960..<1024, mode: .full).instructions
    let failure = interposer_probe(filter, UInt16(filter.count))
    guard failure == 0 else { return reason(-failure) }
    return problemOfMemory()
  }

  /// Why the memory of programs cannot be read, or `nil` if it can.
  static func problemOfMemory() -> String? {
    var (byte, copy): (UInt8, UInt8) = (42, 0)
    let address = withUnsafePointer(to: &byte) { UInt64(UInt(bitPattern: $0)) }
    let count = interposer_read(getpid(), address, &copy, 1)
    guard count != 1 else { return nil }
    return "the memory of other processes cannot be read: process_vm_readv is refused "
      + "(\(String(cString: strerror(Int32(-count))))); this kernel lacks it, or a filter of system calls "
      + "(a container's, say) must allow it"
  }

  /// Why no files can be served to programs, or nothing if they can.
  package static func problemOfFiles() -> String? {
    let result = interposer_probe_files()
    guard result != 0 else { return nil }
    return "only ioctl works on copies under a number below 64 (dup2, a shell's exec "
      + "3<>/dev/i2c-1): nobody can serve files here (\(String(cString: strerror(-result)))); "
      + "it takes /dev/fuse and namespaces of users"
  }

  /// Why programs cannot be followed when they are executed, or nothing if they can.
  package static func problemOfTracing() -> String? {
    let result = interposer_probe_following()
    guard result != 0 else { return nil }
    return "programs would read the machine's clock: ptrace is refused "
      + "(\(String(cString: strerror(-result)))); see the sysctl kernel.yama.ptrace_scope, or the "
      + "filter of the container"
  }

  /// What an errno of the filter means.
  static func reason(_ errno: Int32) -> String {
    switch errno {
    case EBUSY:
      "this process already runs under a supervisor of system calls (another aneroid exec, or a "
        + "container manager that intercepts them), and the kernel allows one; leave the inner one out"
    case EINVAL, ENOSYS:
      "this kernel has no seccomp user notification (it needs Linux 5.9 or newer; gVisor has none)"
    case EACCES, EPERM:
      "this environment forbids programs to install filters of their own (seccomp)"
    default: "a filter cannot be installed: \(String(cString: strerror(errno)))"
    }
  }
}
