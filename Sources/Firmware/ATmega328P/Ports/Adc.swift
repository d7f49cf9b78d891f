import Machines

/// The analog converter: 13 cycles of its clock for a conversion, 25 for the first.
///
/// A conversion that another peripheral triggers is not modelled; free running is.
final class Adc: IOBlock {
  private unowned let chip: AvrChip
  private var multiplexer: UInt8 = 0
  private var control: UInt8 = 0
  private var trigger: UInt8 = 0
  private var disabled: UInt8 = 0
  private var result: UInt16 = 0
  private var isFirst = true
  private var done: ChipEvent?

  private static let enable: UInt8 = 0x80, start: UInt8 = 0x40, auto: UInt8 = 0x20
  private static let flag: UInt8 = 0x10

  init(_ chip: AvrChip) {
    self.chip = chip
    super.init()
    done = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7E] }
  override var vectors: [Vector] { [.adc] }

  override func reset() {
    (multiplexer, control, trigger, disabled, result, isFirst) = (0, 0, 0, 0, 0, true)
    done?.clear()
    update()
  }

  private func update() { chip.request(.adc, control & 0x18 == 0x18) }

  override func acknowledge(_ vector: Vector) {
    control &= ~Self.flag
    update()
  }

  /// Begins a conversion, also when the part goes to its sleep of little noise.
  func begin() {
    guard control & Self.enable != 0, done?.isDue != true else { return }
    control |= Self.start
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
    control = control & ~Self.start | Self.flag
    update()
    if control & Self.auto != 0, trigger & 7 == 0 { begin() }
  }

  private func voltage(_ time: UInt64) -> Double {
    switch multiplexer & 15 {
    case 0...7: return chip.analog.input(Int(multiplexer & 7), time)
    // Table 24-2: 314 mV at 25 °C, about 1 mV for a degree.
    case 8: return 0.314 + 0.001 * (chip.analog.temperature(time) - 25)
    case 14: return 1.1
    default: return 0
    }
  }

  override func read(_ address: UInt16) -> UInt8 {
    let shown = multiplexer & 0x20 != 0 ? result << 6 : result
    switch address {
    case 0x78: return UInt8(truncatingIfNeeded: shown)
    case 0x79: return UInt8(shown >> 8)
    case 0x7A: return control
    case 0x7B: return trigger
    case 0x7C: return multiplexer
    default: return disabled
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0x7A: setControl(value)
    case 0x7B: trigger = value & 0x47
    case 0x7C: multiplexer = value & 0xEF
    case 0x7E: disabled = value & 0x3F
    default: break
    }
  }

  private func setControl(_ value: UInt8) {
    let flag = value & Self.flag != 0 ? 0 : control & Self.flag
    control = value & 0xAF | flag | control & Self.start
    if value & Self.enable == 0 {
      control &= ~Self.start
      isFirst = true
      done?.clear()
    } else if value & Self.start != 0 {
      begin()
    }
    update()
  }
}
