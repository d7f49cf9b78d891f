import Files

/// How much virtual time goes by between two looks at the world: as much as takes some 20 ms of the machine's.
struct Pace {
  /// The time in nanoseconds.
  private(set) var length: UInt64
  private let isFixed: Bool
  private let most: UInt64
  private var last = MachineTime.monotonic()
  /// How much was seen of the program at the last look, and for how many looks it has been no more.
  private var seen = 0
  private var quietLooks = 0

  /// A look a second of virtual time, as long as something has happened in the last two hours of it.
  private static let second: UInt64 = 1_000_000_000
  private static let patience = 7200
  /// The longest stretch of one that nothing is seen of: a day.
  private static let longest = 86_400 * second

  /// Begins with a millisecond.
  ///
  /// - Parameters:
  ///   - isFixed: whether each look comes after a second of virtual time, whatever the machine needs for it.
  ///   - isReal: whether virtual time waits for the machine's, so that a longer stretch is a later look.
  init(isFixed: Bool = false, isReal: Bool) {
    self.isFixed = isFixed
    most = isReal ? 20_000_000 : 1 << 52
    length = isFixed ? Self.second : 1_000_000
  }

  /// Makes the next stretch longer or shorter.
  ///
  /// Where the stretches do not depend on the machine, they grow only where nothing is seen of the program for hours.
  ///
  /// - Parameter count: how much has been seen of the program, its lines and transfers, where somebody asks for it.
  mutating func adapt(after count: Int = 0) {
    let now = MachineTime.monotonic()
    defer { last = now }
    if isFixed {
      quietLooks = count == seen ? quietLooks + 1 : 0
      seen = count
      length = quietLooks < Self.patience ? Self.second : min(length &* 2, Self.longest)
      return
    }
    if now - last < 10_000_000 { length = min(length &* 2, most) }
    if now - last > 40_000_000 { length = max(length / 2, 100_000) }
  }
}
