import Glibc

/// What every command does first: makes sure that its own talk can never land in a file.
enum ProgramStart {
  /// Opens /dev/null where standard input, output or error is closed, and lets failing writes return.
  static func prepare() {
    openStandardDescriptors()
    // A handler rather than SIG_IGN: programs that are started must not inherit it.
    for number in [SIGPIPE, SIGXFSZ] {
      var action = sigaction()
      sigaction(number, nil, &action)
      guard action.__sigaction_handler.sa_handler == nil else { continue }
      action.__sigaction_handler.sa_handler = { _ in }
      action.sa_flags = SA_RESTART
      sigaction(number, &action, nil)
    }
  }

  /// Whether standard output was closed when this program started: what is written there is lost.
  private(set) nonisolated(unsafe) static var isOutputClosed = false
  /// Whether anything was written to standard output although it was closed.
  nonisolated(unsafe) static var hasLostOutput = false

  /// The next file that is opened would otherwise take a standard number, and all talk with it.
  private static func openStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      if number == STDOUT_FILENO { isOutputClosed = true }
      // The lowest free number is the one that is closed.
      _ = open("/dev/null", O_RDWR)
    }
  }
}
