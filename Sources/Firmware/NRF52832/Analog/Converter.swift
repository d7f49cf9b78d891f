import Machines

/// SAADC: up to eight channels, each sample of all of them written to RAM.
final class Converter: TaskPeripheral {
  private enum Event {
    static let started = 0, end = 1, done = 2, result = 3, calibrated = 4, stopped = 5, limit = 6
  }
  private static let gains = [1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1, 2, 4]
  private static let acquisition = [3.0, 5, 10, 15, 20, 40, 40, 40]
  /// The time of a conversion in microseconds (product specification v1.4, SAADC: less than 2).
  private static let conversion = 2.0

  private var isStarted = false
  private var isBusy = false
  private var pointer: UInt32 = 0
  private var count: UInt32 = 0
  private var amount: UInt32 = 0
  private lazy var sample = die.schedule.slot { [unowned self] in finish(at: $0) }
  private lazy var calibration = die.schedule.slot { [unowned self] in
    raise(Event.calibrated, at: $0)
  }

  init(_ die: Die) {
    super.init(7, events: Array(0...21), die)
    define(0x500, mask: 1)
    for channel: UInt32 in 0..<8 {
      define(0x510 + channel * 16, mask: 31)
      define(0x514 + channel * 16, mask: 31)
      define(0x518 + channel * 16, reset: 0x2_0000)
      define(0x51C + channel * 16, reset: 0x7FFF_8000)
    }
    define(0x5F0, reset: 1, mask: 7)
    define(0x5F4, mask: 15)
    define(0x5F8, mask: 0x17FF)
    define(0x62C)
    define(0x630, mask: 0x7FFF)
  }

  override func reset() {
    (isStarted, isBusy, amount) = (false, false, 0)
    die.schedule.clear(sample)
    die.schedule.clear(calibration)
    super.reset()
  }

  private var channels: [UInt32] { (0..<8).filter { self[0x510 + $0 * 16] != 0 } }

  override func hasTask(_ index: Int) -> Bool { index < 4 }

  override func task(_ index: Int, at cycle: UInt64) {
    guard self[0x500] & 1 != 0 else { return }
    switch index {
    case 0:
      (pointer, count, amount) = (self[0x62C], self[0x630], 0)
      isStarted = true
      raise(Event.started, at: cycle)
    case 1:
      guard !isBusy else { return }
      isBusy = true
      die.energy(.converter, true, at: cycle)
      let time = channels.reduce(0.0) {
        $0 + Self.acquisition[Int(self[0x518 + $1 * 16] >> 16 & 7)] + Self.conversion
      }
      die.schedule.set(
        sample, at: die.cycle(cycle, plus: time * Double(1 << min(self[0x5F4], 8))))
    case 2:
      (isStarted, isBusy) = (false, false)
      die.schedule.clear(sample)
      die.energy(.converter, false, at: cycle)
      raise(Event.stopped, at: cycle)
    case 3: die.schedule.set(calibration, at: die.cycle(cycle, plus: 500))
    default: break
    }
  }

  private func finish(at cycle: UInt64) {
    isBusy = false
    die.energy(.converter, false, at: cycle)
    for channel in channels {
      let value = measure(channel, at: cycle)
      raise(Event.done, at: cycle)
      raise(Event.result, at: cycle)
      guard isStarted, amount < count else { continue }
      let word = UInt16(bitPattern: value)
      _ = die.writeRAM(pointer + amount * 2, UInt8(truncatingIfNeeded: word))
      _ = die.writeRAM(pointer + amount * 2 + 1, UInt8(word >> 8))
      amount += 1
      check(value, channel, at: cycle)
    }
    guard isStarted, amount == count else { return }
    isStarted = false
    raise(Event.end, at: cycle)
  }

  private func check(_ value: Int16, _ channel: UInt32, at cycle: UInt64) {
    let limits = self[0x51C + channel * 16]
    let low = Int16(truncatingIfNeeded: limits)
    let high = Int16(truncatingIfNeeded: limits >> 16)
    if value > high { raise(Event.limit + Int(channel) * 2, at: cycle) }
    if value < low { raise(Event.limit + Int(channel) * 2 + 1, at: cycle) }
  }

  /// The voltage at an input: AIN0 to AIN7 are 1 to 8, the supply is 9.
  private func voltage(_ input: UInt32, _ time: UInt64) -> Double {
    switch input {
    case 1...8: die.analog.input(Int(input) - 1, time)
    case 9: die.analog.supply(time)
    default: 0
    }
  }

  private func measure(_ channel: UInt32, at cycle: UInt64) -> Int16 {
    let time = die.nanoseconds(cycle)
    let config = self[0x518 + channel * 16]
    let reference = config >> 12 & 1 == 0 ? 0.6 : die.analog.supply(time) / 4
    var volts = voltage(self[0x510 + channel * 16], time)
    let isDifferential = config >> 20 & 1 != 0
    if isDifferential { volts -= voltage(self[0x514 + channel * 16], time) }
    let bits = 8 + 2 * min(Int(self[0x5F0]), 3) - (isDifferential ? 1 : 0)
    let full = Double(1 << bits)
    let value = volts * Self.gains[Int(config >> 8 & 7)] / reference * full
    let least = isDifferential ? -full : -full / 64
    return Int16(max(least, min(value.rounded(.down), full - 1)))
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x400: isBusy ? 1 : 0
    case 0x634: amount
    default: nil
    }
  }
}
