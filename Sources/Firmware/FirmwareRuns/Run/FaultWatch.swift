/// When to look whether the handler of a fault does anything: soon after it began, then more and more seldom.
struct FaultWatch {
  private static let first: UInt64 = 10_000
  private var start: UInt64 = 0
  /// When to look next, in nanoseconds; never while no fault is handled.
  private(set) var nextLook = UInt64.max
  /// How many faults there have been.
  private(set) var count = 0

  /// A handler begins.
  mutating func begin(at time: UInt64) {
    count += 1
    start = time
    nextLook = time &+ Self.first
  }

  /// Somebody has looked.
  mutating func didLook(at time: UInt64, isHandling: Bool) {
    guard time >= nextLook else { return }
    nextLook = isHandling ? time &+ (time &- start) : .max
  }
}
