import CInterposer
import Glibc

/// A program whose process is being created, and which waits at its execution until an interposer runs it.
///
/// The bench can be assembled in the meantime. A launch that no interposer runs is ended with this object.
public final class ProgramLaunch {
  /// The program and its arguments.
  let arguments: [String]
  let mode: InterposerMode
  let isTimeVirtual: Bool
  /// The descriptor numbers for synthetic files.
  let slots: Range<Int>
  private var launched: Result<Launcher.Launched, InterposerError>?

  /// Creates the process of a program.
  ///
  /// An error is thrown when the program is run.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments; the program is looked up in PATH like in a shell.
  ///   - mode: the system calls to intercept.
  ///   - isTimeVirtual: whether the program has virtual time.
  public init(_ arguments: [String], mode: InterposerMode, isTimeVirtual: Bool) {
    precondition(!arguments.isEmpty, "arguments is empty; it must contain the program name")
    (self.arguments, self.mode, self.isTimeVirtual) = (arguments, mode, isTimeVirtual)
    var slots = 0..<0
    do throws(InterposerError) {
      slots = try Launcher.slots()
      let filter = FilterProgram(slots: slots, mode: mode, isTimeVirtual: isTimeVirtual)
      launched = .success(try Launcher.launch(arguments, filter: filter))
    } catch {
      launched = .failure(error)
    }
    self.slots = slots
  }

  deinit {
    if case .success(var launched) = launched { interposer_cancel_start(&launched.start) }
  }

  /// Waits until the program is about to be executed.
  ///
  /// - Throws: `InterposerError` if it could not be started or filtered.
  func started() throws(InterposerError) -> Launcher.Started {
    guard let launched else { preconditionFailure("a launch is run once") }
    self.launched = nil
    return try Launcher.start(try launched.get())
  }
}

/// Starts a program under a seccomp filter.
enum Launcher {
  /// A process that has been created, and what the supervisor will need to serve it.
  struct Launched {
    var start: interposer_start
    let signals: Int32
    let eventLoop: EventLoop
  }

  /// A running program, and what the supervisor needs to serve it.
  struct Started {
    /// The guard process, which is the program's parent, and the socket to it.
    let guardian: Int32, line: Int32
    let listener: Int32
    let signals: Int32
    /// The event loop of the supervisor.
    let eventLoop: EventLoop
    /// A descriptor that is readable once the program has been executed, or its execution failed.
    let executionStatus: Int32
    let waitsKillable: Bool
  }

  /// The descriptor numbers for synthetic files: from 64, which fits a signed byte, up to RLIMIT_NOFILE (65,536 at
  /// most).
  ///
  /// If the limit is below 128, the range starts at half of it.
  static func slots() throws(InterposerError) -> Range<Int> {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let end = Int(min(limit.rlim_cur, 65_536))
    guard end >= 8 else {
      throw .unavailable("the limit of open files (ulimit -n) is \(end); it must be at least 8")
    }
    return min(64, end / 2)..<end
  }

  /// Creates the process of a program.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - filter: the seccomp filter.
  /// - Returns: the process, which waits at the execution of the program.
  /// - Throws: `InterposerError` if it cannot be created.
  static func launch(
    _ arguments: [String], filter: FilterProgram
  ) throws(InterposerError) -> Launched {
    let path = try ProgramPath.find(arguments[0])
    // Check now what would otherwise fail only while the program runs.
    if let problem = Availability.problemOfMemory() { throw .unavailable(problem) }
    var errno: Int32 = 0
    guard let eventLoop = EventLoop(&errno) else {
      throw .unavailable(reason("epoll_create1", -errno))
    }
    let signals = interposer_signals()
    guard signals >= 0 else { throw .unavailable(reason("signalfd", signals)) }
    let adoption = interposer_set_subreaper()
    guard adoption == 0 else { throw .unavailable(reason("prctl", adoption)) }
    interposer_ignore_writing_signals()
    let start = withStrings(arguments) { arguments in
      withStrings(["sh", path] + arguments.dropFirst().dropLast().compactMap(text)) { shell in
        filter.instructions.withUnsafeBufferPointer { filter in
          path.withCString { path in
            var program = interposer_program(
              path: path, arguments: arguments.baseAddress, shell_arguments: shell.baseAddress,
              filter: filter.baseAddress, filter_length: UInt16(filter.count))
            return interposer_launch(&program)
          }
        }
      }
    }
    guard start.outcome == INTERPOSER_LAUNCHED else { throw failure(of: start) }
    return Launched(start: start, signals: signals, eventLoop: eventLoop)
  }

  /// Waits until a program is about to be executed.
  ///
  /// - Returns: the running program.
  /// - Throws: `InterposerError` if it cannot be started or filtered.
  static func start(_ launched: Launched) throws(InterposerError) -> Started {
    var start = launched.start
    interposer_await_start(&start)
    guard start.outcome == INTERPOSER_STARTED else { throw failure(of: start) }
    return Started(
      guardian: start.guard, line: start.line, listener: start.listener,
      signals: launched.signals, eventLoop: launched.eventLoop, executionStatus: start.report,
      waitsKillable: start.waits_killable)
  }

  private static func failure(of start: interposer_start) -> InterposerError {
    start.outcome == INTERPOSER_NO_FILTER
      ? .unavailable(Availability.reason(start.error))
      : .unavailable("cannot start a process: \(String(cString: strerror(start.error)))")
  }

