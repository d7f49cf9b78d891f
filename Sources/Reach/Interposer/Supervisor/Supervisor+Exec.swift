import CInterposer
import Glibc

/// `execve`, `clone` and `kill`.
///
/// Programs that cannot be served are reported once each.
extension Supervisor {
  /// Answers `execve` and `execveat`; with virtual time, the program's clocks are replaced too.
  func execute(_ call: Call) -> Answer {
    if isRelativeInSyntheticDirectory(call) { return .failure(ENOENT) }
    let isAt = call.system == .execveat
    if let text = ProcessMemory(of: call, listener).path(call[isAt ? 1 : 0]),
      let given = ClientPath(
        text,
        relativeTo: { ClientPath.path(of: isAt ? call.int(0) : AT_FDCWD, call.thread) }),
      let path = tree.resolve(given.text, follows: false).text,
      reportedPrograms.insert(path).inserted
    {
      if let reason = Self.obstacle("/proc/\(call.thread)/root" + path) {
        reportedPrograms.insert(String(path.split(separator: "/").last?.prefix(15) ?? ""))
        report(path.map { $0.isASCII && $0 >= " " ? String($0) : "?" }.joined() + reason)
      }
    }
    return scheduler == nil ? .pass : traceExecution(call)
  }

  /// The reason why a program cannot be served; `nil` if it can.
  private static func obstacle(_ path: String) -> String? {
    var status = Glibc.stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let isRoot = geteuid() == 0
    if !isRoot, status.st_mode & S_ISUID != 0, status.st_mode & 0o111 != 0 {
      return
        " gains no privileges here because aneroid exec has none; to run programs as another user, "
        + "start aneroid exec as root"
    }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == EACCES, !isRoot else { return nil }
      return
        " is executable but not readable, so its memory cannot be accessed and it sees no /dev/i2c-N; "
        + "make it readable (chmod a+r), or start aneroid exec as root"
    }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 5)
    guard read(file, &header, 5) == 5, header == [0x7F, 0x45, 0x4C, 0x46, 1] else { return nil }
    return " is a 32-bit program and sees no /dev/i2c-N; build it for 64 bits"
  }

  /// Reports a program whose memory cannot be read, if that is why its call failed.
  func reportIfUnreadable(_ call: Call, _ address: UInt64) {
    var byte: UInt8 = 0
    guard interposer_read(call.thread, address, &byte, 1) == -Int(EPERM) else { return }
    let name = ProgramName.of(call.thread)
    // The kernel keeps 15 characters of a program's name; a program reported at its execution is also recorded under
    // this short name.
    let short = name.split(separator: " (").first.map(String.init) ?? name
    guard reportedPrograms.insert(short).inserted else { return }
    report(
      "\(name) is not dumpable, so its memory cannot be accessed and it sees no /dev/i2c-N; "
        + "start aneroid exec as root to serve it too")
  }

  // MARK: Processes and signals in virtual time

  /// Traces a program through its execution, so that it reads clocks only through system calls or shared clocks.
  func traceExecution(_ call: Call) -> Answer {
    scheduler?.readings.executes(call.thread)
    // Timers of timer_create are deleted by an execution.
    if let scheduler, !scheduler.timers.isEmpty, let process = process(of: call) {
      scheduler.timers.executed(process)
    }
    if interposer_trace_exec(call.thread) != 0 {
      report(
        "a program is traced by another one at its execution, so the time it reads \(VirtualTime.leak), "
          + "and so do its absolute sleeps",
        .machineTime, about: -2)
    }
    return .pass
  }

  /// Handles `clone`, `fork` and `vfork`, which create a thread to track.
  func recordClone(_ call: Call) -> Answer {
    // CLONE_VFORK: the caller is suspended until the child executes a program or exits.
    let flags =
      switch call.system {
      case .vfork: UInt64(0x4000)
      case .clone: call[0]
      case .clone3: ProcessMemory(of: call, listener).word(call[0]) ?? 0
      default: UInt64(0)
      }
    // CLONE_THREAD.
    if flags & 0x10000 != 0 {
      scheduler?.threads.recordCreation(call.thread, .sibling)
      scheduler?.readings.createsThread(call.thread)
    } else {
      scheduler?.threads.recordCreation(call.thread, flags & 0x4000 != 0 ? .sharingChild : .process)
    }
    return .pass
  }

  /// Handles `kill` and similar calls, after which a waiting thread may have a signal pending.
  func recordSignal() -> Answer {
    scheduler?.signalScope = .all
    return .pass
  }
}
