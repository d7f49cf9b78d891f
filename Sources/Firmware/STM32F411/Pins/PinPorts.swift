import Machines

/// The ports A to E and H: what each pin does, and what is seen there.
final class PinPorts {
  /// The letters of the ports, and their places.
  static let letters: [(letter: String, place: UInt32)] = [
    ("A", 0), ("B", 1), ("C", 2), ("D", 3), ("E", 4), ("H", 7),
  ]
  let bank = PinBank(letters.flatMap { port in (0..<16).map { "P\(port.letter)\($0)" } })
  private(set) var ports: [PinPort] = []

  init(_ chip: Silicon) {
    // The maker's boards have a button at PC13, and a resistor that holds it high (UM1724, section 6.6).
    bank.set(32 + 13, to: true)
    ports = Self.letters.enumerated().map {
      PinPort(at: 0x4002_0000 + $0.element.place * 0x400, first: $0.offset * 16, bank, chip)
    }
  }
}

/// A port of 16 pins.
final class PinPort: Peripheral {
  private let first: Int
  private let bank: PinBank

  init(at base: UInt32, first: Int, _ bank: PinBank, _ chip: Silicon) {
    self.first = first
    self.bank = bank
    super.init(at: base, chip)
    let isA = base == 0x4002_0000
    let isB = base == 0x4002_0400
    define(0x00, reset: isA ? 0xA800_0000 : isB ? 0x280 : 0)
    define(0x04, mask: 0xFFFF)
    define(0x08, reset: isA ? 0x0C00_0000 : isB ? 0xC0 : 0)
    define(0x0C, reset: isA ? 0x6400_0000 : isB ? 0x100 : 0)
    define(0x10, mask: 0)
    define(0x14, mask: 0xFFFF)
    define(0x18, mask: 0)
    define(0x1C, mask: 0x1_FFFF)
    define(0x20)
    define(0x24)
  }

  override func reset() {
    super.reset()
    drive()
  }

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == 0x10 else { return self[offset] }
    return (0..<16).reduce(0) { bank.level(of: first + $1) ? $0 | 1 << UInt32($1) : $0 }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x18: self[0x14] = self[0x14] & ~(value >> 16) | value & 0xFFFF
    case 0x00, 0x04, 0x0C, 0x14: break
    default: return
    }
    drive()
  }

  /// Tells the pins what the port does to them; what a peripheral does to one is not told.
  private func drive() {
    let time = chip.nanoseconds(chip.now)
    for pin in 0..<16 {
      let mode = self[0x00] >> UInt32(pin * 2) & 3
      let pull = self[0x0C] >> UInt32(pin * 2) & 3
      let isHigh = self[0x14] >> UInt32(pin) & 1 != 0
      let isOpenDrain = self[0x04] >> UInt32(pin) & 1 != 0
      var drive: PinBank.Drive = pull == 1 ? .pulled(true) : pull == 2 ? .pulled(false) : .floating
      if mode == 1, !isOpenDrain || !isHigh { drive = .driven(isHigh) }
      bank.set(first + pin, mode == 3 ? .floating : drive, at: time)
    }
  }
}
