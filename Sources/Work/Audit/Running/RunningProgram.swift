package import Glibc
import Interposer
package import Support

/// A child process with its output on a pseudo-terminal and its errors in a pipe.
package final class RunningProgram {
  /// The descriptors from which standard output and standard error are read; -1 after their end.
  package private(set) var descriptors: [Int32]
  /// The wait status (waitpid(2)); `nil` until the program has ended.
  package private(set) var status: Int32?
  /// The last lines on standard error.
  package private(set) var errorLines: [String] = []
  /// The number of lines on standard error.
  private(set) var errorCount = 0

  /// The process ID.
  package let process: pid_t
  private var wasAsked = false
  private var text = PlainText(), errors = PlainText()
  private var marks = StepMarks()
  /// The socket on which the audit acknowledges the program's steps in virtual time.
  private let steps: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// The descriptor on which the program requests time steps.
  static let stepsDescriptor: Int32 = 3

  /// Starts a program in its own process group.
  ///
  /// - Throws: `Failure` of kind unavailable if it cannot be started.
  package init(_ arguments: [String]) throws(Failure) {
    let terminal = try PseudoTerminal()
    defer { close(terminal.terminal) }
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else {
      throw Failure(.unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))")
    }
    defer { close(pipes[1]) }
    var sockets: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      pipes.forEach { close($0) }
      throw Failure(.unavailable, "cannot create sockets: \(String(cString: strerror(errno)))")
    }
    defer { close(sockets[1]) }
    steps = sockets[0]
    descriptors = [terminal.controller, pipes[0]]
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(pipes[0], F_SETFL, O_NONBLOCK)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, terminal.terminal, 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 2)
    posix_spawn_file_actions_adddup2(&actions, sockets[1], Self.stepsDescriptor)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var child: pid_t = 0
    let strings = arguments.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    let failure = posix_spawn(
      &child, arguments[0], &actions, &attributes, strings + [nil], environ)
    guard failure == 0 else {
      throw Failure(.unavailable, "\(arguments[0]): \(String(cString: strerror(failure)))")
    }
    process = child
  }

  deinit { for descriptor in descriptors + [steps] where descriptor >= 0 { close(descriptor) } }

  /// Reads the available bytes of a descriptor.
  ///
  /// - Returns: complete lines of the output.
  func read(_ index: Int) -> [String] {
    let count = Glibc.read(descriptors[index], &buffer, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return [] }
      close(descriptors[index])
      descriptors[index] = -1
      // A line that was cut off because the audit ended the program is dropped.
      if index == 1 { takeErrors(errors.finish()) }
      return index == 0 ? text.take(marks.finish()) + text.finish() : []
    }
    if index == 0 { return text.take(marks.take(buffer[..<count])) }
    takeErrors(errors.take(buffer[..<count]))
    return []
  }

  private func takeErrors(_ lines: [String]) {
    guard !wasAsked else { return }
    errorCount += lines.count
    errorLines = (errorLines + lines).suffix(200)
  }

  /// Reads the remaining output after the program has ended; output from a terminal, or from a
  /// process that inherited a pipe, may arrive late.
  ///
  /// - Returns: complete lines of the output.
  package func drain() -> [String] {
    var lines: [String] = []
    for _ in 0..<20 {
      for index in descriptors.indices {
        while descriptors[index] >= 0, isReadable(index, milliseconds: 0) { lines += read(index) }
      }
      guard let open = descriptors.firstIndex(where: { $0 >= 0 }) else { break }
      _ = isReadable(open, milliseconds: 50)
    }
    return lines
  }

  private func isReadable(_ index: Int, milliseconds: Int32) -> Bool {
    var item = pollfd(fd: descriptors[index], events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, milliseconds) > 0
  }

  /// The virtual time at which the program last went to sleep, in seconds since power-on.
  var seconds: Double { marks.seconds }

  /// `true` if the program sleeps in virtual time, waiting for an acknowledgement, and all output
  /// before the sleep has been read.
  var isAsking: Bool {
    guard marks.isAsking else { return false }
    while descriptors[1] >= 0, isReadable(1, milliseconds: 0) { _ = read(1) }
    return true
  }

  /// Acknowledges the program's step in virtual time, so the program continues.
  func goOn() {
    marks.answer()
    var byte: UInt8 = 1
    _ = send(steps, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Checks whether the program has ended, and stores its wait status.
  package func wait() {
    guard status == nil else { return }
    var code: Int32 = 0
    guard waitpid(process, &code, WNOHANG) == process else { return }
    status = code
  }

  /// Requests termination of the program by SIGTERM; a program that handles the signal may sleep before it exits.
  func end() {
    while descriptors[1] >= 0, isReadable(1, milliseconds: 0) { _ = read(1) }
    wasAsked = true
    if status == nil { kill(process, SIGTERM) }
  }

  /// Kills the program's process group; the guard process of `aneroid exec` ends processes that
  /// have left the group.
  package func kill() { if status == nil { Glibc.kill(-process, SIGKILL) } }

  private func kill(_ process: pid_t, _ signal: Int32) { Glibc.kill(process, signal) }
}

/// A pseudo-terminal, on which a program flushes each line.
struct PseudoTerminal {
  /// The controlling side, which reads the output.
  let controller: Int32
  /// The side that is the program's standard output.
  let terminal: Int32

  /// Opens a pseudo-terminal in raw mode.
  ///
  /// - Throws: `Failure` of kind unavailable.
  init() throws(Failure) {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: Int32 = 0
    guard controller >= 0, ioctl(controller, Self.setLock, &locked) == 0 else {
      throw Self.failure()
    }
    terminal = ioctl(controller, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw Self.failure() }
    var settings = termios()
    tcgetattr(terminal, &settings)
    cfmakeraw(&settings)
    tcsetattr(terminal, TCSANOW, &settings)
    var size = winsize(ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
  }

  // ioctl requests that glibc wraps in functions unavailable in Swift (asm-generic/ioctls.h).
  private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
  private static let openPeer: UInt = 0x5441  // TIOCGPTPEER

  private static func failure() -> Failure {
    Failure(.unavailable, "cannot open a pseudo-terminal: \(String(cString: strerror(errno)))")
  }
}

/// The CPU time of a process and its descendants.
package struct ProcessTree {
  /// The total CPU time in kernel ticks.
  package private(set) var ticks: UInt64 = 0
  /// `true` if a process is runnable or waits for a disk.
  private(set) var isRunnable = false

  /// Reads a process and its descendants.
  package init(of process: Int32) {
    add(process)
    ClientProcesses.descendants(of: process).forEach { add($0) }
  }

  /// The length of a tick in seconds.
  package static let tick = 1 / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))

  private mutating func add(_ process: Int32) {
    guard let text = try? TextFile.read("/proc/\(process)/stat"),
      let end = text.lastIndex(of: ")")
    else { return }
    // The state and, starting 12 fields after it: user time, system time, and both of ended
    // children.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 14 else { return }
    if fields[0] == "R" || fields[0] == "D" { isRunnable = true }
    for field in fields[11...14] { ticks += UInt64(field) ?? 0 }
  }
}

