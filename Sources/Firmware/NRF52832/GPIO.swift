import Cores
package import Machines

/// P0 and, on the nRF52840, P1: 32 and 16 pins, each with a sense level that can wake the chip.
///
/// The registers of P1 are 0x300 above those of P0. Inside, pins 32 and up are those of P1.
package final class GPIO: RegisterBlock, BusDevice {
  package static let OUT: UInt32 = 0x504
  package static let OUTSET: UInt32 = 0x508
  package static let OUTCLR: UInt32 = 0x50C
  package static let IN: UInt32 = 0x510
  package static let DIR: UInt32 = 0x514
  package static let DIRSET: UInt32 = 0x518
  package static let DIRCLR: UInt32 = 0x51C
  package static let LATCH: UInt32 = 0x520
  package static let DETECTMODE: UInt32 = 0x524
  /// PIN_CNF[0], the first of 32.
  package static let PIN_CNF: UInt32 = 0x700
  /// The distance of the registers of P1 from those of P0.
  package static let P1: UInt32 = 0x300
  private static var allPIN_CNF: Range<UInt32> { PIN_CNF..<PIN_CNF + 32 * 4 }
  /// The writable bits of PIN_CNF[n]: DIR, INPUT, PULL, DRIVE, SENSE.
  private static let mask: UInt32 = 0x3070F

  private unowned let chip: Chip
  private let pins: Int
  let bank: PinBank
  /// A callback with the number of a pin whose level may have changed.
  var didChange: (Int) -> Void = { _ in }
  /// A callback for a rising edge of DETECT, when the first sensed pin reaches its sense level.
  var detects: () -> Void = {}
  /// A bit for each pin.
  private var outputs: UInt64 = 0
  private var directions: UInt64 = 0
  private var latches: UInt64 = 0
  private var isDetecting = false
  /// The pins that a PWM drives instead of OUT, and their levels there.
  private var connected: UInt64 = 0
  private var connectedLevels: UInt64 = 0
  /// The PWMs, whose levels are calculated before a program reads them; the chip owns them.
  var waves: [PWM] = []

  init(_ chip: Chip) {
    self.chip = chip
    pins = chip.model.pins
    let names = (0..<pins).map { ("P\($0 / 32).", $0 % 32) }
    bank = PinBank(
      names.map { "\($0)\($1 < 10 ? "0" : "")\($1)" },
      aliases: Dictionary(
        uniqueKeysWithValues: names.enumerated().filter { $1.1 < 10 }.map { ("\($1.0)\($1.1)", $0) }
      ))
    super.init(
      at: 0x5000_0000, unmodelledRegisters: chip.run.unmodelledRegisters, polls: chip.run.polls)
    for port in 0..<UInt32(pins + 31) / 32 { define(GPIO.DETECTMODE + port * GPIO.P1, mask: 1) }
    for pin in 0..<pins { define(Self.PIN_CNF(pin), reset: 2, mask: Self.mask) }
    chip.memory.add(self, at: base, count: 0x1000)
    bank.didChange = { [unowned self] in
      didChange($0)
      sense()
    }
  }

  /// The offset of PIN_CNF of a pin.
  private static func PIN_CNF(_ pin: Int) -> UInt32 {
    PIN_CNF + UInt32(pin % 32 * 4) + UInt32(pin / 32) * P1
  }

  func reset() {
    (outputs, directions, latches, isDetecting) = (0, 0, 0, false)
    (connected, connectedLevels) = (0, 0)
    resetWords()
    for pin in 0..<pins { apply(pin) }
  }

  private func inputs(_ port: Int) -> UInt32 {
    if connected != 0 { for wave in waves { wave.syncOutputs() } }
    return (port * 32..<min(port * 32 + 32, pins)).reduce(0) { word, pin in
      let isConnected = self[Self.PIN_CNF(pin)] & 2 == 0
      return isConnected && bank.level(of: pin) ? word | 1 << UInt32(pin % 32) : word
    }
  }

  /// Drives a pin for a task of GPIOTE, which overrides OUT.
  func drive(_ pin: Int, _ level: Bool) {
    guard pin < pins else { return }
    outputs = level ? outputs | 1 << UInt64(pin) : outputs & ~(1 << UInt64(pin))
    directions |= 1 << UInt64(pin)
    apply(pin)
  }

  /// Lets a PWM drive a pin that is an output; `nil` returns the pin to OUT.
  func connect(_ pin: Int, _ level: Bool?, at time: UInt64) {
    guard pin < pins else { return }
    let bit: UInt64 = 1 << UInt64(pin)
    let before = (connected, connectedLevels)
    connected = level == nil ? connected & ~bit : connected | bit
    connectedLevels = level == true ? connectedLevels | bit : connectedLevels & ~bit
    if before != (connected, connectedLevels) { apply(pin, at: time) }
  }

  /// The level at a pin; low for a pin that the chip does not have.
  func level(of pin: Int) -> Bool { pin < pins && bank.level(of: pin) }

  func isHigh(_ pin: Int) -> Bool { outputs >> UInt64(pin) & 1 != 0 }

  private func apply(_ pin: Int, at time: UInt64? = nil) {
    let config = self[Self.PIN_CNF(pin)]
    let source = connected >> UInt64(pin) & 1 != 0 ? connectedLevels : outputs
    let level = source >> UInt64(pin) & 1 != 0
    let drive: PinBank.Drive
    if directions >> UInt64(pin) & 1 != 0 {
      // DRIVE disconnects the pin at one of its levels: D0S1, D0H1, S0D1, H0D1.
      let kind = config >> 8 & 7
      let isDisconnected = level ? kind >= 6 : kind == 4 || kind == 5
      drive = isDisconnected ? (config >> 2 & 3 == 3 ? .pulled(true) : .floating) : .driven(level)
    } else {
      drive =
        config >> 2 & 3 == 1 ? .pulled(false) : config >> 2 & 3 == 3 ? .pulled(true) : .floating
    }
    bank.set(pin, drive, at: time ?? chip.nanoseconds(chip.now))
  }

  private func applyAll(_ changed: UInt64) {
    var rest = changed
    while rest != 0 {
      apply(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    sense()
  }

  /// Latches the pins at their sense level and updates DETECT.
  private func sense() {
    var sensed: UInt64 = 0
    for pin in 0..<pins {
      let kind = self[Self.PIN_CNF(pin)] >> 16 & 3
      guard kind >= 2 else { continue }
      if bank.level(of: pin) == (kind == 2) { sensed |= 1 << UInt64(pin) }
    }
    latches |= sensed
    var detects = false
    for port in 0..<(pins + 31) / 32 {
      let isLatched = self[GPIO.DETECTMODE + UInt32(port) * GPIO.P1] & 1 != 0
      detects = detects || Self.word(isLatched ? latches : sensed, port) != 0
    }
    if detects, !isDetecting { self.detects() }
    isDetecting = detects
  }

  /// The bits of a port.
  private static func word(_ bits: UInt64, _ port: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: bits >> UInt64(port * 32))
  }

  /// The port of a register, and its offset in the registers of P0; `nil` for a port that the chip does not have.
  private func place(_ offset: UInt32) -> (port: Int, offset: UInt32)? {
    guard offset >= GPIO.OUT + GPIO.P1 else { return (0, offset) }
    return pins > 32 ? (1, offset - GPIO.P1) : nil
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    guard let (port, offset) = place(offset) else { return nil }
    return switch offset {
    case GPIO.OUT, GPIO.OUTSET, GPIO.OUTCLR: Self.word(outputs, port)
    case GPIO.IN: inputs(port)
    case GPIO.DIR, GPIO.DIRSET, GPIO.DIRCLR: Self.word(directions, port)
    case GPIO.LATCH: Self.word(latches, port)
    default: nil
    }
  }

  package override func store(_ register: UInt32, _ word: UInt32) -> Bool {
    guard let (port, offset) = place(register) else { return false }
    let (oldOutputs, oldDirections) = (outputs, directions)
    let shift = UInt64(port * 32)
    let all = (1 << UInt64(min(pins - port * 32, 32)) - 1 as UInt64) << shift
    let value = UInt64(word) << shift & all
    switch offset {
    case GPIO.OUT: outputs = outputs & ~all | value
    case GPIO.OUTSET: outputs |= value
    case GPIO.OUTCLR: outputs &= ~value
    case GPIO.IN: break
    case GPIO.DIR: directions = directions & ~all | value
    case GPIO.DIRSET: directions |= value
    case GPIO.DIRCLR: directions &= ~value
    case GPIO.LATCH:
      latches &= ~value
      isDetecting = false
      sense()
      return true
    case Self.allPIN_CNF:
      let pin = port * 32 + Int(offset - GPIO.PIN_CNF) / 4
      guard pin < pins else { return false }
      self[register] = word & Self.mask
      directions = directions & ~(1 << UInt64(pin)) | UInt64(word & 1) << UInt64(pin)
      applyAll(1 << UInt64(pin))
      return true
    default: return false
    }
    applyAll((oldOutputs ^ outputs) | (oldDirections ^ directions))
    var changed = oldDirections ^ directions
    while changed != 0 {
      let pin = changed.trailingZeroBitCount
      let config = Self.PIN_CNF(pin)
      self[config] = self[config] & ~1 | UInt32(directions >> UInt64(pin) & 1)
      changed &= changed - 1
    }
    return true
  }
}
