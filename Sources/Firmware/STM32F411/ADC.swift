import Machines

/// ADC1: regular sequences of the inputs, the temperature sensor, the reference and VBAT, started by the program or by the
/// trigger output of a timer (RM0383, section 11).
///
/// Injected channels, and triggers by single channels of a timer or by a pin, are not modelled.
package final class ADC: Peripheral {
  package static let SR: UInt32 = 0x00
  package static let CR1: UInt32 = 0x04
  package static let CR2: UInt32 = 0x08
  package static let SMPR1: UInt32 = 0x0C
  package static let SMPR2: UInt32 = 0x10
  package static let JOFR1: UInt32 = 0x14
  package static let JOFR2: UInt32 = 0x18
  package static let JOFR3: UInt32 = 0x1C
  package static let JOFR4: UInt32 = 0x20
  package static let HTR: UInt32 = 0x24
  package static let LTR: UInt32 = 0x28
  package static let SQR1: UInt32 = 0x2C
  package static let SQR2: UInt32 = 0x30
  package static let SQR3: UInt32 = 0x34
  package static let JSQR: UInt32 = 0x38
  package static let JDR1: UInt32 = 0x3C
  package static let JDR2: UInt32 = 0x40
  package static let JDR3: UInt32 = 0x44
  package static let JDR4: UInt32 = 0x48
  package static let DR: UInt32 = 0x4C
  package static let CSR: UInt32 = 0x300
  package static let CCR: UInt32 = 0x304

  /// Bits of CR2.
  private enum Control {
    static let ADON: UInt32 = 1, CONT: UInt32 = 1 << 1, DMA: UInt32 = 1 << 8
    static let EOCS: UInt32 = 1 << 10, ALIGN: UInt32 = 1 << 11
    static let JSWSTART: UInt32 = 1 << 22, SWSTART: UInt32 = 1 << 30
  }
  /// Bits of SR.
  private enum Status { static let EOC: UInt32 = 2, STRT: UInt32 = 16, OVR: UInt32 = 32 }
  private var status: UInt32 = 0
  /// The index of the current conversion in the sequence.
  private var rank = 0
  private lazy var event = MachineEvent(chip.run) { [unowned self] in didConvert() }
  /// The sample times of SMPRx in cycles of the ADC clock.
  private static let samples: [UInt64] = [3, 15, 28, 56, 84, 112, 144, 480]

  init(_ chip: Chip) {
    super.init(at: 0x4001_2000, chip)
    define(ADC.SR, mask: 0)
    define(ADC.CR1, mask: 0x07C0_FFFF)
    define(ADC.CR2, mask: 0x7F7F_0F03)
    define(ADC.SMPR1, mask: 0x07FF_FFFF)
    define(ADC.SMPR2, mask: 0x3FFF_FFFF)
    for offset in [ADC.JOFR1, ADC.JOFR2, ADC.JOFR3, ADC.JOFR4] { define(offset, mask: 0xFFF) }
    define(ADC.HTR, mask: 0xFFF, reset: 0xFFF)
    define(ADC.LTR, mask: 0xFFF)
    define(ADC.SQR1, mask: 0xFF_FFFF)
    for offset in [ADC.SQR2, ADC.SQR3] { define(offset, mask: 0x3FFF_FFFF) }
    define(ADC.JSQR, mask: 0x3F_FFFF)
    for offset in [ADC.JDR1, ADC.JDR2, ADC.JDR3, ADC.JDR4] { define(offset, mask: 0) }
    define(ADC.DR, mask: 0)
    define(ADC.CSR, mask: 0)
    define(ADC.CCR, mask: 0x00C3_0000)
    chip.triggers.startConversions = { [unowned self] in start($0) }
  }

  override func reset() {
    super.reset()
    (status, rank) = (0, 0)
    event.clear()
    selectTrigger()
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  private var count: Int { Int(self[ADC.SQR1] >> 20 & 15) + 1 }

  /// The channel at the current rank.
  private var channel: UInt32 {
    let (register, index): (UInt32, Int) =
      rank < 6 ? (ADC.SQR3, rank) : rank < 12 ? (ADC.SQR2, rank - 6) : (ADC.SQR1, rank - 12)
    return self[register] >> UInt32(index * 5) & 31
  }

  /// The length of a conversion in nanoseconds: its sample time and one ADC clock per bit.
  private var length: UInt64 {
    let channel = channel
    let code =
      channel < 10
      ? self[ADC.SMPR2] >> (channel * 3)
      : channel < 19 ? self[ADC.SMPR1] >> ((channel - 10) * 3) : 0
    let bits = 12 - UInt64(self[ADC.CR1] >> 24 & 3) * 2
    let clock = chip.apb2Clock / (UInt64(self[ADC.CCR] >> 16 & 3) * 2 + 2)
    return (Self.samples[Int(code & 7)] + bits) * 1_000_000_000 / max(clock, 1)
  }

  private func begin() { event.set(at: chip.nanoseconds(chip.now) + length) }

  /// Returns the voltage at a channel.
  ///
  /// Channel 18 is VBAT if CCR enables it, otherwise the temperature sensor; 17 is the 1.21 V reference. The temperature
  /// sensor of the STM32F405 is at channel 16.
  private func voltage(_ channel: UInt32, _ time: UInt64) -> Double {
    let control = self[ADC.CCR]
    switch channel {
    case 18 where control >> 22 & 1 != 0: return chip.analog.supply(time) / 4
    case chip.model == .stm32F405 ? 16 : 18: return control >> 23 & 1 != 0 ? dieVoltage(time) : 0
    case 17: return control >> 23 & 1 != 0 ? 1500 * 3.3 / 4095 : 0
    default: return channel < 16 ? chip.analog.input(Int(channel), time) : 0
    }
  }

  /// Returns the voltage of the temperature sensor, on the line through the two factory calibration values.
  private func dieVoltage(_ time: UInt64) -> Double {
    (940 + (chip.analog.temperature(time) - 30) * (1200 - 940) / 80) * 3.3 / 4095
  }

  private func didConvert() {
    let time = chip.nanoseconds(chip.now)
    let ratio = voltage(channel, time) / max(chip.analog.supply(time), 0.1)
    let drops = (self[ADC.CR1] >> 24 & 3) * 2
    let code = UInt32(min(max(ratio * 4095, 0), 4095).rounded()) >> drops
    let usesDMA = self[ADC.CR2] & Control.DMA != 0
    if status & Status.EOC != 0, usesDMA || self[ADC.CR2] & Control.EOCS != 0 {
      status |= Status.OVR
    } else {
      self[ADC.DR] = self[ADC.CR2] & Control.ALIGN != 0 ? code << (4 + drops) : code
    }
    rank += 1
    let isComplete = rank >= count || self[ADC.CR1] >> 8 & 1 == 0
    if isComplete || self[ADC.CR2] & Control.EOCS != 0 || usesDMA { status |= Status.EOC }
    if isComplete { rank = 0 }
    if !isComplete || self[ADC.CR2] & Control.CONT != 0 { begin() }
    refresh()
  }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case ADC.SR, ADC.CSR: return status
    case ADC.DR:
      status &= ~Status.EOC
      refresh()
      return self[ADC.DR]
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case ADC.SR: status &= value
    case ADC.CR2: control(value)
    default: break
    }
    refresh()
  }

  /// Reports an unmodelled function of CR2.
  private func note(_ mode: String) {
    chip.run.unmodelledRegisters.note(base + ADC.CR2, bytes: 4, isWrite: true, mode: mode)
  }

  /// CR2.EXTEN: the edges of the trigger that start conversions, rising 1, falling 2.
  private var startingEdges: UInt32 { self[ADC.CR2] >> 28 & 3 }

  /// The timers whose trigger outputs start conversions, by CR2.EXTSEL (RM0383 and RM0090, ADC_CR2).
  private static let sources: [UInt32: UInt32] = [6: 2, 8: 3, 14: 8]

  /// Listens to the timer that CR2 selects.
  private func selectTrigger() {
    let isOn = self[ADC.CR2] & Control.ADON != 0 && startingEdges != 0
    let source: UInt32? = isOn ? Self.sources[self[ADC.CR2] >> 24 & 15] : nil
    let isThere = chip.triggers.convert(atTriggersOf: source)
    if isOn, source == nil || !isThere {
      note("a start by a channel of a timer or by a pin (CR2.EXTSEL)")
    }
  }

  /// Starts a sequence at an edge of the trigger, unless one is under way.
  private func start(_ edge: TIMTriggers.Edge) {
    let wanted: UInt32 = edge == .rising ? 1 : edge == .falling ? 2 : 3
    guard startingEdges & wanted != 0, event.time == nil else { return }
    status |= Status.STRT
    rank = 0
    begin()
  }

  private func control(_ value: UInt32) {
    self[ADC.CR2] &= ~(Control.SWSTART | Control.JSWSTART)
    selectTrigger()
    guard value & Control.ADON != 0 else {
      event.clear()
      return
    }
    if value >> 20 & 3 != 0 || value & Control.JSWSTART != 0 {
      note("injected channels (CR2.JEXTEN, JSWSTART)")
    }
    guard value & Control.SWSTART != 0 else { return }
    status |= Status.STRT
    rank = 0
    begin()
  }

  private func refresh() {
    let control = self[ADC.CR1]
    let isRequested =
      status & Status.EOC != 0 && control & 0x20 != 0
      || status & Status.OVR != 0 && control >> 26 & 1 != 0
    chip.setLine(18, isRequested)
    chip.requests?.set(.adc, status & Status.EOC != 0 && self[ADC.CR2] & Control.DMA != 0)
  }
}
