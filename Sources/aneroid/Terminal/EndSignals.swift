import Glibc

/// The signals that ask for an end, noticed so that something can be tidied first.
enum EndSignals {
  nonisolated(unsafe) private static var last: sig_atomic_t = 0
  nonisolated(unsafe) private static var reload: sig_atomic_t = 0

  /// Notices them from now on.
  ///
  /// - Parameter reloads: whether SIGHUP asks for its files to be read again, and not for an end.
  static func notice(reloads: Bool = false) {
    var ends = sigset_t()
    sigemptyset(&ends)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Who has been told to ignore a signal, by nohup say, goes on doing so.
      var action = sigaction()
      sigaction(number, nil, &action)
      let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      if reloads, number == SIGHUP {
        signal(number) { _ in EndSignals.reload = 1 }
      } else if !isIgnored {
        signal(number) { EndSignals.last = $0 }
      }
      sigaddset(&ends, number)
    }
    // Whoever started this process may have blocked them for itself.
    sigprocmask(SIG_UNBLOCK, &ends, nil)
  }

  /// Whether one has come.
  static var hasCome: Bool { last != 0 }

  /// Whether SIGHUP has asked for the files to be read again.
  static var asksForReload: Bool { reload != 0 }

  /// Notices the next SIGHUP as a new one.
  static func takeReload() { reload = 0 }

  /// Ends as the last one would have ended this process.
  static func obey() -> Never {
    signal(last, SIG_DFL)
    raise(last)
    exit(128 + last)
  }
}
