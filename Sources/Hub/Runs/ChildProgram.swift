import Glibc

/// A child process that a run starts, kills and restarts.
final class ChildProgram {
  /// The process ID.
  let process: pid_t
  private var status: Int32?

  /// Starts a program that ends when this process ends; its output is appended to a file.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, and its arguments.
  ///   - log: The path of the log file.
  /// - Throws: An error if the program cannot be started.
  init(_ arguments: [String], log: String) throws(StackRunError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Ctrl-C must reach only this process, because the run decides when its programs end.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    // `setpriv` ends the child even if this process is killed.
    let guardian = "/usr/bin/setpriv"
    let words =
      (access(guardian, X_OK) == 0 ? [guardian, "--pdeathsig", "KILL", "--"] : []) + arguments
    let strings = words.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, words[0], &actions, &attributes, strings + [nil], environ)
    guard failure == 0 else {
      throw StackRunError("cannot start \(arguments[0]): \(String(cString: strerror(failure)))")
    }
    process = child
  }

  deinit { kill() }

  /// `true` while the process is running.
  var isAlive: Bool {
    if status == nil {
      var found: Int32 = 0
      if waitpid(process, &found, WNOHANG) == process { status = found }
    }
    return status == nil
  }

  /// Kills the process with SIGKILL.
  func kill() {
    guard isAlive else { return }
    Glibc.kill(process, SIGKILL)
    var found: Int32 = 0
    while waitpid(process, &found, 0) < 0, errno == EINTR {}
    status = found
  }

  /// Terminates the process, and kills it if it has not exited after a number of seconds.
  func end(seconds: Int) {
    guard isAlive else { return }
    Glibc.kill(process, SIGTERM)
    for _ in 0..<seconds * 50 where isAlive { usleep(20_000) }
    kill()
  }

  /// The process ID of a running child of this process; `nil` if it has none.
  var child: pid_t? {
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

/// The reason why a run over a Bluetooth stack is not possible, given as a sentence.
package struct StackRunError: Error, CustomStringConvertible {
  package let description: String
  /// The exit status that reports the error.
  package let status: Int32

  init(_ description: String, status: Int32 = 69) {
    (self.description, self.status) = (description, status)
  }
}
