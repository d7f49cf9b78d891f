import Files
import Glibc

/// Runs a small program and takes what it prints.
enum ChildOutput {
  /// Its standard output.
  ///
  /// - Throws: `Failure` of kind unavailable when it cannot be run, or fails.
  static func text(of arguments: [String]) throws(Failure) -> String {
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { throw failure(arguments[0], errno) }
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let strings = arguments.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    let reason = posix_spawn(&process, arguments[0], &actions, nil, strings + [nil], environ)
    close(pipes[1])
    defer { close(pipes[0]) }
    guard reason == 0 else { throw failure(arguments[0], reason) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(pipes[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw Failure(.unavailable, "\(arguments[0]) failed with status \(status >> 8 & 0xFF)")
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func failure(_ program: String, _ reason: Int32) -> Failure {
    Failure(.unavailable, "\(program): \(String(cString: strerror(reason)))")
  }
}
