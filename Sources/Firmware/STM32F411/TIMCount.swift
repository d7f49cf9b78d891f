/// The count of a timer, its direction and its range.
struct TIMCount {
  enum Alignment { case up, down, center }

  /// The number of values of the counter register: 2¹⁶ or 2³².
  let range: UInt64
  private(set) var value: UInt32 = 0
  /// The active value of ARR; the timer is blocked while it is 0.
  private(set) var top: UInt32
  var alignment = Alignment.up
  /// `true` while the counter counts down.
  var isDown = false

  init(range: UInt64) {
    self.range = range
    top = UInt32(range - 1)
  }

  mutating func set(_ value: UInt32) {
    self.value = value
    turnAtEnds()
  }

  mutating func setTop(_ top: UInt32) {
    self.top = top
    turnAtEnds()
  }

  /// Restarts the count at 0, or at the top if it counts down.
  mutating func restart() {
    value = alignment == .down ? top : 0
    if alignment == .center { isDown = false }
  }

  /// In center-aligned modes the direction changes at 0 and at the top.
  private mutating func turnAtEnds() {
    guard alignment == .center else { return }
    if value >= top { isDown = true } else if value == 0 { isDown = false }
  }

  /// The ticks of a whole period.
  var period: UInt64 { alignment == .center ? 2 * UInt64(top) : UInt64(top) + 1 }
  /// The overflows and underflows of a period.
  var updatesPerPeriod: UInt64 { alignment == .center ? 2 : 1 }

  /// The ticks until the next overflow or underflow.
  ///
  /// A counter above its top counts on to the end of the register.
  var ticksToUpdate: UInt64 {
    let (value, top) = (UInt64(value), UInt64(top))
    switch alignment {
    case .up: return value <= top ? top + 1 - value : range - value
    case .down: return value + 1
    case .center: return isDown ? value : top - value
    }
  }

  /// Advances by ticks, at most those until the next overflow or underflow.
  mutating func advance(_ ticks: UInt64) {
    let isEnd = ticks == ticksToUpdate
    switch alignment {
    case .up: value = isEnd ? 0 : value + UInt32(ticks)
    case .down: value = isEnd ? top : value - UInt32(ticks)
    case .center:
      value = isDown ? value - UInt32(ticks) : value + UInt32(ticks)
      turnAtEnds()
    }
  }

  /// Returns the ticks until the count has a value, at least 1; for a value above the top, those until the next overflow,
  /// or underflow if the counter only counts down.
  func ticks(to value: UInt32) -> UInt64? {
    guard value <= top else { return alignment == .center && isDown ? nil : ticksToUpdate }
    let (now, value, top) = (UInt64(self.value), UInt64(value), UInt64(top))
    switch alignment {
    case .up: return value > now ? value - now : ticksToUpdate + value
    case .down: return value < now ? now - value : now + 1 + top - value
    case .center where isDown: return value < now ? now - value : now + value
    case .center: return value > now ? value - now : 2 * top - now - value
    }
  }

  /// Returns whether the count has a value within the next ticks.
  func reaches(_ value: UInt32, within ticks: UInt64) -> Bool {
    self.ticks(to: value).map { $0 <= ticks } ?? false
  }

  /// Returns how many times the count has a value in a period.
  func matches(perPeriod value: UInt32) -> UInt64 {
    alignment == .center && value > 0 && value < top ? 2 : 1
  }
}

/// The properties of a timer (RM0383, sections 12 to 14, and RM0090, sections 17 to 20; the vectors in their tables of
/// vectors).
struct TIMInstance {
  let number: UInt32
  let base: UInt32
  /// `true` if the counter has 32 bits.
  let isWide: Bool
  /// `true` if APB2 clocks the timer.
  let isOnAPB2: Bool
  let channels: Int
  /// The interrupt numbers of the timer, each with the flags of SR that request the interrupt.
  let interrupts: [(Int, flags: UInt32)]

  /// `true` if the timer has complementary outputs, a repetition counter and BDTR.
  var isAdvanced: Bool { number == 1 || number == 8 }

  /// `true` if CR2.MMS selects the trigger output; the others show the reference of their channel.
  var selectsTriggerOutput: Bool { channels != 1 }

  /// The timers whose trigger outputs are ITR0 to ITR3, from the tables of internal triggers in the same sections.
  ///
  /// Empty if the timer cannot be a slave. Models without TIM8 have nothing in its place.
  var internalTriggers: [UInt32] {
    switch number {
    case 1: [5, 2, 3, 4]
    case 2: [1, 8, 3, 4]
    case 3: [1, 2, 5, 4]
    case 4: [1, 2, 3, 8]
    case 5: [2, 3, 4, 8]
    case 8: [1, 2, 4, 5]
    case 9: [2, 3, 10, 11]
    case 12: [4, 5, 13, 14]
    default: []
    }
  }

  /// The timers of all models.
  static let common = [
    advanced(1, at: 0x4001_0000, interrupt: 24),
    slow(2, isWide: true, 28), slow(3, isWide: false, 29), slow(4, isWide: false, 30),
    slow(5, isWide: true, 50),
    fast(9, channels: 2, 24), fast(10, channels: 1, 25), fast(11, channels: 1, 26),
  ]
  /// The timers that only the STM32F405 has.
  static let further = [
    slow(6, channels: 0, isWide: false, 54), slow(7, channels: 0, isWide: false, 55),
    advanced(8, at: 0x4001_0400, interrupt: 43),
    slow(12, channels: 2, isWide: false, 43), slow(13, channels: 1, isWide: false, 44),
    slow(14, channels: 1, isWide: false, 45),
  ]

  private static func advanced(_ number: UInt32, at base: UInt32, interrupt: Int) -> TIMInstance {
    TIMInstance(
      number: number, base: base, isWide: false, isOnAPB2: true, channels: 4,
      interrupts: [
        (interrupt, 0x80), (interrupt + 1, 1), (interrupt + 2, 0x60), (interrupt + 3, 0x1E),
      ])
  }

  private static func slow(
    _ number: UInt32, channels: Int = 4, isWide: Bool, _ interrupt: Int
  ) -> TIMInstance {
    // TIM12 to TIM14 follow TIM2 to TIM7.
    let index = number < 8 ? number - 2 : number - 6
    return TIMInstance(
      number: number, base: 0x4000_0000 + index * 0x400, isWide: isWide, isOnAPB2: false,
      channels: channels, interrupts: [(interrupt, 0x5F)])
  }

  private static func fast(_ number: UInt32, channels: Int, _ interrupt: Int) -> TIMInstance {
    TIMInstance(
      number: number, base: 0x4001_4000 + (number - 9) * 0x400, isWide: false, isOnAPB2: true,
      channels: channels, interrupts: [(interrupt, 0x47)])
  }
}
