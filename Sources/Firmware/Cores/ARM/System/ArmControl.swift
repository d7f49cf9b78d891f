/// The registers of the system control block that only hold what was written.
struct ArmControl {
  /// VTOR: where the vectors stand.
  var vectors: UInt32 = 0
  /// CPACR.
  var coprocessors: UInt32 = 0
  /// SCR: SLEEPONEXIT, SLEEPDEEP, SEVONPEND.
  var sleep: UInt32 = 0
  /// CCR; STKALIGN is set at a reset.
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
  /// The cycle at which DWT.CYCCNT was 0 while it counts, and what it holds while it does not.
  private var countStart: UInt64?
  private var countKept: UInt32 = 0
  /// Whether it stands because the clock of the core does.
  private var isCountPaused = false

  /// What was decoded holds no more: the FPU was switched.
  var mustForget = false

  /// DWT.CYCCNT.
  func count(at cycle: UInt64) -> UInt32 {
    countStart.map { UInt32(truncatingIfNeeded: cycle &- $0) } ?? countKept
  }

  /// Writes DWT.CYCCNT.
  mutating func setCount(_ value: UInt32, at cycle: UInt64) {
    if countStart != nil { countStart = cycle &- UInt64(value) } else { countKept = value }
  }

  /// Lets DWT.CYCCNT count, or stand, as DEMCR.TRCENA and DWT.CTRL.CYCCNTENA say.
  mutating func refreshCount(at cycle: UInt64) {
    let counts = debug >> 24 & 1 != 0 && watch & 1 != 0
    guard counts != (countStart != nil) else { return }
    let value = count(at: cycle)
    countStart = counts ? cycle &- UInt64(value) : nil
    countKept = value
  }

  /// Lets DWT.CYCCNT stand, or go on, with the clock of the core.
  mutating func setClockRunning(_ isRunning: Bool, at cycle: UInt64) {
    if !isRunning, countStart != nil {
      countKept = count(at: cycle)
      (countStart, isCountPaused) = (nil, true)
    } else if isRunning, isCountPaused {
      (countStart, isCountPaused) = (cycle &- UInt64(countKept), false)
    }
  }

  /// Bits of FPCCR that say what a frame was left for that is written late: for whom, and which exceptions could have
  /// been taken then (Arm DDI 0403E, B3.2.22).
  enum LateFrame {
    static let isPending: UInt32 = 1, user: UInt32 = 2, thread: UInt32 = 8, hardFault: UInt32 = 16
    static let memory: UInt32 = 32, bus: UInt32 = 64, monitor: UInt32 = 256
    static let all = isPending | user | thread | hardFault | memory | bus | monitor
  }

  /// FPCCR.LSPEN: the FPU's part of a frame is written when the FPU is used again.
  var savesFloatsLate: Bool { floatContext >> 30 & 1 != 0 }
  /// Whether programs may use the FPU.
  var allowsFloat: Bool { coprocessors >> 20 & 15 != 0 }
  var sleepsOnExit: Bool { sleep & 2 != 0 }
  /// SLEEPDEEP.
  var sleepsDeep: Bool { sleep & 4 != 0 }
  var wakesOnPending: Bool { sleep & 16 != 0 }
  var alignsStack: Bool { configuration & 0x200 != 0 }
}
