import Foundation

/// Whether a thread is to end; who waits by it is woken.
package final class StopSign: @unchecked Sendable {
  private let condition = NSCondition()
  private var isUp = false

  /// A sign that is not raised.
  package init() {}

  /// Whether it is.
  package var isRaised: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isUp
  }

  /// It is.
  package func raise() {
    condition.lock()
    isUp = true
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for so many seconds, or until it is raised.
  package func wait(seconds: Double) {
    let latest = Date().addingTimeInterval(seconds)
    condition.lock()
    while !isUp, condition.wait(until: latest) {}
    condition.unlock()
  }
}
