import Foundation
package import Glibc
import Synchronization

/// A program that a service starts, reads and ends.
package final class ChildProgram: Sendable {
  /// Where the output of a program goes.
  package enum Output {
    /// Standard output is read by `lines()` or `rest()`; standard error is inherited.
    case pipe
    /// Standard output and standard error are appended to the file at a path.
    case file(String)
  }

  /// The reason why a program cannot be started.
  package struct StartError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  /// The process ID.
  package let process: pid_t
  /// The end of the pipe from which the output is read; -1 if it goes to a file.
  private let handle: Int32
  /// The status of the process as `waitpid` returns it; `nil` while it is running.
  private let ended = Mutex<Int32?>(nil)

  /// Starts a program with an empty standard input.
  ///
  /// - Parameters:
  ///   - arguments: the path of the program, and its arguments.
  ///   - output: where its output goes.
  ///   - isGuarded: `true` if the program ends when the thread that starts it ends, and if Ctrl-C reaches only this process.
  ///     Default: `false`.
  /// - Throws: if the program cannot be started.
  package init(
    _ arguments: [String], output: Output, isGuarded: Bool = false
  ) throws(StartError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    var pipe: (read: Int32, write: Int32)?
    switch output {
    case .file(let log):
      posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    case .pipe:
      var ends: [Int32] = [-1, -1]
      guard Glibc.pipe(&ends) == 0 else {
        throw StartError("cannot create a pipe: \(String(cString: strerror(errno)))")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      pipe = (ends[0], ends[1])
    }
    defer { if let pipe { close(pipe.write) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var words = arguments
    if isGuarded {
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      // `setpriv` ends the child even if this process is killed.
      let guardian = "/usr/bin/setpriv"
      if access(guardian, X_OK) == 0 { words = [guardian, "--pdeathsig", "KILL", "--"] + words }
    }
    let strings = words.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, words[0], &actions, &attributes, strings + [nil], environ)
    guard failure == 0 else {
      if let pipe { close(pipe.read) }
      throw StartError("cannot start \(arguments[0]): \(String(cString: strerror(failure)))")
    }
    (process, handle) = (child, pipe?.read ?? -1)
  }

  /// Kills the process if it is running.
  deinit {
    kill()
    if handle >= 0 { close(handle) }
  }

  /// `true` while the process is running.
  package var isAlive: Bool { status == nil }

  /// The exit status, or the number of the signal that ended the process; `nil` while it is running.
  package var status: Int32? {
    ended.withLock { ended in
      if ended == nil {
        var found: Int32 = 0
        if waitpid(process, &found, WNOHANG) == process { ended = found }
      }
      return ended.map { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : $0 & 0x7F }
    }
  }

  /// Sends SIGTERM to the process if it is running.
  package func terminate() { if isAlive { _ = Glibc.kill(process, SIGTERM) } }

  /// Kills the process with SIGKILL, and waits for its end.
  package func kill() {
    guard isAlive else { return }
    _ = Glibc.kill(process, SIGKILL)
    wait()
  }

  /// Terminates the process, and kills it if it has not exited after a number of seconds.
  package func end(seconds: Int) {
    terminate()
    for _ in 0..<seconds * 50 where isAlive { usleep(20_000) }
    kill()
  }

  /// Returns the lines of the output, without line breaks and empty lines; the sequence ends when the process has exited.
  ///
  /// A thread of its own reads them, because reading blocks most of the time.
  package func lines() -> AsyncStream<[UInt8]> {
    let (lines, continuation) = AsyncStream<[UInt8]>.makeStream()
    Thread.detachNewThread { [self] in
      var reader = LineReader(handle: handle)
      while let some = reader.next() {
        for line in some { continuation.yield(line) }
      }
      wait()
      continuation.finish()
    }
    return lines
  }

  /// Runs a program until it exits; if it fails, its output is copied to standard error.
  ///
  /// - Parameter arguments: the path of the program, and its arguments.
  /// - Returns: its status.
  /// - Throws: if the program cannot be started.
  package static func check(_ arguments: [String]) throws(StartError) -> Int32 {
    let child = try ChildProgram(arguments, output: .pipe)
    let output = FileHandle(fileDescriptor: child.handle).readDataToEndOfFile()
    child.wait()
    let status = child.status ?? 0
    if status != 0 { FileHandle.standardError.write(output) }
    return status
  }

  /// Waits for the exit of a process that is about to exit.
  private func wait() {
    while isAlive { usleep(1000) }
  }

  /// The process ID of a running child of this process; `nil` if it has none.
  package var child: pid_t? {
    guard let folder = opendir("/proc") else { return nil }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let number = pid_t(name), let text = Self.status(of: number),
        let end = text.lastIndex(of: ")")
      else { continue }
      // The state and the parent follow the name, which may contain any character.
      let fields = text[text.index(after: end)...].split(separator: " ")
      if fields.count > 1, fields[0] != "Z", fields[1] == "\(process)" { return number }
    }
    return nil
  }

  private static func status(of process: pid_t) -> String? {
    let handle = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { return nil }
    defer { close(handle) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(handle, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

/// Reads the lines that are available.
package struct LineReader {
  private let handle: Int32
  private var rest: [UInt8] = []

  /// Creates a reader of a file descriptor, which stays open.
  package init(handle: Int32) { self.handle = handle }

  /// Returns the available lines; `nil` at the end of the input.
  package mutating func next() -> [[UInt8]]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var count = 0
    repeat { count = read(handle, &buffer, buffer.count) } while count < 0 && errno == EINTR
    guard count > 0 else { return nil }
    rest += buffer[..<count]
    var lines: [[UInt8]] = []
    var start = 0
    while let end = rest[start...].firstIndex(of: 10) {
      if end > start { lines.append(Array(rest[start..<end])) }
      start = end + 1
    }
    rest.removeFirst(start)
    // If no line feed arrives within 1 MiB, the bytes received so far are dropped.
    if rest.count > 1 << 20 { rest = [] }
    return lines
  }
}
