import Glibc

/// The number of the signal that came while the station was starting; 0 for none.
private nonisolated(unsafe) var early: sig_atomic_t = 0

/// Keeps a signal that comes while the station starts until the server can end as it should: a store that is open then
/// would be left with the files `-wal` and `-shm` beside it.
enum EarlySignals {
  private static let kept = [SIGTERM, SIGINT, SIGHUP]

  /// Begins to keep the first signal; a second one ends the program at once.
  static func keep() {
    early = 0
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      if early != 0 { _exit(128 + number) }
      early = number
    }
    for number in kept { sigaction(number, &action, nil) }
  }

  /// Sends the signal that was kept to the server, which handles signals itself from now on.
  static func release() {
    guard early != 0 else { return }
    kill(getpid(), early)
  }
}
