/// How a timer counts: up to a top and again from 0, or up and down between both.
struct TimerWave: Equatable {
  /// The highest count before it turns.
  var top: UInt32 = 0xFF
  /// What its width allows: a count above the top goes on to here.
  var max: UInt32 = 0xFF
  /// Phase correct: up and down.
  var isDual = false
  /// Fast PWM: an overflow each time it begins anew, not only from `max`.
  var overflowsAtTop = false
}

/// A count in a wave: a pure state, moved by ticks.
struct TimerCount: Equatable {
  var wave = TimerWave()
  var count: UInt32 = 0
  var isDown = false

  /// The ticks until it turns or begins anew, at least 1.
  private var ticksToWrap: UInt64 {
    UInt64((count <= wave.top ? wave.top : wave.max) - count) + 1
  }

  /// Where it stands in a period of up and down, of twice the top.
  private var position: UInt64 {
    let top = UInt64(Swift.max(wave.top, 1))
    let at = UInt64(Swift.min(count, wave.top))
    return isDown && at > 0 ? 2 * top - at : at
  }
  private var dualPeriod: UInt64 { 2 * UInt64(Swift.max(wave.top, 1)) }

  /// The ticks until the overflow flag is set; `nil` when it never is.
  var ticksToOverflow: UInt64? {
    if wave.isDual { return dualPeriod - position }
    if wave.overflowsAtTop || wave.top == wave.max || count > wave.top { return ticksToWrap }
    return nil
  }

  /// The ticks until it leaves a value, when the flag of the comparison is set; `nil` when it never does.
  func ticks(toLeave value: UInt32) -> UInt64? {
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

  /// Lets ticks pass.
  mutating func advance(_ ticks: UInt64) {
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
