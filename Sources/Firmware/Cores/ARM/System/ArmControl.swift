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
  /// CFSR, HFSR, BFAR.
  var faults: UInt32 = 0
  var hardFaults: UInt32 = 0
  var faultAddress: UInt32 = 0
  /// FPCCR and FPCAR.
  var floatContext: UInt32 = 0xC000_0000
  var floatAddress: UInt32 = 0
  /// DEMCR and DWT.CTRL.
  var debug: UInt32 = 0
  var watch: UInt32 = 0
  /// The cycle at which DWT.CYCCNT was 0.
  var countStart: UInt64 = 0

  /// What was decoded holds no more: the FPU was switched.
  var mustForget = false

  /// Whether programs may use the FPU.
  var allowsFloat: Bool { coprocessors >> 20 & 15 != 0 }
  var sleepsOnExit: Bool { sleep & 2 != 0 }
  /// SLEEPDEEP.
  var sleepsDeep: Bool { sleep & 4 != 0 }
  var wakesOnPending: Bool { sleep & 16 != 0 }
  var alignsStack: Bool { configuration & 0x200 != 0 }
}
