import Machines

/// ADC: 12 bits, GPIO26 to GPIO29 as inputs 0 to 3 and the temperature sensor as input 4; its DMA is not modelled.
package final class ADC: Peripheral {
  package static let CS: UInt32 = 0x00
  package static let RESULT: UInt32 = 0x04
  package static let FCS: UInt32 = 0x08
  package static let FIFO: UInt32 = 0x0C
  static let DIV: UInt32 = 0x10
  static let INTR: UInt32 = 0x14
  static let INTE: UInt32 = 0x18
  static let INTF: UInt32 = 0x1C
  static let INTS: UInt32 = 0x20

  private enum Control {
    static let EN: UInt32 = 1, TS_EN: UInt32 = 2, START_ONCE: UInt32 = 4, START_MANY: UInt32 = 8
    static let READY: UInt32 = 1 << 8, AINSEL: UInt32 = 7 << 12
  }
  private enum Queue {
    static let EN: UInt32 = 1, SHIFT: UInt32 = 2
    static let UNDER: UInt32 = 1 << 10, OVER: UInt32 = 1 << 11
  }
  private var codes: [UInt32] = []
  private var isOver = false, isUnder = false
  private lazy var event = MachineEvent(chip.run) { [unowned self] in didConvert() }
  private static let depth = 4

  init(_ chip: Chip) {
    super.init(at: 0x4004_C000, resetBit: RESETS.Bit.ADC, chip)
    define(ADC.CS, mask: 0x1F_700B)
    define(ADC.RESULT, mask: 0)
    define(ADC.FCS, mask: 0x0F00_000F)
    define(ADC.FIFO, mask: 0)
    define(ADC.DIV, mask: 0xFF_FFFF)
    define(ADC.INTR, mask: 0)
    for offset in [ADC.INTE, ADC.INTF] { define(offset, mask: 1) }
    define(ADC.INTS, mask: 0)
  }

  override func reset() {
    super.reset()
    codes = []
    (isOver, isUnder) = (false, false)
    event.clear()
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  /// The length of a conversion in nanoseconds: 96 cycles of clk_adc, or more with DIV.
  private var length: UInt64 {
    let pause = UInt64(self[ADC.DIV]) >> 8 + 1
    let cycles = self[ADC.CS] & Control.START_MANY != 0 ? max(96, pause) : 96
    return cycles * 1_000_000_000 / max(chip.clocks?.adcClock ?? 0, 1)
  }

  /// Returns the voltage at an input; the sensor has 0.706 V at 27 °C and -1.721 mV per degree (RP2040 datasheet, 4.9.5).
  private func voltage(_ input: UInt32) -> Double {
    guard input == 4 else { return input < 4 ? chip.analog.input(Int(input), time) : 0 }
    guard self[ADC.CS] & Control.TS_EN != 0 else { return 0 }
    return 0.706 - (chip.analog.temperature(time) - 27) * 0.001721
  }

  private func begin() {
    guard self[ADC.CS] & Control.EN != 0, event.time == nil, chip.clocks?.adcClock ?? 0 > 0 else {
      return
    }
    event.set(at: time + length)
  }

  private func didConvert() {
    let input = (self[ADC.CS] & Control.AINSEL) >> 12
    let ratio = voltage(input) / max(chip.analog.supply(time), 0.1)
    let code = UInt32(min(max(ratio * 4096, 0), 4095))
    self[ADC.RESULT] = code
    if self[ADC.FCS] & Queue.EN != 0 {
      if codes.count < Self.depth {
        codes.append(self[ADC.FCS] & Queue.SHIFT != 0 ? code >> 4 : code)
      } else {
        isOver = true
      }
    }
    nextInput(after: input)
    if self[ADC.CS] & Control.START_MANY != 0 { begin() }
    refresh()
  }

  /// Selects the next input of RROBIN.
  private func nextInput(after input: UInt32) {
    let all = self[ADC.CS] >> 16 & 31
    guard all != 0 else { return }
    let next = (1...5).lazy.map { (input + $0) % 5 }.first { all >> $0 & 1 != 0 } ?? input
    self[ADC.CS] = self[ADC.CS] & ~Control.AINSEL | next << 12
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case ADC.CS:
      let isReady = self[ADC.CS] & Control.EN != 0 && event.time == nil
      return self[offset] | (isReady ? Control.READY : 0)
    case ADC.FCS:
      return self[offset] | UInt32(codes.count) << 16 | (codes.isEmpty ? 1 << 8 : 0)
        | (codes.count == Self.depth ? 1 << 9 : 0) | (isUnder ? Queue.UNDER : 0)
        | (isOver ? Queue.OVER : 0)
    case ADC.FIFO:
      guard !codes.isEmpty else {
        isUnder = true
        return 0
      }
      defer { refresh() }
      return codes.removeFirst()
    case ADC.INTR: return isRequested ? 1 : 0
    case ADC.INTS: return isRequested && self[ADC.INTE] != 0 || self[ADC.INTF] != 0 ? 1 : 0
    default: return nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case ADC.CS:
      self[offset] = value & 0x1F_700B
      if value & Control.EN == 0 {
        event.clear()
      } else if value & (Control.START_ONCE | Control.START_MANY) != 0 {
        begin()
      }
    case ADC.FCS:
      self[offset] = value & 0x0F00_000F
      if value & Queue.UNDER != 0 { isUnder = false }
      if value & Queue.OVER != 0 { isOver = false }
    case ADC.INTE, ADC.INTF: self[offset] = value & 1
    default: return false
    }
    refresh()
    return true
  }

  /// The FIFO has as many codes as FCS.THRESH.
  private var isRequested: Bool {
    !codes.isEmpty && codes.count >= Int(self[ADC.FCS] >> 24 & 15)
  }

  private func refresh() {
    chip.setLine(22, isRequested && self[ADC.INTE] != 0 || self[ADC.INTF] != 0)
  }
}
