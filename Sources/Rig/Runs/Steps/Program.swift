import Files
import Glibc

/// Runs the programs of notifications.
package enum Program {
  /// How long a program may take, in seconds.
  package static let timeLimitSeconds = 10.0

  /// Runs a program with its output on standard error; what went wrong, or `nil`.
  package static func run(_ command: [String]) -> String? {
    let process: pid_t
    switch start(["/usr/bin/env", "--"] + command) {
    case .success(let started): process = started
    case .failure(let reason): return "\(command[0]) cannot be run: \(reason)"
    }
    guard let status = ending(of: process, within: timeLimitSeconds) else {
      kill(process, SIGTERM)
      // It is given a moment, so that nothing is left of one that obeys.
      _ = ending(of: process, within: 0.1)
      return "\(command[0]) was ended after \(Int(timeLimitSeconds)) s"
    }
    return status == 0 ? nil : "\(command[0]) exited with \(status)"
  }

  /// Why a program was not started.
  private struct StartError: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts a program in a process group of its own, without input and without files of ours.
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

  /// The exit status of a program, or the signal that has ended it; nothing while it goes on.
  private static func ending(of process: pid_t, within seconds: Double) -> Int32? {
    var status: Int32 = 0
    var (waited, nap): (useconds_t, useconds_t) = (0, 100)
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process { break }
      // Nobody to wait for: its end was taken elsewhere.
      if found < 0, errno != EINTR { return 0 }
      guard Double(waited) < seconds * 1e6 else { return nil }
      usleep(nap)
      waited += nap
      nap = min(nap * 2, 10_000)
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
  }
}
