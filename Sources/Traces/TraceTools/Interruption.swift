import Glibc
import Synchronization

/// A signal that ends the program, put off until a trace in the making has been written.
package enum Interruption {
  private static let signal = Atomic<Int32>(0)

  /// Whether one has come.
  package static var hasCome: Bool { signal.load(ordering: .relaxed) != 0 }

  /// Puts the first SIGINT, SIGTERM or SIGHUP off; another one ends the program at once.
  package static func watch() {
    // Made before the handler needs it: a handler must not be the first to touch it.
    _ = hasCome
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      // Whoever ignores a signal, nohup for example, means it.
      guard action.__sigaction_handler.sa_handler == nil else { continue }
      action.__sigaction_handler.sa_handler = { Interruption.signal.store($0, ordering: .relaxed) }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
      sigaction(number, &action, nil)
    }
  }

  /// Ends the program as the signal would have, if one has come.
  package static func end() {
    let number = signal.load(ordering: .relaxed)
    guard number != 0 else { return }
    Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
