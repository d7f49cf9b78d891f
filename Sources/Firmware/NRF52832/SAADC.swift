import Machines

/// SAADC: the analog-to-digital converter, which writes the results of up to eight channels to RAM.
package final class SAADC: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_SAMPLE: UInt32 = 0x004
  package static let TASKS_STOP: UInt32 = 0x008
  package static let TASKS_CALIBRATEOFFSET: UInt32 = 0x00C
  package static let EVENTS_STARTED: UInt32 = 0x100
  package static let EVENTS_END: UInt32 = 0x104
  package static let EVENTS_DONE: UInt32 = 0x108
  package static let EVENTS_RESULTDONE: UInt32 = 0x10C
  package static let EVENTS_CALIBRATEDONE: UInt32 = 0x110
  package static let EVENTS_STOPPED: UInt32 = 0x114
  /// EVENTS_CH[0].LIMITH, which LIMITL follows; the registers of the eight channels are 8 bytes
  /// apart.
  package static let EVENTS_CH_LIMITH: UInt32 = 0x118
  package static let EVENTS_CH_LIMITL: UInt32 = 0x11C
  package static let STATUS: UInt32 = 0x400
  package static let ENABLE: UInt32 = 0x500
  /// CH[0].PSELP, which PSELN, CONFIG and LIMIT follow; the registers of the eight channels are 16
  /// bytes apart.
  package static let CH_PSELP: UInt32 = 0x510
  package static let CH_PSELN: UInt32 = 0x514
  package static let CH_CONFIG: UInt32 = 0x518
  package static let CH_LIMIT: UInt32 = 0x51C
  package static let RESOLUTION: UInt32 = 0x5F0
  package static let OVERSAMPLE: UInt32 = 0x5F4
  package static let SAMPLERATE: UInt32 = 0x5F8
  package static let RESULT_PTR: UInt32 = 0x62C
  package static let RESULT_MAXCNT: UInt32 = 0x630
  package static let RESULT_AMOUNT: UInt32 = 0x634

  /// The gain factors that CONFIG.GAIN selects.
  private static let gains = [1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1, 2, 4]
  /// The acquisition times in microseconds that CONFIG.TACQ selects.
  private static let acquisition = [3.0, 5, 10, 15, 20, 40, 40, 40]
  /// The time of a conversion in microseconds (product specification v1.4, SAADC: less than 2).
  private static let conversion = 2.0

  private var isStarted = false
  private var isBusy = false
  private var pointer: UInt32 = 0
  private var count: UInt32 = 0
  private var amount: UInt32 = 0
  private lazy var sample = chip.schedule.slot { [unowned self] in finish(at: $0) }
  private lazy var calibration = chip.schedule.slot { [unowned self] in
    raise(SAADC.EVENTS_CALIBRATEDONE, at: $0)
  }

  init(_ chip: Chip) {
    let events = stride(
      from: SAADC.EVENTS_STARTED, to: SAADC.EVENTS_CH_LIMITH + 8 * 8, by: 4)
    super.init(7, events: Array(events), chip)
    define(SAADC.ENABLE, mask: 1)
    for channel: UInt32 in 0..<8 {
      define(SAADC.CH_PSELP + channel * 16, mask: 31)
      define(SAADC.CH_PSELN + channel * 16, mask: 31)
      define(SAADC.CH_CONFIG + channel * 16, reset: 0x2_0000)
      define(SAADC.CH_LIMIT + channel * 16, reset: 0x7FFF_8000)
    }
    define(SAADC.RESOLUTION, reset: 1, mask: 7)
    define(SAADC.OVERSAMPLE, mask: 15)
    define(SAADC.SAMPLERATE, mask: 0x17FF)
    define(SAADC.RESULT_PTR)
    define(SAADC.RESULT_MAXCNT, mask: 0x7FFF)
  }

  override func reset() {
    (isStarted, isBusy, amount) = (false, false, 0)
    chip.schedule.clear(sample)
    chip.schedule.clear(calibration)
    super.reset()
  }

  private var channels: [UInt32] { (0..<8).filter { self[SAADC.CH_PSELP + $0 * 16] != 0 } }

  override func hasTask(_ task: UInt32) -> Bool { task <= SAADC.TASKS_CALIBRATEOFFSET }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard self[SAADC.ENABLE] & 1 != 0 else { return }
    switch task {
    case SAADC.TASKS_START:
      (pointer, count, amount) = (self[SAADC.RESULT_PTR], self[SAADC.RESULT_MAXCNT], 0)
      isStarted = true
      raise(SAADC.EVENTS_STARTED, at: cycle)
    case SAADC.TASKS_SAMPLE:
      guard !isBusy else { return }
      isBusy = true
      chip.energy(.saadc, true, at: cycle)
      let time = channels.reduce(0.0) {
        $0 + Self.acquisition[Int(self[SAADC.CH_CONFIG + $1 * 16] >> 16 & 7)] + Self.conversion
      }
      chip.schedule.set(
        sample, at: chip.cycle(cycle, plus: time * Double(1 << min(self[SAADC.OVERSAMPLE], 8))))
    case SAADC.TASKS_STOP:
      (isStarted, isBusy) = (false, false)
      chip.schedule.clear(sample)
      chip.energy(.saadc, false, at: cycle)
      raise(SAADC.EVENTS_STOPPED, at: cycle)
    case SAADC.TASKS_CALIBRATEOFFSET:
      chip.schedule.set(calibration, at: chip.cycle(cycle, plus: 500))
    default: break
    }
  }

  private func finish(at cycle: UInt64) {
    isBusy = false
    chip.energy(.saadc, false, at: cycle)
    for channel in channels {
      let value = measure(channel, at: cycle)
      raise(SAADC.EVENTS_DONE, at: cycle)
      raise(SAADC.EVENTS_RESULTDONE, at: cycle)
      guard isStarted, amount < count else { continue }
      let word = UInt16(bitPattern: value)
      _ = chip.writeRAM(pointer + amount * 2, UInt8(truncatingIfNeeded: word))
      _ = chip.writeRAM(pointer + amount * 2 + 1, UInt8(word >> 8))
      amount += 1
      check(value, channel, at: cycle)
    }
    guard isStarted, amount == count else { return }
    isStarted = false
    raise(SAADC.EVENTS_END, at: cycle)
  }

  private func check(_ value: Int16, _ channel: UInt32, at cycle: UInt64) {
    let limits = self[SAADC.CH_LIMIT + channel * 16]
    let low = Int16(truncatingIfNeeded: limits)
    let high = Int16(truncatingIfNeeded: limits >> 16)
    if value > high { raise(SAADC.EVENTS_CH_LIMITH + channel * 8, at: cycle) }
    if value < low { raise(SAADC.EVENTS_CH_LIMITL + channel * 8, at: cycle) }
  }

  /// Returns the voltage at an input of PSELP or PSELN: 1 to 8 are AIN0 to AIN7, 9 is the supply.
  private func voltage(_ input: UInt32, _ time: UInt64) -> Double {
    switch input {
    case 1...8: chip.analog.input(Int(input) - 1, time)
    case 9: chip.analog.supply(time)
    default: 0
    }
  }

  private func measure(_ channel: UInt32, at cycle: UInt64) -> Int16 {
    let time = chip.nanoseconds(cycle)
    let config = self[SAADC.CH_CONFIG + channel * 16]
    let reference = config >> 12 & 1 == 0 ? 0.6 : chip.analog.supply(time) / 4
    var volts = voltage(self[SAADC.CH_PSELP + channel * 16], time)
    let isDifferential = config >> 20 & 1 != 0
    if isDifferential { volts -= voltage(self[SAADC.CH_PSELN + channel * 16], time) }
    let bits = 8 + 2 * min(Int(self[SAADC.RESOLUTION]), 3) - (isDifferential ? 1 : 0)
    let full = Double(1 << bits)
    let value = volts * Self.gains[Int(config >> 8 & 7)] / reference * full
    let least = isDifferential ? -full : -full / 64
    return Int16(max(least, min(value.rounded(.down), full - 1)))
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case SAADC.STATUS: isBusy ? 1 : 0
    case SAADC.RESULT_AMOUNT: amount
    default: nil
    }
  }
}

