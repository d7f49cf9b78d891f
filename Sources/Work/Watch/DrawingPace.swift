/// How often a screen is drawn: at once for somebody who pressed a key, else ten times a second at most.
package struct DrawingPace: Sendable {
  /// From drawing to drawing, in seconds.
  package static let interval = 0.1

  private var last: Double?
  private var isUrgent = true

  /// Creates a pace; the first drawing is due.
  package init() {}

  /// Wants the next drawing at once.
  package mutating func hurry() { isUrgent = true }

  /// Whether to draw now.
  ///
  /// - Parameter now: the time in seconds.
  /// - Returns: whether so; the screen then counts as drawn.
  package mutating func isDue(at now: Double) -> Bool {
    guard isUrgent || last.map({ now - $0 >= Self.interval }) ?? true else { return false }
    (last, isUrgent) = (now, false)
    return true
  }
}
