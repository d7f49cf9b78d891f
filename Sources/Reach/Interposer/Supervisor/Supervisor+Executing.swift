import CInterposer
import Glibc

/// Programs that are executed: those to which something cannot be shown are told of, once each.
extension Supervisor {
  /// `execve` and `execveat`; where time is virtual the program's clocks are taken over too.
  func execute(_ call: Call) -> Answer {
    if isAstray(call) { return .failure(ENOENT) }
    let isAt = call.system == .execveat
    if let text = ProcessMemory(of: call, listener).path(call[isAt ? 1 : 0]),
      let given = ClientPath(
        text,
        relativeTo: { ClientPath.path(of: isAt ? call.int(0) : AT_FDCWD, call.thread) }),
      let path = tree.place(of: given.text, follows: false).text,
      toldPrograms.insert(path).inserted
    {
      if let reason = Self.obstacle("/proc/\(call.thread)/root" + path) {
        toldPrograms.insert(String(path.split(separator: "/").last?.prefix(15) ?? ""))
        tell(path.map { $0.isASCII && $0 >= " " ? String($0) : "?" }.joined() + reason)
      }
    }
    return waitingRoom == nil ? .pass : followExecution(call)
  }

  /// What a program in a file will not get, or `nil`.
  private static func obstacle(_ path: String) -> String? {
    var status = Glibc.stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let isRoot = geteuid() == 0
    if !isRoot, status.st_mode & S_ISUID != 0, status.st_mode & 0o111 != 0 {
      return
        " gains no privileges here, as none who watches it has them; to run programs as somebody else, "
        + "start aneroid exec as root"
    }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == EACCES, !isRoot else { return nil }
      return
        " cannot be read, only executed, so that nobody may look into it: it sees no /dev/i2c-N; "
        + "make it readable (chmod a+r), or start aneroid exec as root"
    }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 5)
    guard read(file, &header, 5) == 5, header == [0x7F, 0x45, 0x4C, 0x46, 1] else { return nil }
    return " is a 32-bit program: it sees no /dev/i2c-N; build it for 64 bits"
  }

  /// Tells that a program does not let itself be looked into, if that is why its call cannot be read.
  func tellIfClosed(_ call: Call, _ place: UInt64) {
    var byte: UInt8 = 0
    guard interposer_read(call.thread, place, &byte, 1) == -Int(EPERM) else { return }
    let name = ProgramName.of(call.thread)
    // The kernel keeps 15 characters of a name; one that was told of when it was executed is known by them.
    let short = name.split(separator: " (").first.map(String.init) ?? name
    guard toldPrograms.insert(short).inserted else { return }
    tell(
      "\(name) does not let others look into it (it is not dumpable): it sees no /dev/i2c-N; "
        + "start aneroid exec as root to serve it too")
  }
}
