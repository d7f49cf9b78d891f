import Glibc

/// A child process that exchanges lines over its standard input and output, and ends when its input is closed.
package final class LineProgram {
  /// The result of waiting for a line.
  package enum Answer: Hashable, Sendable {
    /// A line without its terminator.
    case line([UInt8])
    /// No line arrived before the timeout.
    case nothing
    /// The program has ended and all its lines have been read.
    case ended
    /// The program writes a line that is longer than `longestLine`.
    case endless
  }

  /// The longest line in bytes (1 MiB).
  package static let longestLine = 1 << 20

  /// The process ID.
  package let process: Int32
  private let input, output, errors: Int32
  /// The descriptor that is readable when lines may be pending.
  package var descriptor: Int32 { output }
  private var buffer: [UInt8] = []
  private var begin = 0
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var hasEnded = false
  /// The size of standard error when it was last discarded.
  private var trimmed: off_t = 0

  /// Starts a program, looked up in PATH; its standard error is kept for `lastError`.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - environment: environment variables to add or replace.
  /// - Throws: `Failure` of kind unavailable if the program cannot be started.
  package init(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(Failure) {
    var sockets: [Int32] = [0, 0]
    var pipes: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else {
      throw Failure(.unavailable, "cannot create sockets: \(String(cString: strerror(errno)))")
    }
    defer { close(sockets[1]) }
    guard pipe(&pipes) == 0 else {
      close(sockets[0])
      throw Failure(.unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))")
    }
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(pipes[1]) }
    let kept = ScratchFile.open()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
    if kept >= 0 { posix_spawn_file_actions_adddup2(&actions, kept, STDERR_FILENO) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Ctrl-C must reach only this process; the child ends with its input.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let strings = arguments.map { strdup($0) }
    let variables = Self.variables(environment)
    defer { (strings + variables).forEach { free($0) } }
    var child: pid_t = 0
    let failure = posix_spawnp(
      &child, arguments[0], &actions, &attributes, strings + [nil], variables + [nil])
    guard failure == 0 else {
      close(sockets[0])
      close(pipes[0])
      if kept >= 0 { close(kept) }
      throw Failure(.unavailable, "\(arguments[0]): \(String(cString: strerror(failure)))")
    }
    (process, input, output, errors) = (child, sockets[0], pipes[0], kept)
  }

  /// Returns this process's environment with changes, as a null-terminated C array of copies to be freed.
  private static func variables(_ changes: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var variables = changes.map { strdup("\($0.key)=\($0.value)") }
    var next = environ
    while let entry = next.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if changes[String(name)] == nil { variables.append(strdup(entry)) }
      next += 1
    }
    return variables
  }

  /// The last line of the program's standard error; `nil` if it wrote none.
  package var lastError: String? { lastErrors(1).last }

  /// Returns the last lines of the program's standard error, at most `count`.
  package func lastErrors(_ count: Int) -> [String] {
    let end = lseek(errors, 0, SEEK_END)
    guard end > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(min(end, 4096)))
    let length = pread(errors, &bytes, bytes.count, end - off_t(bytes.count))
    guard length > 0 else { return [] }
    return String(decoding: bytes[..<length], as: UTF8.self)
      .split(whereSeparator: \.isNewline).suffix(count).map(String.init)
  }

  /// How the program has ended, in words: `status 3`, `signal 11`.
  package var ending: String {
    var status: Int32 = 0
    // A program that has closed its output ends soon, or is ended.
    for _ in 0..<50 where waitpid(process, &status, WNOHANG) == 0 { usleep(10_000) }
    let signal = status & 0x7F
    return signal == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(signal)"
  }

  deinit {
    close(input)
    close(output)
    if errors >= 0 { close(errors) }
    // Its children may outlive it.
    defer { kill(-process, SIGKILL) }
    // The program should end when its input is closed; wait at most 0.5 s for that.
    for _ in 0..<50 {
      guard waitpid(process, nil, WNOHANG) == 0 else { return }
      usleep(10_000)
    }
    stop()
  }

  /// Ends the program and its children at once.
  package func stop() {
    kill(-process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// `true` if a line can be read at once.
  package var hasLine: Bool {
    if buffer[begin...].contains(0x0A) { return true }
    var item = pollfd(fd: hasEnded ? -1 : output, events: Int16(POLLIN), revents: 0)
    if poll(&item, 1, 0) > 0 { readOutput() }
    return buffer[begin...].contains(0x0A)
  }

  /// The time for which a program may not take its input, in milliseconds.
  private static let sendingLimit: Int32 = 5000

  /// The monotonic clock in milliseconds.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Discards what the program has written to standard error, if that is more than 1 MiB.
  package func trimErrors() {
    if errors >= 0, lseek(errors, 0, SEEK_END) - trimmed > 1 << 20 {
      trimmed = lseek(errors, 0, SEEK_END)
      ftruncate(errors, 0)
    }
  }

  /// Sends a line.
  ///
  /// - Returns: `false` if the program has ended, or does not take its input for 5 s.
  @discardableResult
  package func sendLine(_ line: String) -> Bool {
    let bytes = Array((line + "\n").utf8)
    var sent = 0
    let deadline = Self.now + Int64(Self.sendingLimit)
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        guard Self.now < deadline, buffer.count - begin <= Self.longestLine else { return false }
        waitUntilWritable()
        continue
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits until the program accepts input again, and reads its output while waiting to avoid a deadlock.
  private func waitUntilWritable() {
    var items = [
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: hasEnded ? -1 : output, events: Int16(POLLIN), revents: 0),
    ]
    if poll(&items, 2, 100) > 0, items[1].revents != 0 { readOutput() }
  }

  /// Reads the available output.
  private func readOutput() {
    let count = read(output, &chunk, chunk.count)
    if count < 0, errno == EINTR { return }
    if count <= 0 { hasEnded = true } else { buffer += chunk[..<count] }
  }

  /// Returns the next line.
  ///
  /// - Parameter milliseconds: the timeout.
  /// - Returns: the line, or the reason why there is none.
  package func next(milliseconds: Int32) -> Answer {
    var spins = 100
    let deadline = Self.now + Int64(milliseconds)
    while true {
      if let end = buffer[begin...].firstIndex(of: 0x0A) {
        defer { begin = end + 1 }
        return .line(Array(buffer[begin..<end]))
      }
      guard !hasEnded else { return .ended }
      guard buffer.count - begin <= Self.longestLine else { return .endless }
      buffer.removeFirst(begin)
      begin = 0
      // An answer is often nearer than the time in which a sleeping process wakes up.
      if spins > 0 {
        spins -= 1
        var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        if poll(&item, 1, 0) > 0 { readOutput() } else { sched_yield() }
        continue
      }
      var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      // Bytes without the end of a line are no answer.
      let left = milliseconds < 0 ? -1 : Int32(clamping: max(deadline - Self.now, 0))
      let found = poll(&item, 1, left)
      if found < 0, errno == EINTR { continue }
      guard found > 0 else { return .nothing }
      readOutput()
    }
  }
}

/// A program that answers each line with one line, in JSON, and is ended if it does not.
package final class SupervisedProgram {
  /// The time within which a program answers, in milliseconds of the machine.
  private static let patience: Int32 = 5000

  /// What the program is, for messages: `part`.
  private let role: String
  private let name: String
  private let program: LineProgram
  private var count = 0

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - role: what it is, for messages, such as `part`.
  ///   - arguments: the program, looked up in PATH, and its arguments.
  ///   - folder: its working directory.
  /// - Throws: `Failure` of kind unavailable if it cannot be started.
  package init(_ role: String, _ arguments: [String], in folder: String) throws(Failure) {
    self.role = role
    name = arguments.joined(separator: " ")
    program = try LineProgram(
      ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder] + arguments,
      // Python would write the lines of a pipe late.
      environment: ["PYTHONUNBUFFERED": "1"])
  }

  /// Passes an event to the program, and returns its answer.
  ///
  /// - Parameters:
  ///   - line: the event, as one line of JSON.
  ///   - read: reads the answer.
  /// - Returns: the result of `read`.
  /// - Throws: `Failure` of kind unavailable if there is no valid answer; the program has been ended.
  package func answer<Answer>(
    to line: String, _ read: ([(key: String, value: JSONValue)]) throws(InvalidAnswer) -> Answer
  ) throws(Failure) -> Answer {
    count += 1
    guard !program.hasLine else { throw fail("answered twice, before event", line) }
    program.trimErrors()
    let isSent = program.sendLine(line)
    switch program.next(milliseconds: isSent ? Self.patience : 100) {
    case .nothing where !isSent: throw fail("does not take its input, at event", line)
    case .nothing:
      throw fail(
        "did not answer within \(Self.patience / 1000) s (does it flush each line of its output?), at event",
        line)
    case .endless:
      throw fail("answered with more than \(LineProgram.longestLine) bytes, at event", line)
    case .ended: throw fail("has ended with \(program.ending), at event", line)
    case .line(let bytes):
      do throws(InvalidAnswer) {
        guard let object = JSONValue(reading: bytes)?.object else {
          throw InvalidAnswer("it is not a JSON object")
        }
        return try read(object)
      } catch {
        throw fail(
          "answered '\(String(decoding: bytes, as: UTF8.self).clipped)': \(error.text), at event",
          line)
      }
    }
  }

  private func fail(_ what: String, _ event: String) -> Failure {
    program.stop()
    // What the program said itself is more than its last line.
    let said = program.lastErrors(12).map { "the \(role) said: \($0.clipped)" }
    return Failure(.unavailable, ["the \(role) '\(name)' \(what) \(count): \(event)"] + said)
  }
}

/// What is wrong with the answer of a program.
package struct InvalidAnswer: Error {
  /// What is wrong, in words.
  package let text: String

  /// Creates the error.
  package init(_ text: String) { self.text = text }

  /// The error for a key that no answer has.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - keys: the keys of answers, the nearest of which is suggested.
  package init(unknownKey key: String, of keys: [String]) {
    text = "unknown key '\(key.clipped)'" + NearestWord.hint(key, among: keys)
  }
}

extension JSONValue {
  /// The integer that this is, also in a form such as 1e9; `nil` for other values.
  package var wholeNumber: Int? {
    guard case .number(let text) = self else { return nil }
    return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
  }
}
