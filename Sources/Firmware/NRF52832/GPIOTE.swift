import Machines

/// GPIOTE: eight channels that connect a pin to an event or to tasks, and the PORT event of all sensed pins.
package final class GPIOTE: TaskPeripheral {
  /// TASKS_OUT[0], TASKS_SET[0] and TASKS_CLR[0], the first of eight each.
  package static let TASKS_OUT: UInt32 = 0x000
  package static let TASKS_SET: UInt32 = 0x030
  package static let TASKS_CLR: UInt32 = 0x060
  /// EVENTS_IN[0], the first of eight.
  package static let EVENTS_IN: UInt32 = 0x100
  package static let EVENTS_PORT: UInt32 = 0x17C
  /// CONFIG[0], the first of eight.
  package static let CONFIG: UInt32 = 0x510
  private static var allCONFIG: Range<UInt32> { CONFIG..<CONFIG + 8 * 4 }
  /// The writable bits of CONFIG[n]: MODE, PSEL, POLARITY, OUTINIT.
  private static let mask: UInt32 = 0x13_3F03

  private let gpio: GPIO
  private var levels: [Bool] = Array(repeating: false, count: 8)

  init(_ gpio: GPIO, _ chip: Chip) {
    self.gpio = gpio
    super.init(
      6, events: (0..<8).map { GPIOTE.EVENTS_IN + $0 * 4 } + [GPIOTE.EVENTS_PORT], chip)
    for channel: UInt32 in 0..<8 { define(GPIOTE.CONFIG + channel * 4, mask: Self.mask) }
    gpio.didChange = { [unowned self] in pinDidChange($0) }
    gpio.detects = { [unowned self] in detect() }
  }

  private func detect() {
    if chip.run.isOff {
      chip.run.requestReset(.wakeUp)
    } else {
      raise(GPIOTE.EVENTS_PORT, at: chip.now)
    }
  }

  private func config(_ channel: Int) -> UInt32 { self[GPIOTE.CONFIG + UInt32(channel * 4)] }

  private func pin(_ channel: Int) -> Int { Int(config(channel) >> 8 & 63) }

  private func pinDidChange(_ pin: Int) {
    for channel in 0..<8 where config(channel) & 3 == 1 && self.pin(channel) == pin {
      let level = gpio.bank.level(of: pin)
      guard level != levels[channel] else { continue }
      levels[channel] = level
      let polarity = config(channel) >> 16 & 3
      if polarity == 3 || polarity == (level ? 1 : 2) {
        raise(GPIOTE.EVENTS_IN + UInt32(channel * 4), at: chip.now)
      }
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard Self.allCONFIG.contains(offset) else { return false }
    let channel = Int(offset - GPIOTE.CONFIG) / 4
    self[offset] = value & Self.mask
    levels[channel] = gpio.level(of: pin(channel))
    if value & 3 == 3 { gpio.drive(pin(channel), value >> 20 & 1 != 0) }
    return true
  }

  override func hasTask(_ task: UInt32) -> Bool { task < 0x80 && task % GPIOTE.TASKS_SET < 8 * 4 }

  override func task(_ task: UInt32, at cycle: UInt64) {
    let channel = Int(task % GPIOTE.TASKS_SET) / 4
    guard channel < 8, config(channel) & 3 == 3 else { return }
    switch task - UInt32(channel * 4) {
    case GPIOTE.TASKS_SET: gpio.drive(pin(channel), true)
    case GPIOTE.TASKS_CLR: gpio.drive(pin(channel), false)
    default:
      let polarity = config(channel) >> 16 & 3
      if polarity != 0 {
        gpio.drive(pin(channel), polarity == 3 ? !gpio.isHigh(pin(channel)) : polarity == 1)
      }
    }
  }
}
