/// Registers of the system control block, the FPU context and the cycle counter.
struct ArmSCB {
  /// VTOR.
  var vectors: UInt32 = 0
  /// CPACR.
  var coprocessors: UInt32 = 0
  /// SCR: SLEEPONEXIT, SLEEPDEEP, SEVONPEND.
  var sleep: UInt32 = 0
  /// CCR; a reset sets STKALIGN.
  var configuration: UInt32 = 0x200
  /// CFSR.
  var faults: UInt32 = 0
  /// HFSR.
  var hardFaults: UInt32 = 0
  /// BFAR.
  var faultAddress: UInt32 = 0
  /// MMFAR.
  var protectionAddress: UInt32 = 0
  /// FPCCR.
  var floatContext: UInt32 = 0xC000_0000
  /// FPCAR.
  var floatAddress: UInt32 = 0
  /// DEMCR.
  var debug: UInt32 = 0
  /// DWT.CTRL.
  var watch: UInt32 = 0
  /// The cycle at which DWT.CYCCNT was 0; `nil` while it is stopped.
  private var countStart: UInt64?
  /// The value of DWT.CYCCNT while it is stopped.
  private var countKept: UInt32 = 0
  /// `true` if DWT.CYCCNT is stopped because the core clock is stopped.
  private var isCountPaused = false

  /// `true` if decoded instructions must be discarded because CPACR has changed.
  var mustDiscardDecoded = false

  /// Returns the value of DWT.CYCCNT at a cycle.
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

  /// Stops or restarts DWT.CYCCNT, because the core clock stops or restarts.
  mutating func setClockRunning(_ isRunning: Bool, at cycle: UInt64) {
    if !isRunning, countStart != nil {
      countKept = count(at: cycle)
      (countStart, isCountPaused) = (nil, true)
    } else if isRunning, isCountPaused {
      (countStart, isCountPaused) = (cycle &- UInt64(countKept), false)
    }
  }

  /// FPCCR bits for lazy stacking (Arm DDI 0403E, B3.2.22).
  ///
  /// They record the privilege and mode of the program that owns the reserved frame, and which exceptions could be
  /// taken when the frame was reserved.
  enum LazyFrame {
    static let isPending: UInt32 = 1, user: UInt32 = 2, thread: UInt32 = 8, hardFault: UInt32 = 16
    static let memory: UInt32 = 32, bus: UInt32 = 64, monitor: UInt32 = 256
    static let all = isPending | user | thread | hardFault | memory | bus | monitor
  }

  /// FPCCR.LSPEN: `true` if lazy stacking is enabled.
  var usesLazyStacking: Bool { floatContext >> 30 & 1 != 0 }
  /// `true` if CPACR enables the FPU.
  var allowsFloat: Bool { coprocessors >> 20 & 15 != 0 }
  var sleepsOnExit: Bool { sleep & 2 != 0 }
  /// SCR.SLEEPDEEP.
  var sleepsDeep: Bool { sleep & 4 != 0 }
  var wakesOnPending: Bool { sleep & 16 != 0 }
  var alignsStack: Bool { configuration & 0x200 != 0 }
}

/// SysTick, whose value is computed from the cycle counter on each access.
struct ArmSysTick {
  /// The bits ENABLE, TICKINT and CLKSOURCE of CTRL.
  private(set) var control: UInt32 = 0
  /// RVR: the reload value.
  var reload: UInt32 = 0
  private var hasCounted = false
  private var kept: UInt32 = 0
  /// The cycle at which the counter next reaches 0; `nil` while the counter is stopped.
  private(set) var deadline: UInt64?

  /// The number of cycles between two counter values of 0.
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

  /// Stops the counter because the core clock stops.
  mutating func pause(at cycle: UInt64) {
    kept = value(at: cycle)
    deadline = nil
  }

  /// Restarts a paused counter if it is enabled.
  mutating func resume(at cycle: UInt64) {
    guard control & 1 != 0, deadline == nil, reload > 0 else { return }
    deadline = cycle + (kept == 0 ? period : UInt64(kept))
  }

  /// Reads CTRL, which clears COUNTFLAG.
  mutating func readControl() -> UInt32 {
    defer { hasCounted = false }
    return control | (hasCounted ? 1 << 16 : 0)
  }

  /// Clears CVR, as a write of any value does.
  mutating func clear(at cycle: UInt64) {
    kept = 0
    hasCounted = false
    if control & 1 != 0 { deadline = reload > 0 ? cycle + period : nil }
  }

  /// Checks whether the counter has reached 0, and sets COUNTFLAG if so.
  ///
  /// - Returns: `true` if the SysTick exception becomes pending.
  mutating func pass(_ cycle: UInt64) -> Bool {
    guard let due = deadline, cycle >= due else { return false }
    hasCounted = true
    let missed = (cycle - due) / period
    deadline = reload > 0 ? due + (missed + 1) * period : nil
    return control & 2 != 0
  }
}
