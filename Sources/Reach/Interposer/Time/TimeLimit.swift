/// The end that is set to a program: after so much of the time that it has.
struct TimeLimit {
  private let time: VirtualTime?
  /// The moment of virtual time that is never passed.
  let end: UInt64
  private let deadline: ContinuousClock.Instant

  /// Begins to count.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long the program may run.
  ///   - time: its virtual time; `nil` where it follows the machine's clock.
  init(_ nanoseconds: UInt64, _ time: VirtualTime?) {
    self.time = time
    end = time?.moment(after: nanoseconds) ?? .max
    deadline = .now + .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// Whether the time is over.
  var isOver: Bool {
    if let time { return time.now >= end }
    return ContinuousClock.now >= deadline
  }

  /// How long to wait for events until it is over, in nanoseconds; `nil` in virtual time, which passes while somebody looks.
  var longestWaitNanoseconds: Int64? {
    guard time == nil else { return nil }
    let left = (deadline - .now).components
    return max(left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000, 0)
  }
}
