import Files
import Glibc

/// A program that runs, with its output on a terminal of ours and its errors in a pipe.
final class RunningProgram {
  /// Where its output and its errors are read; -1 once they have ended.
  private(set) var descriptors: [Int32]
  /// Its wait status once it has ended.
  private(set) var status: Int32?
  /// The last lines that it said on standard error.
  private(set) var errorLines: [String] = []
  /// How many lines there were.
  private(set) var errorCount = 0

  /// Its number.
  let process: pid_t
  private var wasAsked = false
  private var text = PlainText(), errors = PlainText()
  private var marks = StepMarks()
  /// Where its questions are answered whether time may go on; -1 once it may not.
  private var steps: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// The descriptor at which the program asks whether time may go on.
  static let stepsDescriptor: Int32 = 3

  /// Starts a program in a process group of its own.
  ///
  /// - Throws: `Failure` of kind unavailable when it cannot be started.
  init(_ arguments: [String]) throws(Failure) {
    let terminal = try PseudoTerminal()
    defer { close(terminal.terminal) }
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else {
      throw Failure(.unavailable, "no pipe: \(String(cString: strerror(errno)))")
    }
    defer { close(pipes[1]) }
    var sockets: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      pipes.forEach { close($0) }
      throw Failure(.unavailable, "no sockets: \(String(cString: strerror(errno)))")
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

  /// Reads what has come on a descriptor.
  ///
  /// - Returns: whole lines of the output.
  func read(_ index: Int) -> [String] {
    let count = Glibc.read(descriptors[index], &buffer, buffer.count)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return [] }
      close(descriptors[index])
      descriptors[index] = -1
      // What it was saying when it was ended is no sentence.
      if index == 1, !wasAsked { takeErrors(errors.finish()) }
      return index == 0 ? text.take(marks.finish()) + text.finish() : []
    }
    if index == 0 { return text.take(marks.take(buffer[..<count])) }
    takeErrors(errors.take(buffer[..<count]))
    return []
  }

  private func takeErrors(_ lines: [String]) {
    errorCount += lines.count
    errorLines = (errorLines + lines).suffix(200)
  }

  /// Reads the rest of what it said once it has ended: a terminal, and who inherited a pipe, may be late.
  ///
  /// - Returns: whole lines of the output.
  func drain() -> [String] {
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

  /// The virtual time when it last went to sleep, in seconds since power came on.
  var seconds: Double { marks.seconds }

  /// Whether it sleeps, and all that it had to say has been read.
  var isAsking: Bool {
    guard marks.isAsking else { return false }
    while descriptors[1] >= 0, isReadable(1, milliseconds: 0) { _ = read(1) }
    return true
  }

  /// Lets the time of a program go on that asks.
  func goOn() {
    marks.answer()
    var byte: UInt8 = 1
    if steps >= 0 { _ = send(steps, &byte, 1, Int32(MSG_NOSIGNAL)) }
  }

  /// Looks whether it has ended.
  func wait() {
    guard status == nil else { return }
    var code: Int32 = 0
    guard waitpid(process, &code, WNOHANG) == process else { return }
    status = code
  }

  /// Asks it to end.
  func end() {
    wasAsked = true
    if status == nil { kill(process, SIGTERM) }
    if steps >= 0 { close(steps) }
    steps = -1
  }

  /// Ends it with all that it started: the supervisor's guard ends what has left its group.
  func kill() { if status == nil { Glibc.kill(-process, SIGKILL) } }

  private func kill(_ process: pid_t, _ signal: Int32) { Glibc.kill(process, signal) }
}
