/// How the run of firmware ended.
package struct FirmwareEnding: Hashable, Sendable {
  /// What ended it.
  package enum Cause: Hashable, Sendable {
    /// The program, by semihosting, with a status.
    case exit(Int32)
    /// A line that matches an expression.
    case line(String)
    /// Its time was over.
    case time
    /// It has switched itself off, and nothing will wake it.
    case off
    /// Somebody wanted it to end; where it was.
    case interrupted(String)
    /// It waits, and nothing is to come for which it could; where it does.
    case endless(String)
    /// It cannot go on, or must not; why, in sentences.
    case failure([String])
  }

  /// What ended it.
  package let cause: Cause
  /// When, in nanoseconds of the bench.
  package let time: UInt64

  /// The exit status.
  package var status: Int32 {
    switch cause {
    case .exit(let status): status & 0xFF
    case .line, .time, .off, .interrupted, .endless: 0
    case .failure: 1
    }
  }

  /// Why it could not go on, or where it was when nothing more was to come of it, in a sentence.
  package var reason: String? {
    switch cause {
    case .failure(let messages): messages.first
    case .interrupted(let place): "it was at \(place)"
    case .endless(let place): "it waits for what never comes, at \(place)"
    case .off: "it has switched itself off, and nothing will wake it"
    case .exit, .line, .time: nil
    }
  }
}
