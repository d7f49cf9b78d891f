import Cores
package import Machines

/// P0: 32 pins, each with a sense level that can wake the chip.
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
  private static var allPIN_CNF: Range<UInt32> { PIN_CNF..<PIN_CNF + 32 * 4 }
  /// The writable bits of PIN_CNF[n]: DIR, INPUT, PULL, DRIVE, SENSE.
  private static let mask: UInt32 = 0x3070F

  private unowned let chip: Chip
  let bank = PinBank(
    (0..<32).map { "P0.\($0 < 10 ? "0" : "")\($0)" },
    aliases: Dictionary(uniqueKeysWithValues: (0..<10).map { ("P0.\($0)", $0) }))
  /// A callback with the number of a pin whose level may have changed.
  var didChange: (Int) -> Void = { _ in }
  /// A callback for a rising edge of DETECT, when the first sensed pin reaches its sense level.
  var detects: () -> Void = {}
  private var outputs: UInt32 = 0
  private var directions: UInt32 = 0
  private var latches: UInt32 = 0
  private var isDetecting = false

  init(_ chip: Chip) {
    self.chip = chip
    super.init(
      at: 0x5000_0000, unmodelledRegisters: chip.run.unmodelledRegisters, polls: chip.run.polls)
    define(GPIO.DETECTMODE, mask: 1)
    for pin: UInt32 in 0..<32 { define(GPIO.PIN_CNF + pin * 4, reset: 2, mask: Self.mask) }
    chip.memory.add(self, at: base, count: 0x1000)
    bank.didChange = { [unowned self] in
      didChange($0)
      sense()
    }
  }

  func reset() {
    (outputs, directions, latches, isDetecting) = (0, 0, 0, false)
    resetWords()
    for pin in 0..<32 { apply(pin) }
  }

  private var inputs: UInt32 {
    (0..<32).reduce(0) { word, pin in
      let isConnected = self[GPIO.PIN_CNF + UInt32(pin * 4)] & 2 == 0
      return isConnected && bank.level(of: pin) ? word | 1 << UInt32(pin) : word
    }
  }

  /// Drives a pin for a task of GPIOTE, which overrides OUT.
  func drive(_ pin: Int, _ level: Bool) {
    outputs = level ? outputs | 1 << UInt32(pin) : outputs & ~(1 << UInt32(pin))
    directions |= 1 << UInt32(pin)
    apply(pin)
  }

  func isHigh(_ pin: Int) -> Bool { outputs >> UInt32(pin) & 1 != 0 }

  private func apply(_ pin: Int) {
    let config = self[GPIO.PIN_CNF + UInt32(pin * 4)]
    let level = outputs >> UInt32(pin) & 1 != 0
    let drive: PinBank.Drive
    if directions >> UInt32(pin) & 1 != 0 {
      // DRIVE disconnects the pin at one of its levels: D0S1, D0H1, S0D1, H0D1.
      let kind = config >> 8 & 7
      let isDisconnected = level ? kind >= 6 : kind == 4 || kind == 5
      drive = isDisconnected ? (config >> 2 & 3 == 3 ? .pulled(true) : .floating) : .driven(level)
    } else {
      drive =
        config >> 2 & 3 == 1 ? .pulled(false) : config >> 2 & 3 == 3 ? .pulled(true) : .floating
    }
    bank.set(pin, drive, at: chip.nanoseconds(chip.now))
  }

  private func applyAll(_ changed: UInt32) {
    var rest = changed
    while rest != 0 {
      apply(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    sense()
  }

  /// Latches the pins at their sense level and updates DETECT.
  private func sense() {
    var sensed: UInt32 = 0
    for pin in 0..<32 {
      let kind = self[GPIO.PIN_CNF + UInt32(pin * 4)] >> 16 & 3
      guard kind >= 2 else { continue }
      if bank.level(of: pin) == (kind == 2) { sensed |= 1 << UInt32(pin) }
    }
    latches |= sensed
    let detects = self[GPIO.DETECTMODE] & 1 == 0 ? sensed != 0 : latches != 0
    if detects, !isDetecting { self.detects() }
    isDetecting = detects
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case GPIO.OUT, GPIO.OUTSET, GPIO.OUTCLR: outputs
    case GPIO.IN: inputs
    case GPIO.DIR, GPIO.DIRSET, GPIO.DIRCLR: directions
    case GPIO.LATCH: latches
    default: nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    let (oldOutputs, oldDirections) = (outputs, directions)
    switch offset {
    case GPIO.OUT: outputs = value
    case GPIO.OUTSET: outputs |= value
    case GPIO.OUTCLR: outputs &= ~value
    case GPIO.IN: break
    case GPIO.DIR: directions = value
    case GPIO.DIRSET: directions |= value
    case GPIO.DIRCLR: directions &= ~value
    case GPIO.LATCH:
      latches &= ~value
      isDetecting = false
      sense()
      return true
    case Self.allPIN_CNF:
      let pin = Int(offset - GPIO.PIN_CNF) / 4
      self[offset] = value & Self.mask
      directions = directions & ~(1 << UInt32(pin)) | (value & 1) << UInt32(pin)
      applyAll(1 << UInt32(pin))
      return true
    default: return false
    }
    applyAll((oldOutputs ^ outputs) | (oldDirections ^ directions))
    for pin in 0..<32 where (oldDirections ^ directions) >> UInt32(pin) & 1 != 0 {
      let register = GPIO.PIN_CNF + UInt32(pin * 4)
      self[register] = self[register] & ~1 | directions >> UInt32(pin) & 1
    }
    return true
  }
}
