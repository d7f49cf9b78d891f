/// Registers of the system control block, the FPU context and the cycle counter.
struct ArmSCB {
  /// VTOR.
  var vectors: UInt32 = 0
  /// CPACR.
  var coprocessors: UInt32 = 0
  /// SCR: SLEEPONEXIT, SLEEPDEEP, SEVONPEND.
  var sleep: UInt32 = 0
  /// CCR; STKALIGN is set by a reset.
  var configuration: UInt32 = 0x200
  /// CFSR, HFSR, BFAR, MMFAR.
  var faults: UInt32 = 0
  var hardFaults: UInt32 = 0
  var faultAddress: UInt32 = 0
  var protectionAddress: UInt32 = 0
  /// FPCCR and FPCAR.
  var floatContext: UInt32 = 0xC000_0000
  var floatAddress: UInt32 = 0
  /// DEMCR and DWT.CTRL.
  var debug: UInt32 = 0
  var watch: UInt32 = 0
  /// The cycle at which DWT.CYCCNT was 0 while it counts, and its value while it is stopped.
  private var countStart: UInt64?
  private var countKept: UInt32 = 0
  /// Whether the counter is stopped because the core clock is.
  private var isCountPaused = false

  /// Whether decoded instructions must be discarded, because CPACR has changed.
  var mustDiscardDecoded = false

  /// DWT.CYCCNT.
  func count(at cycle: UInt64) -> UInt32 {
    countStart.map { UInt32(truncatingIfNeeded: cycle &- $0) } ?? countKept
  }

  /// Writes DWT.CYCCNT.
  mutating func setCount(_ value: UInt32, at cycle: UInt64) {
    if countStart != nil { countStart = cycle &- UInt64(value) } else { countKept = value }
  }

  /// Starts or stops DWT.CYCCNT according to DEMCR.TRCENA and DWT.CTRL.CYCCNTENA.
  mutating func refreshCount(at cycle: UInt64) {
    let counts = debug >> 24 & 1 != 0 && watch & 1 != 0
    guard counts != (countStart != nil) else { return }
    let value = count(at: cycle)
    countStart = counts ? cycle &- UInt64(value) : nil
    countKept = value
  }

  /// Stops or continues DWT.CYCCNT with the core clock.
  mutating func setClockRunning(_ isRunning: Bool, at cycle: UInt64) {
    if !isRunning, countStart != nil {
      countKept = count(at: cycle)
      (countStart, isCountPaused) = (nil, true)
    } else if isRunning, isCountPaused {
      (countStart, isCountPaused) = (cycle &- UInt64(countKept), false)
    }
  }

  /// FPCCR bits for lazy stacking: the owner of the reserved frame, and the exceptions that could have been taken when
  /// it was reserved (Arm DDI 0403E, B3.2.22).
  enum LazyFrame {
    static let isPending: UInt32 = 1, user: UInt32 = 2, thread: UInt32 = 8, hardFault: UInt32 = 16
    static let memory: UInt32 = 32, bus: UInt32 = 64, monitor: UInt32 = 256
    static let all = isPending | user | thread | hardFault | memory | bus | monitor
  }

  /// FPCCR.LSPEN: lazy stacking is enabled.
  var usesLazyStacking: Bool { floatContext >> 30 & 1 != 0 }
  /// Whether CPACR enables the FPU.
  var allowsFloat: Bool { coprocessors >> 20 & 15 != 0 }
  var sleepsOnExit: Bool { sleep & 2 != 0 }
  /// SLEEPDEEP.
  var sleepsDeep: Bool { sleep & 4 != 0 }
  var wakesOnPending: Bool { sleep & 16 != 0 }
  var alignsStack: Bool { configuration & 0x200 != 0 }
}

/// SysTick, computed from the cycle counter on access.
struct ArmSysTick {
  /// ENABLE, TICKINT and CLKSOURCE.
  private(set) var control: UInt32 = 0
  /// RVR: the reload value.
  var reload: UInt32 = 0
  private var hasCounted = false
  private var kept: UInt32 = 0
  /// The cycle at which the counter reaches 0; `nil` while it is stopped.
  private(set) var deadline: UInt64?

  /// Cycles from one 0 to the next.
  private var period: UInt64 { UInt64(reload) + 1 }

  /// Returns CVR at a cycle.
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

  /// Stops the counter while the core clock is stopped.
  mutating func pause(at cycle: UInt64) {
    kept = value(at: cycle)
    deadline = nil
  }

  /// Continues after a pause.
  mutating func resume(at cycle: UInt64) {
    guard control & 1 != 0, deadline == nil, reload > 0 else { return }
    deadline = cycle + (kept == 0 ? period : UInt64(kept))
  }

  /// Reads CTRL, which clears COUNTFLAG.
  mutating func readControl() -> UInt32 {
    defer { hasCounted = false }
    return control | (hasCounted ? 1 << 16 : 0)
  }

  /// Writes CVR; any value clears it.
  mutating func clear(at cycle: UInt64) {
    kept = 0
    hasCounted = false
    if control & 1 != 0 { deadline = reload > 0 ? cycle + period : nil }
  }

  /// Processes the counter reaching 0.
  ///
  /// - Returns: whether the exception becomes pending.
  mutating func pass(_ cycle: UInt64) -> Bool {
    guard let due = deadline, cycle >= due else { return false }
    hasCounted = true
    let missed = (cycle - due) / period
    deadline = reload > 0 ? due + (missed + 1) * period : nil
    return control & 2 != 0
  }
}
