import Machines

/// The ports A to E and H with their pins.
final class GPIOPorts {
  /// The letters of the ports, and their index in addresses and in SYSCFG.EXTICRx.
  static let letters: [(letter: String, index: UInt32)] = [
    ("A", 0), ("B", 1), ("C", 2), ("D", 3), ("E", 4), ("H", 7),
  ]
  let bank = PinBank(letters.flatMap { port in (0..<16).map { "P\(port.letter)\($0)" } })
  private(set) var ports: [GPIO] = []

  init(_ chip: Chip) {
    // ST's Nucleo boards have a button with a pull-up resistor at PC13 (UM1724, section 6.6).
    bank.set(32 + 13, to: true)
    ports = Self.letters.enumerated().map {
      GPIO(at: 0x4002_0000 + $0.element.index * 0x400, first: $0.offset * 16, bank, chip)
    }
  }
}

/// A port of 16 pins.
final class GPIO: Peripheral {
  static let MODER: UInt32 = 0x00
  static let OTYPER: UInt32 = 0x04
  static let OSPEEDR: UInt32 = 0x08
  static let PUPDR: UInt32 = 0x0C
  static let IDR: UInt32 = 0x10
  static let ODR: UInt32 = 0x14
  static let BSRR: UInt32 = 0x18
  static let LCKR: UInt32 = 0x1C
  static let AFRL: UInt32 = 0x20
  static let AFRH: UInt32 = 0x24

  private let first: Int
  private let bank: PinBank

  init(at base: UInt32, first: Int, _ bank: PinBank, _ chip: Chip) {
    self.first = first
    self.bank = bank
    super.init(at: base, chip)
    let isA = base == 0x4002_0000
    let isB = base == 0x4002_0400
    define(GPIO.MODER, reset: isA ? 0xA800_0000 : isB ? 0x280 : 0)
    define(GPIO.OTYPER, mask: 0xFFFF)
    define(GPIO.OSPEEDR, reset: isA ? 0x0C00_0000 : isB ? 0xC0 : 0)
    define(GPIO.PUPDR, reset: isA ? 0x6400_0000 : isB ? 0x100 : 0)
    define(GPIO.IDR, mask: 0)
    define(GPIO.ODR, mask: 0xFFFF)
    define(GPIO.BSRR, mask: 0)
    define(GPIO.LCKR, mask: 0x1_FFFF)
    define(GPIO.AFRL)
    define(GPIO.AFRH)
  }

  override func reset() {
    super.reset()
    drive()
  }

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == GPIO.IDR else { return self[offset] }
    return (0..<16).reduce(0) { bank.level(of: first + $1) ? $0 | 1 << UInt32($1) : $0 }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case GPIO.BSRR: self[GPIO.ODR] = self[GPIO.ODR] & ~(value >> 16) | value & 0xFFFF
    case GPIO.MODER, GPIO.OTYPER, GPIO.PUPDR, GPIO.ODR: break
    default: return
    }
    drive()
  }

  /// Applies the port's registers to its pins; alternate functions do not drive a pin.
  private func drive() {
    let time = chip.nanoseconds(chip.now)
    for pin in 0..<16 {
      let mode = self[GPIO.MODER] >> UInt32(pin * 2) & 3
      let pull = self[GPIO.PUPDR] >> UInt32(pin * 2) & 3
      let isHigh = self[GPIO.ODR] >> UInt32(pin) & 1 != 0
      let isOpenDrain = self[GPIO.OTYPER] >> UInt32(pin) & 1 != 0
      var drive: PinBank.Drive = pull == 1 ? .pulled(true) : pull == 2 ? .pulled(false) : .floating
      if mode == 1, !isOpenDrain || !isHigh { drive = .driven(isHigh) }
      bank.set(first + pin, mode == 3 ? .floating : drive, at: time)
    }
  }
}
