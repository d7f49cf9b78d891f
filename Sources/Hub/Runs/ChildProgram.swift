import Glibc

/// A program that a run starts, kills and starts again.
final class ChildProgram {
  /// Its number.
  let process: pid_t
  private var status: Int32?

  /// Starts a program, which ends when this one does; what it says goes to the end of a file.
  ///
  /// - Parameters:
  ///   - arguments: the path of the program, and its arguments.
  ///   - log: the file.
  /// - Throws: why it cannot be started.
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
    // A Ctrl-C is for us: who is killed, and when, is the run's.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    // So that it ends with us even where we are killed ourselves.
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

  /// Whether it runs.
  var isAlive: Bool {
    if status == nil {
      var found: Int32 = 0
      if waitpid(process, &found, WNOHANG) == process { status = found }
    }
    return status == nil
  }

  /// Kills it: kill -9.
  func kill() {
    guard isAlive else { return }
    Glibc.kill(process, SIGKILL)
    var found: Int32 = 0
    while waitpid(process, &found, 0) < 0, errno == EINTR {}
    status = found
  }

  /// Ends it as a user does, and kills it where it does not end within so many seconds.
  func end(seconds: Int) {
    guard isAlive else { return }
    Glibc.kill(process, SIGTERM)
    for _ in 0..<seconds * 50 where isAlive { usleep(20_000) }
    kill()
  }

  /// The number of a program that this one has started and that runs; `nil` where there is none.
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
      // The state and the parent follow the name, in which anything may stand.
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

/// Why a run over a stack cannot be made, in a sentence.
package struct StackRunError: Error, CustomStringConvertible {
  package let description: String
  /// The exit status that it means.
  package let status: Int32

  init(_ description: String, status: Int32 = 69) {
    (self.description, self.status) = (description, status)
  }
}
