import Glibc

/// The signals that ask for an end, noticed so that something can be tidied first.
enum EndSignals {
  nonisolated(unsafe) private static var last: sig_atomic_t = 0

  /// Notices them from now on.
  static func notice() {
    var ends = sigset_t()
    sigemptyset(&ends)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Who has been told to ignore a signal, by nohup say, goes on doing so.
      var action = sigaction()
      sigaction(number, nil, &action)
      let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      if !isIgnored { signal(number) { EndSignals.last = $0 } }
      sigaddset(&ends, number)
    }
    // Whoever started this process may have blocked them for itself.
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  /// Whether one has come.
  static var hasCome: Bool { last != 0 }

  /// Ends as the last one would have ended this process.
  static func obey() -> Never {
    signal(last, SIG_DFL)
    raise(last)
    exit(128 + last)
  }
}