/// Limits a program's CPU time, and the time for which it makes no progress.
///
/// Load on the machine slows a program down, but the load neither uses the program's CPU time nor
/// stops its progress.
package struct WorkLimit {
  /// The limit in nanoseconds.
  let nanoseconds: UInt64
  /// The polling interval in nanoseconds.
  private static let intervalNanoseconds: UInt64 = 100_000_000

  private var nextLook: UInt64 = 0
  /// The initial CPU time in ticks.
  private let start: UInt64
  /// The highest CPU time seen in ticks.
  private var ticks: UInt64
  private var steps = 0
  private var lastMove: UInt64

  /// `true` if the program has used up a tenth of its CPU time limit.
  var isSlow: Bool {
    Double(ticks - start) * ProcessTree.tick * 1e10 > Double(nanoseconds)
  }

  /// Creates a limit of which nothing has been used up.
  ///
  /// - Parameters:
  ///   - nanoseconds: the limit.
  ///   - now: the time in nanoseconds.
  ///   - ticks: the initial CPU time, which does not count.
  package init(nanoseconds: UInt64, from now: UInt64 = 0, beyond ticks: UInt64 = 0) {
    self.nanoseconds = nanoseconds
    start = ticks
    self.ticks = ticks
    lastMove = now
  }

  /// Checks the limit.
  ///
  /// - Parameters:
  ///   - now: the time in nanoseconds.
  ///   - steps: the observed progress: lines and transfers.
  ///   - tree: returns the CPU time; called at most ten times a second.
  /// - Returns: `true` if the limit is exceeded.
  mutating func isOver(at now: UInt64, steps: Int, tree: () -> ProcessTree) -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now + Self.intervalNanoseconds
    let tree = tree()
    return isOver(at: now, steps: steps, ticks: tree.ticks, isRunnable: tree.isRunnable)
  }

  /// Checks the limit with a known CPU time.
  package mutating func isOver(at now: UInt64, steps: Int, ticks: UInt64, isRunnable: Bool) -> Bool
  {
    if ticks > self.ticks || steps != self.steps || isRunnable { lastMove = now }
    self.ticks = max(self.ticks, ticks)
    self.steps = steps
    return Double(self.ticks - start) * ProcessTree.tick * 1e9 > Double(nanoseconds)
      || now - lastMove > nanoseconds
  }
}