  /// The error message for the case that the kernel rejects a system call which the supervisor needs.
  private static func reason(_ call: String, _ failure: Int32) -> String {
    "\(call) failed: \(String(cString: strerror(-failure))); "
      + "a seccomp filter of this process, for example of a container, must allow it"
  }

  private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// Calls `body` with strings as a null-terminated C argument list.
  private static func withStrings<Value>(
    _ strings: [String],
    _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0) }
  }
}

/// Checks whether this machine supports the interposer.
public enum Availability {
  /// Returns the reason why the interposer does not work here; `nil` if it does.
  public static func problem() -> String? {
    let filter = FilterProgram(slots: 960..<1024, mode: .full).instructions
    let failure = interposer_probe(filter, UInt16(filter.count))
    guard failure == 0 else { return reason(-failure) }
    return problemOfMemory()
  }

  /// Returns the reason why the memory of programs cannot be read; `nil` if it can.
  static func problemOfMemory() -> String? {
    var (byte, copy): (UInt8, UInt8) = (42, 0)
    let address = withUnsafePointer(to: &byte) { UInt64(UInt(bitPattern: $0)) }
    let count = interposer_read(getpid(), address, &copy, 1)
    guard count != 1 else { return nil }
    return "the memory of other processes cannot be read: process_vm_readv failed "
      + "(\(String(cString: strerror(Int32(-count))))); this kernel lacks it, or a seccomp filter, "
      + "for example of a container, must allow it"
  }

  /// Returns the reason why FUSE files cannot be served; `nil` if they can.
  package static func problemOfFiles() -> String? {
    let result = interposer_probe_files()
    guard result != 0 else { return nil }
    return "only ioctl works on copied descriptors below 64 (dup2, a shell's exec "
      + "3<>/dev/i2c-1): FUSE is not available (\(String(cString: strerror(-result)))); "
      + "it needs /dev/fuse and user namespaces"
  }

  /// Returns the reason why programs cannot be traced at their execution; `nil` if they can.
  package static func problemOfTracing() -> String? {
    let result = interposer_probe_tracing()
    guard result != 0 else { return nil }
    return "programs would read the machine's clock: ptrace failed "
      + "(\(String(cString: strerror(-result)))); see the sysctl kernel.yama.ptrace_scope and the "
      + "seccomp filter of the container"
  }

  /// The error message for the errno with which the installation of the filter failed.
  static func reason(_ errno: Int32) -> String {
    switch errno {
    case EBUSY:
      "this process already runs under a seccomp supervisor (another aneroid exec, or a container manager "
        + "that intercepts system calls), and the kernel allows only one; remove the inner one"
    case EINVAL, ENOSYS:
      "this kernel has no seccomp user notification (it requires Linux 5.9 or newer and is missing in gVisor)"
    case EACCES, EPERM:
      "this environment does not permit programs to install seccomp filters"
    default: "cannot install the seccomp filter: \(String(cString: strerror(errno)))"
    }
  }
}

/// Looks up programs like a shell.
enum ProgramPath {
  /// Returns the path of a program, looked up in PATH unless its name contains a slash.
  ///
  /// - Throws: `InterposerError` if it does not exist or cannot be run.
  static func find(_ name: String) throws(InterposerError) -> String {
    guard !name.isEmpty else { throw .notFound(name) }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    let candidates =
      name.contains("/")
      ? [name]
      : folders.split(separator: ":", omittingEmptySubsequences: false)
        .map { ($0.isEmpty ? "." : String($0)) + "/" + name }
    for path in candidates where !isDirectory(path) && access(path, X_OK) == 0 { return path }
    guard let found = candidates.first(where: { access($0, F_OK) == 0 }) else {
      throw .notFound(name)
    }
    throw .notRunnable(name, isDirectory(found) ? "it is a directory" : "permission denied")
  }

  /// Returns the error for ENOENT from `execve`: the program or its interpreter is missing.
  static func absence(of name: String) -> InterposerError {
    guard let path = try? find(name) else { return .notFound(name) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    // The kernel reads no more than 256 bytes for an interpreter line.
    let start = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, 256))
    }
    if start.starts(with: "#!".utf8) {
      let line = start.dropFirst(2).prefix { $0 != 0x0A }
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      if let first = words.first {
        return .noInterpreter(name, String(decoding: first, as: UTF8.self))
      }
    }
    let isELF = start.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    return isELF ? .noInterpreter(name, "a dynamic loader") : .notFound(name)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = Glibc.stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The reasons why a program cannot be started on virtual buses.
public enum InterposerError: Error, Hashable, Sendable {
  /// This machine does not support the interposer; with the reason and the remedy.
  case unavailable(String)
  /// The program does not exist.
  case notFound(String)
  /// The program exists, but its interpreter (from the script's first line) or its dynamic loader does not.
  case noInterpreter(String, String)
  /// The program cannot be run; with the reason.
  case notRunnable(String, String)
}

extension InterposerError: CustomStringConvertible {
  /// The program and the reason why it cannot be started.
  public var description: String {
    switch self {
    case .unavailable(let reason): "cannot provide /dev/i2c-N on this machine: \(reason)"
    case .notFound(let program): "\(program): no such program"
    case .noInterpreter(let program, let interpreter):
      "\(program): cannot be run: it requires \(interpreter), which does not exist"
    case .notRunnable(let program, let reason): "\(program): cannot be run: \(reason)"
    }
  }
}
