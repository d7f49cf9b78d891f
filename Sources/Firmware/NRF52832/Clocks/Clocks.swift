import Machines

/// CLOCK and POWER, which share a page: the two clocks, why the part began, System OFF, and what outlives a reset.
final class Clocks: TaskPeripheral {
  private enum Task {
    static let startHigh = 0, stopHigh = 1, startLow = 2, stopLow = 3, calibrate = 4
    static let startTimer = 5, stopTimer = 6, constantLatency = 30, lowPower = 31
  }
  private enum Event {
    static let highStarted = 0, lowStarted = 1, calibrated = 3, timedOut = 4
  }
  /// How long the clocks take to start, in microseconds.
  ///
  /// The crystal of 32 MHz 360 typical; the low clock by its source: RC 600, crystal 250,000, synthesized from the high
  /// clock. Product specification v1.4, CLOCK, electrical parameters.
  private static let highStart = 360.0
  private static let lowStarts = [600.0, 250_000, 360, 600]

  /// Is told when the low clock comes or goes, with the cycle.
  @exclusivity(unchecked) var lowDidChange: [(UInt64) -> Void] = []
  /// Is told before the low clock goes.
  @exclusivity(unchecked) var lowWillStop: [(UInt64) -> Void] = []
  @exclusivity(unchecked) private(set) var isLowRunning = false
  @exclusivity(unchecked) private var isHighRunning = false
  @exclusivity(unchecked) private var hasHighStarted = false
  @exclusivity(unchecked) private var hasLowStarted = false
  @exclusivity(unchecked) private var reasons: UInt32 = 0
  private lazy var high = die.schedule.slot { [unowned self] in
    (isHighRunning, hasHighStarted) = (true, true)
    raise(Event.highStarted, at: $0)
  }
  private lazy var low = die.schedule.slot { [unowned self] in
    isLowRunning = true
    raise(Event.lowStarted, at: $0)
    for told in lowDidChange { told($0) }
  }
  private lazy var calibration = die.schedule.slot { [unowned self] in
    raise(Event.calibrated, at: $0)
  }
  private lazy var timer = die.schedule.slot { [unowned self] in raise(Event.timedOut, at: $0) }

  init(_ die: Die) {
    super.init(0, events: [0, 1, 2, 3, 4, 5, 6], die)
    for offset: UInt32 in [0x504, 0x508, 0x510, 0x514, 0x51C, 0x520, 0x538, 0x578] {
      define(offset)
    }
    define(0x428, reset: 0x0F)
    define(0x524, reset: 3)
    define(0x554, reset: 3)
    define(0x518, mask: 0x3_0003)
    define(0x41C)
    // Start-up code carries factory words here, against errata 31 and 108.
    define(0x53C)
    define(0xEE4)
    for block: UInt32 in 0..<8 { define(0x900 + block * 16, reset: 0xFFFF, mask: 0x3_0003) }
    for block: UInt32 in 0..<8 {
      define(0x904 + block * 16)
      define(0x908 + block * 16)
    }
  }

  /// The tick of the low clock at a cycle: 32,768 Hz of 64 MHz.
  static func tick(at cycle: UInt64) -> UInt64 { cycle / 15625 * 8 + cycle % 15625 * 8 / 15625 }

  /// The first cycle of a tick.
  static func cycle(ofTick tick: UInt64) -> UInt64 {
    tick / 8 * 15625 + (tick % 8 * 15625 + 7) / 8
  }

  override func reset() {
    let kept = (self[0x51C], self[0x520])
    stopLow(at: die.now)
    (isHighRunning, hasHighStarted, hasLowStarted) = (false, false, false)
    for slot in [high, low, calibration, timer] { die.schedule.clear(slot) }
    die.energy(.highCrystal, false, at: die.now)
    super.reset()
    (self[0x51C], self[0x520]) = kept
  }

  /// Notes why the part begins; a fresh supply forgets everything.
  func note(_ cause: ResetCause) {
    switch cause {
    case .powerOn, .brownOut:
      reasons = 0
      (self[0x51C], self[0x520]) = (0, 0)
    case .pin: reasons |= 1
    case .watchdog: reasons |= 1 << 1
    case .software: reasons |= 1 << 2
    case .lockUp: reasons |= 1 << 3
    case .wakeUp: reasons |= 1 << 16
    }
  }

  /// Is told before the DC/DC converter is switched.
  @exclusivity(unchecked) var converterWillChange: () -> Void = {}
  /// Whether the DC/DC converter is on.
  var usesConverter: Bool { self[0x578] & 1 != 0 }

  /// Whether a section of 4 KiB of RAM keeps its content in System OFF.
  func isRetained(section: Int) -> Bool {
    self[0x900 + UInt32(section / 2 * 16)] >> UInt32(16 + section % 2) & 1 != 0
  }

  override func hasTask(_ index: Int) -> Bool { index <= 6 || index == 30 || index == 31 }

  override func task(_ index: Int, at cycle: UInt64) {
    switch index {
    case Task.startHigh:
      die.energy(.highCrystal, true, at: cycle)
      hasHighStarted = true
      let end = isHighRunning ? cycle + 16 : die.cycle(cycle, plus: Self.highStart)
      die.schedule.set(high, at: end)
    case Task.stopHigh:
      die.energy(.highCrystal, false, at: cycle)
      (isHighRunning, hasHighStarted) = (false, false)
      die.schedule.clear(high)
    case Task.startLow: startLow(at: cycle)
    case Task.stopLow: stopLow(at: cycle)
    case Task.calibrate: die.schedule.set(calibration, at: die.cycle(cycle, plus: 250))
    case Task.startTimer:
      let quarters = Double(max(self[0x538] & 0x7F, 1))
      die.schedule.set(timer, at: die.cycle(cycle, plus: quarters * 250_000))
    case Task.stopTimer: die.schedule.clear(timer)
    default: break
    }
  }

  private var source: Int { Int(self[0x518] & 3) }

  private func startLow(at cycle: UInt64) {
    self[0x41C] = self[0x518]
    hasLowStarted = true
    die.energy(source == 0 ? .lowRC : .lowCrystal, true, at: cycle)
    let end = isLowRunning ? cycle + 16 : die.cycle(cycle, plus: Self.lowStarts[source])
    die.schedule.set(low, at: end)
  }

  private func stopLow(at cycle: UInt64) {
    for told in lowWillStop { told(cycle) }
    (isLowRunning, hasLowStarted) = (false, false)
    die.schedule.clear(low)
    die.energy(.lowRC, false, at: cycle)
    die.energy(.lowCrystal, false, at: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x400: reasons
    case 0x408: hasHighStarted ? 1 : 0
    case 0x40C: isHighRunning ? 0x1_0001 : 0
    case 0x414: hasLowStarted ? 1 : 0
    case 0x418: isLowRunning ? 0x1_0000 | self[0x41C] & 3 : 0
    case 0x500: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x400: reasons &= ~value
    case 0x578:
      converterWillChange()
      self[0x578] = value & 1
    case 0x500: if value & 1 != 0 { die.run.requestOff() }
    case 0x904..<0x980 where offset & 15 == 4: self[offset - 4] |= value & 0x3_0003
    case 0x904..<0x980 where offset & 15 == 8: self[offset - 8] &= ~(value & 0x3_0003)
    default: return false
    }
    return true
  }
}
