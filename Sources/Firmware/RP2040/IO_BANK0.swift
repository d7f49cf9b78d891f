package import Machines

/// IO_BANK0 with PADS_BANK0: the functions, the pulls and the interrupts of GPIO0 to GPIO29.
package final class IO_BANK0: Peripheral {
  /// STATUS and CTRL of each pin, 8 bytes apart.
  package static let GPIO0_STATUS: UInt32 = 0x000
  package static let GPIO0_CTRL: UInt32 = 0x004
  /// INTR0 to INTR3, with four bits for each pin.
  package static let INTR0: UInt32 = 0x0F0
  package static let PROC0_INTE0: UInt32 = 0x100
  package static let PROC0_INTF0: UInt32 = 0x110
  package static let PROC0_INTS0: UInt32 = 0x120
  private static let end: UInt32 = 0x190

  package static let pins = 30
  /// Values of FUNCSEL.
  enum Function {
    static let SIO: UInt32 = 5, PWM: UInt32 = 4, none: UInt32 = 31
  }
  /// The bits of a pin in INTR.
  private enum Trigger {
    static let LEVEL_LOW: UInt32 = 1, LEVEL_HIGH: UInt32 = 2
    static let EDGE_LOW: UInt32 = 4, EDGE_HIGH: UInt32 = 8
  }

  package let bank = PinBank((0..<pins).map { "GPIO\($0)" }, aliases: aliases)
  private let pads: PADS_BANK0
  /// The levels and the output enables of SIO, a bit for each pin.
  private(set) var outputs: UInt32 = 0, enables: UInt32 = 0
  /// Returns the level that a PWM drives at a pin.
  var waveLevel: (Int) -> Bool = { _ in false }
  /// Brings the levels of PWM pins up to date before a program reads them.
  var syncWaves: () -> Void = {}
  /// A callback for the input of a PWM slice.
  var edgeDidReachWave: (_ pin: Int, _ isHigh: Bool) -> Void = { _, _ in }
  private var edges = [UInt32](repeating: 0, count: 4)
  private var levels: UInt32 = 0

  /// The names `GP0` and `0` of the pins on boards.
  private static let aliases = Dictionary(
    uniqueKeysWithValues: (0..<pins).flatMap { [("GP\($0)", $0), ("\($0)", $0)] })

  init(_ chip: Chip) {
    pads = PADS_BANK0(chip)
    super.init(at: 0x4001_4000, resetBit: RESETS.Bit.IO_BANK0, chip)
    for pin in 0..<UInt32(Self.pins) {
      define(pin * 8, mask: 0)
      define(pin * 8 + 4, reset: Function.none, mask: 0x3003_331F)
    }
    for offset in stride(from: IO_BANK0.INTR0, to: Self.end, by: 4) { define(offset) }
    pads.didChange = { [unowned self] in apply($0) }
    bank.didChange = { [unowned self] in levelDidChange($0) }
  }

  override func reset() {
    super.reset()
    edges = [0, 0, 0, 0]
    for pin in 0..<Self.pins { apply(pin) }
    refresh()
  }

  /// Clears the registers of SIO.
  func resetOutputs() { (outputs, enables) = (0, 0) }

  private func control(_ pin: Int) -> UInt32 { self[UInt32(pin) * 8 + 4] }
  func function(of pin: Int) -> UInt32 { control(pin) & 31 }

  /// Changes the outputs of SIO.
  func set(outputs: UInt32, enables: UInt32) {
    var changed = ((self.outputs ^ outputs) | (self.enables ^ enables)) & 0x3FFF_FFFF
    (self.outputs, self.enables) = (outputs & 0x3FFF_FFFF, enables & 0x3FFF_FFFF)
    while changed != 0 {
      apply(changed.trailingZeroBitCount)
      changed &= changed - 1
    }
  }

  /// Applies the registers to a pin, at a time in nanoseconds or now.
  func apply(_ pin: Int, at time: UInt64? = nil) {
    let control = control(pin)
    var (level, isEnabled) = (false, false)
    switch control & 31 {
    case Function.SIO:
      (level, isEnabled) = (outputs >> UInt32(pin) & 1 != 0, enables >> UInt32(pin) & 1 != 0)
    case Function.PWM: (level, isEnabled) = (waveLevel(pin), true)
    default: break
    }
    // OUTOVER and OEOVER: inverted, low or high.
    switch control >> 8 & 3 {
    case 1: level.toggle()
    case 2: level = false
    case 3: level = true
    default: break
    }
    switch control >> 12 & 3 {
    case 1: isEnabled.toggle()
    case 2: isEnabled = false
    case 3: isEnabled = true
    default: break
    }
    let drive: PinBank.Drive = isEnabled && !pads.isDisabled(pin) ? .driven(level) : pads.pull(pin)
    bank.set(pin, drive, at: time ?? self.time)
  }

  /// The levels that a program reads, a bit for each pin.
  var inputs: UInt32 {
    syncWaves()
    return (0..<Self.pins).reduce(0) { isHigh($1) ? $0 | 1 << UInt32($1) : $0 }
  }

  /// The level behind the pad and INOVER.
  private func isHigh(_ pin: Int) -> Bool {
    let level = pads.isInput(pin) && bank.level(of: pin)
    return switch control(pin) >> 16 & 3 {
    case 1: !level
    case 2: false
    case 3: true
    default: level
    }
  }

  private func levelDidChange(_ pin: Int) {
    let isHigh = isHigh(pin)
    let bit: UInt32 = 1 << UInt32(pin)
    guard (levels & bit != 0) != isHigh else { return }
    levels ^= bit
    edges[pin / 8] |= (isHigh ? Trigger.EDGE_HIGH : Trigger.EDGE_LOW) << UInt32(pin % 8 * 4)
    if function(of: pin) == Function.PWM { edgeDidReachWave(pin, isHigh) }
    refresh()
  }

  /// INTR: the levels now, and the edges until a program clears them.
  private func raw(_ index: Int) -> UInt32 {
    (index * 8..<min(index * 8 + 8, Self.pins)).reduce(edges[index]) { word, pin in
      let level = isHigh(pin) ? Trigger.LEVEL_HIGH : Trigger.LEVEL_LOW
      return word | level << UInt32(pin % 8 * 4)
    }
  }

  private func pending(_ index: Int) -> UInt32 {
    let offset = UInt32(index * 4)
    return raw(index) & self[IO_BANK0.PROC0_INTE0 + offset] | self[IO_BANK0.PROC0_INTF0 + offset]
  }

  private func refresh() { chip.setLine(13, (0..<4).contains { pending($0) != 0 }) }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case 0..<UInt32(Self.pins * 8) where offset & 4 == 0:
      let pin = Int(offset / 8)
      let (level, drive) = (bank.level(of: pin), bank.drive(of: pin))
      guard case .driven(let output) = drive else { return level ? 0xA_0000 : 0 }
      return (output ? 0x300 : 0) | 0x3000 | (level ? 0xA_0000 : 0)
    case IO_BANK0.INTR0..<IO_BANK0.PROC0_INTE0: return raw(Int(offset - IO_BANK0.INTR0) / 4)
    case IO_BANK0.PROC0_INTS0..<IO_BANK0.PROC0_INTS0 + 16:
      return pending(Int(offset - IO_BANK0.PROC0_INTS0) / 4)
    default: return nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0..<UInt32(Self.pins * 8) where offset & 4 != 0:
      self[offset] = value & 0x3003_331F
      apply(Int(offset / 8))
    case IO_BANK0.INTR0..<IO_BANK0.PROC0_INTE0: edges[Int(offset - IO_BANK0.INTR0) / 4] &= ~value
    case IO_BANK0.PROC0_INTE0..<IO_BANK0.PROC0_INTS0: self[offset] = value
    default: return false
    }
    refresh()
    return true
  }
}

