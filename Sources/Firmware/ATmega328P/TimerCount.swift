/// The counting sequence of a timer, which counts up to a top and restarts from 0, or counts up and down.
package struct TimerWave: Equatable {
  /// The highest count.
  package var top: UInt32 = 0xFF
  /// The highest value of the count register, up to which the timer counts if the count is above the top.
  package var max: UInt32 = 0xFF
  /// `true` if the timer counts up and down, as in the phase-correct modes.
  package var isDual = false
  /// `true` if every restart from 0 sets the overflow flag, as in fast PWM; otherwise only a restart after `max` does.
  package var overflowsAtTop = false

  /// Creates a wave.
  package init(
    top: UInt32 = 0xFF, max: UInt32 = 0xFF, isDual: Bool = false, overflowsAtTop: Bool = false
  ) {
    (self.top, self.max, self.isDual, self.overflowsAtTop) = (top, max, isDual, overflowsAtTop)
  }
}

/// A count in a wave, which is advanced by ticks.
package struct TimerCount: Equatable {
  package var wave = TimerWave()
  package var count: UInt32 = 0
  package var isDown = false

  /// Creates a count.
  package init(wave: TimerWave = TimerWave(), count: UInt32 = 0, isDown: Bool = false) {
    (self.wave, self.count, self.isDown) = (wave, count, isDown)
  }

  /// The ticks until the count wraps, at least 1.
  package var ticksToWrap: UInt64 {
    UInt64((count <= wave.top ? wave.top : wave.max) - count) + 1
  }

  /// The position in a period of counting up and down, 0 to twice the top.
  private var position: UInt64 {
    let top = UInt64(Swift.max(wave.top, 1))
    let at = UInt64(Swift.min(count, wave.top))
    return isDown && at > 0 ? 2 * top - at : at
  }
  private var dualPeriod: UInt64 { 2 * UInt64(Swift.max(wave.top, 1)) }

  /// The ticks until the count is at the top, at least 1, while counting up and down.
  package var ticksToTop: UInt64 {
    let ticks = Self.ahead(position, UInt64(Swift.max(wave.top, 1)), dualPeriod)
    return ticks == 0 ? dualPeriod : ticks
  }

  /// Returns the number of times that the count leaves a value within a number of ticks.
  package func matches(of value: UInt32, within ticks: UInt64) -> UInt64 {
    guard let first = self.ticks(toLeave: value), first <= ticks else { return 0 }
    // A value above the top is left once, before the count wraps.
    guard value <= wave.top else { return 1 }
    let period = wave.isDual ? dualPeriod : UInt64(wave.top) + 1
    let perPeriod: UInt64 = wave.isDual && value > 0 && value < wave.top ? 2 : 1
    let (whole, rest) = (ticks - first).quotientAndRemainder(dividingBy: period)
    guard perPeriod == 2 else { return 1 + whole }
    var later = self
    later.advance(first)
    let second = later.ticks(toLeave: value) ?? .max
    return 1 + 2 * whole + (second <= rest ? 1 : 0)
  }

  /// The ticks until the overflow flag is set; `nil` if it never is.
  package var ticksToOverflow: UInt64? {
    if wave.isDual { return dualPeriod - position }
    if wave.overflowsAtTop || wave.top == wave.max || count > wave.top { return ticksToWrap }
    return nil
  }

  /// Returns the ticks until the count leaves a value, which sets the compare flag; `nil` if it never does.
  package func ticks(toLeave value: UInt32) -> UInt64? {
    if wave.isDual {
      guard value <= wave.top else { return nil }
      let (here, up) = (position, UInt64(value))
      let down = (dualPeriod - up) % dualPeriod
      return Swift.min(Self.ahead(here, up, dualPeriod), Self.ahead(here, down, dualPeriod)) + 1
    }
    if value >= count, value <= (count <= wave.top ? wave.top : wave.max) {
      return UInt64(value - count) + 1
    }
    return value <= wave.top ? ticksToWrap + UInt64(value) + 1 : nil
  }

  private static func ahead(_ from: UInt64, _ to: UInt64, _ period: UInt64) -> UInt64 {
    to >= from ? to - from : to + period - from
  }

  /// Advances the count by ticks.
  package mutating func advance(_ ticks: UInt64) {
    guard ticks > 0 else { return }
    if wave.isDual {
      let top = UInt64(Swift.max(wave.top, 1))
      let at = (position + ticks) % dualPeriod
      isDown = at > top
      count = UInt32(isDown ? dualPeriod - at : at)
    } else {
      let wrap = ticksToWrap
      count =
        ticks < wrap
        ? count + UInt32(ticks) : UInt32((ticks - wrap) % (UInt64(wave.top) + 1))
    }
  }
}

/// The relation between timer ticks and core cycles; the ticks come from a free-running prescaler or a crystal.
package struct TickBase: Equatable {
  /// The cycle of tick 0.
  package var origin: UInt64 = 0
  /// The ticks per `divisor` cycles; 0 while the timer is stopped.
  package var factor: UInt64 = 0
  package var divisor: UInt64 = 1

  /// Creates a base; default: a stopped timer.
  package init(origin: UInt64 = 0, factor: UInt64 = 0, divisor: UInt64 = 1) {
    (self.origin, self.factor, self.divisor) = (origin, factor, divisor)
  }

  /// Returns the number of ticks from tick 0 to a cycle.
  package func ticks(at cycle: UInt64) -> UInt64 {
    let passed = cycle &- origin
    if factor == 1 { return passed / divisor }
    let product = passed.multipliedFullWidth(by: factor)
    return divisor.dividingFullWidth(product).quotient
  }

  /// Returns the first cycle of a tick.
  package func cycle(of tick: UInt64) -> UInt64 {
    if factor == 1 { return origin &+ tick &* divisor }
    let product = tick.multipliedFullWidth(by: divisor)
    let (whole, rest) = factor.dividingFullWidth(product)
    return origin &+ whole &+ (rest > 0 ? 1 : 0)
  }
}
