/// What tells one timer from the other (RM0383, sections 12 to 14; the vectors in table 37).
struct TimerKind {
  let number: UInt32
  let base: UInt32
  /// Whether it counts 32 bits.
  let isWide: Bool
  /// Whether the fast bus clocks it.
  let isFast: Bool
  let channels: Int
  /// Its interrupts, with the flags of SR that each is for.
  let interrupts: [(Int, flags: UInt32)]

  static let all = [
    TimerKind(
      number: 1, base: 0x4001_0000, isWide: false, isFast: true, channels: 4,
      interrupts: [(24, 0x80), (25, 1), (26, 0x60), (27, 0x1E)]),
    slow(2, isWide: true, 28), slow(3, isWide: false, 29), slow(4, isWide: false, 30),
    slow(5, isWide: true, 50),
    fast(9, channels: 2, 24), fast(10, channels: 1, 25), fast(11, channels: 1, 26),
  ]

  private static func slow(_ number: UInt32, isWide: Bool, _ interrupt: Int) -> TimerKind {
    TimerKind(
      number: number, base: 0x4000_0000 + (number - 2) * 0x400, isWide: isWide, isFast: false,
      channels: 4, interrupts: [(interrupt, 0x5F)])
  }

  private static func fast(_ number: UInt32, channels: Int, _ interrupt: Int) -> TimerKind {
    TimerKind(
      number: number, base: 0x4001_4000 + (number - 9) * 0x400, isWide: false, isFast: true,
      channels: channels, interrupts: [(interrupt, 0x47)])
  }
}