/// TEMP: the die temperature in units of 0.25 °C.
package final class TEMP: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_STOP: UInt32 = 0x004
  package static let EVENTS_DATARDY: UInt32 = 0x100
  package static let TEMP: UInt32 = 0x508
  /// A0, the first of the registers A0 to A5, B0 to B5 and T0 to T4.
  package static let A0: UInt32 = 0x520
  /// T4, the last of the registers A0 to A5, B0 to B5 and T0 to T4.
  package static let T4: UInt32 = 0x570

  /// The time of a measurement in microseconds (product specification v1.4, TEMP: 36).
  private static let time = 36.0
  private var result: Int32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] in
    result = Int32((chip.analog.temperature(chip.nanoseconds($0)) * 4).rounded())
    raise(Self.EVENTS_DATARDY, at: $0)
  }

  init(_ chip: Chip) {
    super.init(12, events: [Self.EVENTS_DATARDY], chip)
    // Slopes, intercepts and end points of the linearization; a program may copy them from FICR.
    for offset in stride(from: Self.A0, through: Self.T4, by: 4) { define(offset) }
  }

  override func reset() {
    chip.schedule.clear(slot)
    super.reset()
  }

  override func hasTask(_ task: UInt32) -> Bool {
    task == Self.TASKS_START || task == Self.TASKS_STOP
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    switch task {
    case Self.TASKS_START: chip.schedule.set(slot, at: chip.cycle(cycle, plus: Self.time))
    case Self.TASKS_STOP: chip.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? {
    offset == Self.TEMP ? UInt32(bitPattern: result) : nil
  }
}
