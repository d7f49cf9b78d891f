import Machines

/// GPIOTE: eight channels that tie a pin to an event or to tasks, and the event of all sensed pins.
final class PinEvents: TaskPeripheral {
  private static let port = 31
  private let pins: GeneralPins
  private var levels: [Bool] = Array(repeating: false, count: 8)

  init(_ pins: GeneralPins, _ die: Die) {
    self.pins = pins
    super.init(6, events: Array(0..<8) + [Self.port], die)
    for channel: UInt32 in 0..<8 { define(0x510 + channel * 4, mask: 0x13_1F03) }
    pins.didChange = { [unowned self] in pinDidChange($0) }
    pins.detects = { [unowned self] in detect() }
  }

  private func detect() {
    if die.run.isOff {
      die.run.requestReset(.wakeUp)
    } else {
      raise(Self.port, at: die.now)
    }
  }

  private func config(_ channel: Int) -> UInt32 { self[0x510 + UInt32(channel * 4)] }

  private func pin(_ channel: Int) -> Int { Int(config(channel) >> 8 & 31) }

  private func pinDidChange(_ pin: Int) {
    for channel in 0..<8 where config(channel) & 3 == 1 && self.pin(channel) == pin {
      let level = pins.bank.level(of: pin)
      guard level != levels[channel] else { continue }
      levels[channel] = level
      let polarity = config(channel) >> 16 & 3
      if polarity == 3 || polarity == (level ? 1 : 2) { raise(channel, at: die.now) }
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard (0x510..<0x530).contains(offset) else { return false }
    let channel = Int(offset - 0x510) / 4
    self[offset] = value & 0x13_1F03
    levels[channel] = pins.bank.level(of: pin(channel))
    if value & 3 == 3 { pins.drive(pin(channel), value >> 20 & 1 != 0) }
    return true
  }

  override func hasTask(_ index: Int) -> Bool {
    index < 8 || (12..<20).contains(index) || (24..<32).contains(index)
  }

  /// OUT[n], SET[n], CLR[n].
  override func task(_ index: Int, at cycle: UInt64) {
    let channel = index % 12
    guard channel < 8, config(channel) & 3 == 3 else { return }
    switch index / 12 {
    case 1: pins.drive(pin(channel), true)
    case 2: pins.drive(pin(channel), false)
    default:
      let polarity = config(channel) >> 16 & 3
      if polarity != 0 {
        pins.drive(pin(channel), polarity == 3 ? !pins.isHigh(pin(channel)) : polarity == 1)
      }
    }
  }
}
