import Machines

/// The ADC, in which a conversion takes 13 cycles of the ADC clock, and the first one 25.
///
/// Free-running mode is the only modelled auto trigger.
final class ADC: IOBlock {
  static let ADCL: UInt16 = 0x78
  static let ADCH: UInt16 = 0x79
  static let ADCSRA: UInt16 = 0x7A
  static let ADCSRB: UInt16 = 0x7B
  static let ADMUX: UInt16 = 0x7C
  static let DIDR0: UInt16 = 0x7E

  private unowned let chip: Chip
  private var multiplexer: UInt8 = 0
  private var control: UInt8 = 0
  private var trigger: UInt8 = 0
  private var disabled: UInt8 = 0
  private var result: UInt16 = 0
  private var isFirst = true
  private var done: ChipEvent?

  /// A bit of ADMUX.
  private static let ADLAR: UInt8 = 0x20
  /// Bits of ADCSRA.
  private static let ADIE: UInt8 = 0x08
  private static let ADEN: UInt8 = 0x80, ADSC: UInt8 = 0x40, ADATE: UInt8 = 0x20, ADIF: UInt8 = 0x10

  init(_ chip: Chip) {
    self.chip = chip
    super.init()
    done = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] {
    [ADC.ADCL, ADC.ADCH, ADC.ADCSRA, ADC.ADCSRB, ADC.ADMUX, ADC.DIDR0]
  }
  override var vectors: [Vector] { [.adc] }

  override func reset() {
    (multiplexer, control, trigger, disabled, result, isFirst) = (0, 0, 0, 0, 0, true)
    done?.clear()
    update()
  }

  private func update() {
    chip.request(.adc, control & (Self.ADIF | Self.ADIE) == Self.ADIF | Self.ADIE)
  }

  override func acknowledge(_ vector: Vector) {
    control &= ~Self.ADIF
    update()
  }

  /// Begins a conversion; also called on entry to the ADC noise reduction mode.
  func begin() {
    guard control & Self.ADEN != 0, done?.isDue != true else { return }
    control |= Self.ADSC
    let divisor = UInt64(max(2, 1 << UInt32(control & 7)))
    done?.set(in: (isFirst ? 25 : 13) * divisor)
    isFirst = false
  }

  private func finish() {
    let time = chip.now
    let supply = chip.analog.supply(time)
    let reference = multiplexer >> 6 == 3 ? 1.1 : supply
    let code = (voltage(time) / reference * 1024).rounded(.down)
    result = UInt16(min(max(code.isFinite ? code : 0, 0), 1023))
    control = control & ~Self.ADSC | Self.ADIF
    update()
    if control & Self.ADATE != 0, trigger & 7 == 0 { begin() }
  }

  private func voltage(_ time: UInt64) -> Double {
    switch multiplexer & 15 {
    case 0...7: return chip.analog.input(Int(multiplexer & 7), time)
    // Table 24-2: 314 mV at 25 °C, and about 1 mV per degree.
    case 8: return 0.314 + 0.001 * (chip.analog.temperature(time) - 25)
    case 14: return 1.1
    default: return 0
    }
  }

  override func read(_ address: UInt16) -> UInt8 {
    let shown = multiplexer & Self.ADLAR != 0 ? result << 6 : result
    switch address {
    case ADC.ADCL: return UInt8(truncatingIfNeeded: shown)
    case ADC.ADCH: return UInt8(shown >> 8)
    case ADC.ADCSRA: return control
    case ADC.ADCSRB: return trigger
    case ADC.ADMUX: return multiplexer
    default: return disabled
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case ADC.ADCSRA: setControl(value)
    case ADC.ADCSRB: trigger = value & 0x47
    case ADC.ADMUX: multiplexer = value & 0xEF
    case ADC.DIDR0: disabled = value & 0x3F
    default: break
    }
  }

  private func setControl(_ value: UInt8) {
    let flag = value & Self.ADIF != 0 ? 0 : control & Self.ADIF
    control = value & 0xAF | flag | control & Self.ADSC
    if value & Self.ADEN == 0 {
      control &= ~Self.ADSC
      isFirst = true
      done?.clear()
    } else if value & Self.ADSC != 0 {
      begin()
    }
    update()
  }
}