/// PADS_BANK0: the pulls and the enables of the pads.
final class PADS_BANK0: Peripheral {
  static let VOLTAGE_SELECT: UInt32 = 0x00
  static let GPIO0: UInt32 = 0x04
  /// Bits of a pad.
  private enum Bit {
    static let PDE: UInt32 = 4, PUE: UInt32 = 8, IE: UInt32 = 64, OD: UInt32 = 128
  }

  /// A callback for the pin whose pad has changed.
  var didChange: (Int) -> Void = { _ in }

  init(_ chip: Chip) {
    super.init(at: 0x4001_C000, resetBit: RESETS.Bit.PADS_BANK0, chip)
    define(PADS_BANK0.VOLTAGE_SELECT, mask: 1)
    for pin in 0..<UInt32(IO_BANK0.pins) {
      define(PADS_BANK0.GPIO0 + pin * 4, reset: 0x56, mask: 0xFF)
    }
    // SWCLK and SWD.
    for (offset, reset) in [(0x7C, 0xDA), (0x80, 0x5A)] as [(UInt32, UInt32)] {
      define(offset, reset: reset, mask: 0xFF)
    }
  }

  private func pad(_ pin: Int) -> UInt32 { self[PADS_BANK0.GPIO0 + UInt32(pin) * 4] }
  func isInput(_ pin: Int) -> Bool { pad(pin) & Bit.IE != 0 }
  func isDisabled(_ pin: Int) -> Bool { pad(pin) & Bit.OD != 0 }

  /// The pull of a pad; with both enabled, the pad keeps its level, which is modelled as a pull-up.
  func pull(_ pin: Int) -> PinBank.Drive {
    pad(pin) & Bit.PUE != 0 ? .pulled(true) : pad(pin) & Bit.PDE != 0 ? .pulled(false) : .floating
  }

  override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    let end = PADS_BANK0.GPIO0 + UInt32(IO_BANK0.pins) * 4
    guard (PADS_BANK0.GPIO0..<end).contains(offset) else { return false }
    self[offset] = value & 0xFF
    didChange(Int(offset - PADS_BANK0.GPIO0) / 4)
    return true
  }
}
