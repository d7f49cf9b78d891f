import Glibc
import Support

/// Runs the programs that a rig configures as notifications.
package enum Program {
  /// The timeout of a program, in seconds.
  package static let timeLimitSeconds = 10.0

  /// Runs a program with its output on standard error.
  ///
  /// - Returns: the error message; `nil` on success.
  package static func run(_ command: [String]) -> String? {
    let process: pid_t
    switch start(["/usr/bin/env", "--"] + command) {
    case .success(let started): process = started
    case .failure(let reason): return "\(command[0]) cannot be run: \(reason)"
    }
    guard let status = ending(of: process, within: timeLimitSeconds) else {
      kill(process, SIGTERM)
      // Wait a moment, so that a program that exits on SIGTERM is reaped and does not remain as a
      // zombie.
      _ = ending(of: process, within: 0.1)
      return "\(command[0]) timed out after \(Int(timeLimitSeconds)) s"
    }
    return status == 0 ? nil : "\(command[0]) exited with \(status)"
  }

  /// The failure to start a program.
  private struct StartError: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts a program in a new process group, without input and without inherited descriptors.
  private static func start(_ arguments: [String]) -> Result<pid_t, StartError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    for name in Folder.names(in: "/proc/self/fd") ?? [] {
      guard let number = Int32(name), number > STDERR_FILENO else { continue }
      posix_spawn_file_actions_addclose(&actions, number)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let strings = arguments.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    let reason = posix_spawn(
      &process, arguments[0], &actions, &attributes, strings + [nil], environ)
    guard reason == 0 else {
      return .failure(StartError(description: String(cString: strerror(reason))))
    }
    return .success(process)
  }

  /// Waits for a program; returns its exit status or the signal that ended it, or `nil` while it is still running.
  private static func ending(of process: pid_t, within seconds: Double) -> Int32? {
    var status: Int32 = 0
    var (waited, nap): (useconds_t, useconds_t) = (0, 100)
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process { break }
      // The process has already been reaped elsewhere.
      if found < 0, errno != EINTR { return 0 }
      guard Double(waited) < seconds * 1e6 else { return nil }
      usleep(nap)
      waited += nap
      nap = min(nap * 2, 10_000)
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
  }
}
