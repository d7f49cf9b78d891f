/// The core's own timer, counted from the cycles: it is asked, it does not run.
struct ArmSysTick {
  /// ENABLE, TICKINT and CLKSOURCE.
  private(set) var control: UInt32 = 0
  /// What it begins again from.
  var reload: UInt32 = 0
  private var hasCounted = false
  private var kept: UInt32 = 0
  /// The cycle at which it comes to 0; `nil` while it stands.
  private(set) var deadline: UInt64?

  /// The cycles from one 0 to the next.
  private var period: UInt64 { UInt64(reload) + 1 }

  /// Its value at a cycle.
  func value(at cycle: UInt64) -> UInt32 {
    guard let deadline else { return kept }
    return UInt32(truncatingIfNeeded: min(deadline &- cycle, period) % period)
  }

  /// Writes CTRL.
  mutating func setControl(_ value: UInt32, at cycle: UInt64) {
    let isRunning = value & 1 != 0
    if !isRunning {
      kept = self.value(at: cycle)
      deadline = nil
    } else if deadline == nil, reload > 0 {
      deadline = cycle + (kept == 0 ? period : UInt64(kept))
    }
    control = value & 7
  }

  /// Stands while the clocks of the part do, without its program's doing.
  mutating func pause(at cycle: UInt64) {
    kept = value(at: cycle)
    deadline = nil
  }

  /// Goes on behind a pause.
  mutating func goOn(at cycle: UInt64) {
    guard control & 1 != 0, deadline == nil, reload > 0 else { return }
    deadline = cycle + (kept == 0 ? period : UInt64(kept))
  }

  /// CTRL as it is read, which clears COUNTFLAG.
  mutating func readControl() -> UInt32 {
    defer { hasCounted = false }
    return control | (hasCounted ? 1 << 16 : 0)
  }

  /// Any write of VAL makes it 0.
  mutating func clear(at cycle: UInt64) {
    kept = 0
    hasCounted = false
    if control & 1 != 0 { deadline = reload > 0 ? cycle + period : nil }
  }

  /// Comes to 0 when it is time.
  ///
  /// - Returns: whether its exception is to be pending.
  mutating func pass(_ cycle: UInt64) -> Bool {
    guard let due = deadline, cycle >= due else { return false }
    hasCounted = true
    let missed = (cycle - due) / period
    deadline = reload > 0 ? due + (missed + 1) * period : nil
    return control & 2 != 0
  }
}
