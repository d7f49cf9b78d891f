import Cores
import Machines

/// SYSCFG, as far as it says which port a line of EXTI watches.
final class SystemConfiguration: Peripheral {
  init(_ chip: Silicon) {
    super.init(at: 0x4001_3800, chip)
    define(0x00, mask: 3)
    define(0x04)
    for offset: UInt32 in [0x08, 0x0C, 0x10, 0x14] { define(offset, mask: 0xFFFF) }
    define(0x20, mask: 1, reset: 0x100)
  }

  /// The place of the port that a line watches.
  func port(of line: Int) -> UInt32 {
    self[0x08 + UInt32(line / 4) * 4] >> UInt32(line % 4 * 4) & 15
  }
}

/// EXTI: edges of pins and of peripherals become interrupts and events.
final class ExternalInterrupts: Peripheral {
  private let configuration: SystemConfiguration
  private let pins: PinPorts
  private var levels: [Bool]
  /// The interrupt of each line; 0 to 4 have their own.
  private static let interrupts = [
    6, 7, 8, 9, 10, 23, 23, 23, 23, 23, 40, 40, 40, 40, 40, 40, 1, 41, 42, -1, -1, 2, 3,
  ]

  init(_ configuration: SystemConfiguration, _ pins: PinPorts, _ chip: Silicon) {
    self.configuration = configuration
    self.pins = pins
    levels = Array(repeating: false, count: pins.bank.names.count)
    super.init(at: 0x4001_3C00, chip)
    for offset: UInt32 in [0x00, 0x04, 0x08, 0x0C] { define(offset, mask: 0x7F_FFFF) }
    define(0x10, mask: 0x7F_FFFF)
    define(0x14, mask: 0)
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
    let (place, line) = (PinPorts.letters[pin / 16].place, pin % 16)
    if configuration.port(of: line) == place { edge(line, isRising: isHigh) }
  }

  /// Whether an edge of any line is an event, for which WFE waits.
  var sendsEvents: Bool { self[0x04] != 0 }

  /// An edge of a line.
  func edge(_ line: Int, isRising: Bool) {
    guard self[isRising ? 0x08 : 0x0C] >> UInt32(line) & 1 != 0 else { return }
    trigger(1 << UInt32(line))
  }

  private func trigger(_ lines: UInt32) {
    self[0x14] |= lines & self[0x00]
    if lines & self[0x04] != 0 { chip.core.sendEvent() }
    refresh()
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    if offset == 0x10 { return trigger(value & ~before) }
    if offset == 0x14 {
      self[0x14] = before & ~value
      self[0x10] &= ~value
    }
    refresh()
  }

  private func refresh() {
    var high: Set<Int> = []
    for line in Self.interrupts.indices where self[0x14] >> UInt32(line) & 1 != 0 {
      high.insert(Self.interrupts[line])
    }
    for interrupt in Set(Self.interrupts) where interrupt >= 0 {
      chip.setLine(interrupt, high.contains(interrupt))
    }
  }
}
