import Synchronization

/// How readings come that nobody paces: how far apart, and whether the last one has come.
final class Pace: Sendable {
  private struct State {
    var last: Int?
    var gap = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Seconds between the last two readings; 0 before there are two.
  var gap: Int { state.withLock { $0.gap } }

  /// Whether there are no more.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Notes a reading, at seconds of the clock that is never set.
  func note(_ time: Int) {
    state.withLock { state in
      if let last = state.last { state.gap = time - last }
      state.last = time
    }
  }

  /// Notes that there are no more; what was last read ages by the interval alone.
  func end() { state.withLock { $0 = State(hasEnded: true) } }
}
