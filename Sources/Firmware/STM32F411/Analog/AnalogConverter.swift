import Machines

/// ADC1: the regular sequence, started by the program, over the inputs, the sensor of the die, the reference and VBAT
/// (RM0383, section 11).
///
/// Injected channels and starts by timers or pins are not modelled.
final class AnalogConverter: Peripheral {
  private enum Status { static let end: UInt32 = 2, started: UInt32 = 16, overrun: UInt32 = 32 }
  private var status: UInt32 = 0
  /// How far the sequence is.
  private var place = 0
  private lazy var alarm = Alarm(chip) { [unowned self] in didConvert() }
  /// The sample times in clocks of the converter, by code.
  private static let samples: [UInt64] = [3, 15, 28, 56, 84, 112, 144, 480]

  init(_ chip: Silicon) {
    super.init(at: 0x4001_2000, chip)
    define(0x00, mask: 0)
    define(0x04, mask: 0x07C0_FFFF)
    define(0x08, mask: 0x7F7F_0F03)
    define(0x0C, mask: 0x07FF_FFFF)
    define(0x10, mask: 0x3FFF_FFFF)
    for offset: UInt32 in [0x14, 0x18, 0x1C, 0x20] { define(offset, mask: 0xFFF) }
    define(0x24, mask: 0xFFF, reset: 0xFFF)
    define(0x28, mask: 0xFFF)
    define(0x2C, mask: 0xFF_FFFF)
    for offset: UInt32 in [0x30, 0x34] { define(offset, mask: 0x3FFF_FFFF) }
    define(0x38, mask: 0x3F_FFFF)
    for offset: UInt32 in [0x3C, 0x40, 0x44, 0x48] { define(offset, mask: 0) }
    define(0x4C, mask: 0)
    define(0x300, mask: 0)
    define(0x304, mask: 0x00C3_0000)
  }

  override func reset() {
    super.reset()
    (status, place) = (0, 0)
    alarm.clear()
    refresh()
  }

  override func clocksDidChange() { alarm.renew() }

  private var count: Int { Int(self[0x2C] >> 20 & 15) + 1 }

  /// The channel at a place of the sequence.
  private var channel: UInt32 {
    let (register, index): (UInt32, Int) =
      place < 6 ? (0x34, place) : place < 12 ? (0x30, place - 6) : (0x2C, place - 12)
    return self[register] >> UInt32(index * 5) & 31
  }

  /// How long a conversion takes: its sample time and a clock for each bit.
  private var length: UInt64 {
    let channel = channel
    let code =
      channel < 10
      ? self[0x10] >> (channel * 3) : channel < 19 ? self[0x0C] >> ((channel - 10) * 3) : 0
    let bits = 12 - UInt64(self[0x04] >> 24 & 3) * 2
    let clock = chip.fastBus / (UInt64(self[0x304] >> 16 & 3) * 2 + 2)
    return (Self.samples[Int(code & 7)] + bits) * 1_000_000_000 / max(clock, 1)
  }

  private func begin() { alarm.set(at: chip.nanoseconds(chip.now) + length) }

  /// The voltage at a channel: 18 is VBAT where CCR connects it, else the die, 17 the reference of 1.21 V.
  private func voltage(_ channel: UInt32, _ time: UInt64) -> Double {
    let control = self[0x304]
    switch channel {
    case 18 where control >> 22 & 1 != 0: return chip.analog.supply(time) / 4
    case 18: return control >> 23 & 1 != 0 ? dieVoltage(time) : 0
    case 17: return control >> 23 & 1 != 0 ? 1500 * 3.3 / 4095 : 0
    default: return channel < 16 ? chip.analog.input(Int(channel), time) : 0
    }
  }

  /// The sensor of the die lies on the line through the two points that the maker has measured.
  private func dieVoltage(_ time: UInt64) -> Double {
    (940 + (chip.analog.temperature(time) - 30) * (1200 - 940) / 80) * 3.3 / 4095
  }

  private func didConvert() {
    let time = chip.nanoseconds(chip.now)
    let ratio = voltage(channel, time) / max(chip.analog.supply(time), 0.1)
    let drops = (self[0x04] >> 24 & 3) * 2
    let code = UInt32(min(max(ratio * 4095, 0), 4095).rounded()) >> drops
    let asksMemory = self[0x08] >> 8 & 1 != 0
    if status & Status.end != 0, asksMemory || self[0x08] >> 10 & 1 != 0 {
      status |= Status.overrun
    } else {
      self[0x4C] = self[0x08] >> 11 & 1 != 0 ? code << (4 + drops) : code
    }
    place += 1
    let isWhole = place >= count || self[0x04] >> 8 & 1 == 0
    if isWhole || self[0x08] >> 10 & 1 != 0 || asksMemory { status |= Status.end }
    if isWhole { place = 0 }
    if !isWhole || self[0x08] & 2 != 0 { begin() }
    refresh()
  }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x00, 0x300: return status
    case 0x4C:
      status &= ~Status.end
      refresh()
      return self[0x4C]
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00: status &= value
    case 0x08: control(value)
    default: break
    }
    refresh()
  }

  /// Reports a function of CR2 that is not modelled.
  private func note(_ mode: String) {
    chip.run.untouched.note(base + 8, bytes: 4, isWrite: true, mode: mode)
  }

  private func control(_ value: UInt32) {
    self[0x08] &= ~(1 << 30 | 1 << 22)
    guard value & 1 != 0 else {
      alarm.clear()
      return
    }
    if value >> 28 & 3 != 0 { note("a start by a trigger (CR2.EXTEN)") }
    if value >> 20 & 3 != 0 || value >> 22 & 1 != 0 {
      note("injected channels (CR2.JEXTEN, JSWSTART)")
    }
    guard value >> 30 & 1 != 0 else { return }
    status |= Status.started
    place = 0
    begin()
  }

  private func refresh() {
    let control = self[0x04]
    let asks =
      status & Status.end != 0 && control & 0x20 != 0
      || status & Status.overrun != 0 && control >> 26 & 1 != 0
    chip.setLine(18, asks)
    chip.requests?.set(.converter, status & Status.end != 0 && self[0x08] >> 8 & 1 != 0)
  }
}
