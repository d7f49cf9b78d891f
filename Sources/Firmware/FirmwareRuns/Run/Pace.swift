import Files

/// How much virtual time goes by between two looks at the world: as much as takes some 20 ms of the machine's.
struct Pace {
  /// The time in nanoseconds.
  private(set) var length: UInt64
  private let isFixed: Bool
  private var last = MachineTime.monotonic()

  /// Begins with a millisecond.
  ///
  /// - Parameter isFixed: whether each look comes after a second of virtual time, whatever the machine needs for it.
  init(isFixed: Bool) {
    self.isFixed = isFixed
    length = isFixed ? 1_000_000_000 : 1_000_000
  }

  /// Makes the next stretch longer or shorter.
  mutating func adapt() {
    let now = MachineTime.monotonic()
    defer { last = now }
    guard !isFixed else { return }
    if now - last < 10_000_000 { length = min(length &* 2, 1 << 52) }
    if now - last > 40_000_000 { length = max(length / 2, 100_000) }
  }
}
