import Cores
import Machines

/// SYSCFG: the port of each EXTI line.
final class SYSCFG: Peripheral {
  static let MEMRMP: UInt32 = 0x00
  static let PMC: UInt32 = 0x04
  static let EXTICR1: UInt32 = 0x08
  static let EXTICR2: UInt32 = 0x0C
  static let EXTICR3: UInt32 = 0x10
  static let EXTICR4: UInt32 = 0x14
  static let CMPCR: UInt32 = 0x20

  init(_ chip: Chip) {
    super.init(at: 0x4001_3800, chip)
    define(SYSCFG.MEMRMP, mask: 3)
    define(SYSCFG.PMC)
    for offset in [SYSCFG.EXTICR1, SYSCFG.EXTICR2, SYSCFG.EXTICR3, SYSCFG.EXTICR4] {
      define(offset, mask: 0xFFFF)
    }
    define(SYSCFG.CMPCR, mask: 1, reset: 0x100)
  }

  /// Returns the index of the port that EXTICRx selects for a line.
  func port(of line: Int) -> UInt32 {
    self[SYSCFG.EXTICR1 + UInt32(line / 4) * 4] >> UInt32(line % 4 * 4) & 15
  }
}

/// EXTI: turns edges of pins and of peripheral lines into interrupts and events.
final class EXTI: Peripheral {
  static let IMR: UInt32 = 0x00
  static let EMR: UInt32 = 0x04
  static let RTSR: UInt32 = 0x08
  static let FTSR: UInt32 = 0x0C
  static let SWIER: UInt32 = 0x10
  static let PR: UInt32 = 0x14

  private let syscfg: SYSCFG
  private let pins: GPIOPorts
  private var levels: [Bool]
  /// The interrupt of each line; -1 for a line without one.
  private static let interrupts = [
    6, 7, 8, 9, 10, 23, 23, 23, 23, 23, 40, 40, 40, 40, 40, 40, 1, 41, 42, -1, -1, 2, 3,
  ]

  init(_ syscfg: SYSCFG, _ pins: GPIOPorts, _ chip: Chip) {
    self.syscfg = syscfg
    self.pins = pins
    levels = Array(repeating: false, count: pins.bank.names.count)
    super.init(at: 0x4001_3C00, chip)
    for offset in [EXTI.IMR, EXTI.EMR, EXTI.RTSR, EXTI.FTSR] { define(offset, mask: 0x7F_FFFF) }
    define(EXTI.SWIER, mask: 0x7F_FFFF)
    define(EXTI.PR, mask: 0)
    pins.bank.didChange = { [unowned self] in pinDidChange($0) }
  }

  override func reset() {
    super.reset()
    refresh()
  }

  private func pinDidChange(_ pin: Int) {
    let isHigh = pins.bank.level(of: pin)
    guard levels[pin] != isHigh else { return }
    levels[pin] = isHigh
    pins.timers.pinDidChange(pin, isHigh: isHigh)
    let (port, line) = (GPIOPorts.letters[pin / 16].index, pin % 16)
    if syscfg.port(of: line) == port { edge(line, isRising: isHigh) }
  }

  /// `true` if an edge of any line is an event that ends WFE.
  var sendsEvents: Bool { self[EXTI.EMR] != 0 }

  /// Handles an edge of a line.
  func edge(_ line: Int, isRising: Bool) {
    guard self[isRising ? EXTI.RTSR : EXTI.FTSR] >> UInt32(line) & 1 != 0 else { return }
    trigger(1 << UInt32(line))
  }

  private func trigger(_ lines: UInt32) {
    self[EXTI.PR] |= lines & self[EXTI.IMR]
    if lines & self[EXTI.EMR] != 0 { chip.core.sendEvent() }
    refresh()
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    if offset == EXTI.SWIER { return trigger(value & ~before) }
    if offset == EXTI.PR {
      self[EXTI.PR] = before & ~value
      self[EXTI.SWIER] &= ~value
    }
    refresh()
  }

  private func refresh() {
    var high: Set<Int> = []
    for line in Self.interrupts.indices where self[EXTI.PR] >> UInt32(line) & 1 != 0 {
      high.insert(Self.interrupts[line])
    }
    for interrupt in Set(Self.interrupts) where interrupt >= 0 {
      chip.setLine(interrupt, high.contains(interrupt))
    }
  }
}
