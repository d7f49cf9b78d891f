import Machines

/// Ports B, C and D, pin change interrupts and INT0 and INT1.
final class Pins: IOBlock {
  /// The pins of the bank: PB0 to PB7, PC0 to PC6, PD0 to PD7; those of port C begin at 8, those of D at 16.
  static let names = "BCD".flatMap { port in (0..<8).map { "P\(port)\($0)" } }

  private unowned let chip: AvrChip
  private let bank: PinBank
  private var direction: [UInt8] = [0, 0, 0]
  private var output: [UInt8] = [0, 0, 0]
  private var seen: [UInt8] = [0, 0, 0]
  private var allowsPullUps = true
  private var edges: UInt8 = 0
  private var externalMask: UInt8 = 0
  private var externalFlags: UInt8 = 0
  private var changeControl: UInt8 = 0
  private var changeFlags: UInt8 = 0
  private var changeMasks: [UInt8] = [0, 0, 0]
  private var isDriving = false

  init(_ chip: AvrChip, _ bank: PinBank) {
    self.chip = chip
    self.bank = bank
    super.init()
    bank.didChange = { [unowned self] _ in if !isDriving { look() } }
  }

  override var addresses: [UInt16] {
    Array(0x23...0x2B) + [0x3B, 0x3C, 0x3D, 0x68, 0x69, 0x6B, 0x6C, 0x6D]
  }
  override var vectors: [Vector] { [.int0, .int1, .pinChange0, .pinChange1, .pinChange2] }

  override func reset() {
    for port in 0..<3 {
      (direction[port], output[port], changeMasks[port]) = (0, 0, 0)
      drive(port, changed: 0xFF)
    }
    (edges, externalMask, externalFlags, changeControl, changeFlags) = (0, 0, 0, 0, 0)
    for port in 0..<3 { seen[port] = level(port) }
    update()
  }

  /// PUD forbids or allows the resistors.
  func setPullUps(_ areAllowed: Bool) {
    guard areAllowed != allowsPullUps else { return }
    allowsPullUps = areAllowed
    for port in 0..<3 { drive(port, changed: ~direction[port] & output[port]) }
    look()
  }

  private func level(_ port: Int) -> UInt8 {
    (0..<8).reduce(0) { bank.level(of: port * 8 + $1) ? $0 | 1 << UInt8($1) : $0 }
  }

  private func drive(_ port: Int, changed: UInt8) {
    isDriving = true
    let time = chip.now
    for bit in 0..<8 where changed >> UInt8(bit) & 1 != 0 {
      let high = output[port] >> UInt8(bit) & 1 != 0
      let isOutput = direction[port] >> UInt8(bit) & 1 != 0
      let drive: PinBank.Drive =
        isOutput ? .driven(high) : high && allowsPullUps ? .pulled(true) : .floating
      bank.set(port * 8 + bit, drive, at: time)
    }
    isDriving = false
  }

  /// Notes what has changed at the pins.
  private func look() {
    for port in 0..<3 {
      let now = level(port)
      let changed = now ^ seen[port]
      seen[port] = now
      if changed & changeMasks[port] != 0 { changeFlags |= 1 << UInt8(port) }
      guard port == 2 else { continue }
      for number in 0..<2 as Range<UInt8> where changed >> (2 + number) & 1 != 0 {
        let sense = edges >> (2 * number) & 3
        let isHigh = now >> (2 + number) & 1 != 0
        if sense == 1 || sense == 2 && !isHigh || sense == 3 && isHigh {
          externalFlags |= 1 << number
        }
      }
    }
    update()
  }

  private func update() {
    for number in 0..<2 as Range<UInt8> {
      let isLevel = edges >> (2 * number) & 3 == 0 && seen[2] >> (2 + number) & 1 == 0
      let isDue = isLevel || externalFlags >> number & 1 != 0
      chip.request(number == 0 ? .int0 : .int1, isDue && externalMask >> number & 1 != 0)
    }
    let asked = changeFlags & changeControl
    chip.request(.pinChange0, asked & 1 != 0)
    chip.request(.pinChange1, asked & 2 != 0)
    chip.request(.pinChange2, asked & 4 != 0)
  }

  override func acknowledge(_ vector: Vector) {
    switch vector {
    case .int0: externalFlags &= ~1
    case .int1: externalFlags &= ~2
    case .pinChange0: changeFlags &= ~1
    case .pinChange1: changeFlags &= ~2
    default: changeFlags &= ~4
    }
    update()
  }

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case 0x23...0x2B:
      let port = Int(address - 0x23) / 3
      switch (address - 0x23) % 3 {
      case 0: return level(port)
      case 1: return direction[port]
      default: return output[port]
      }
    case 0x3B: return changeFlags
    case 0x3C: return externalFlags
    case 0x3D: return externalMask
    case 0x68: return changeControl
    case 0x69: return edges
    default: return changeMasks[Int(address - 0x6B)]
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0x23...0x2B: setPort(Int(address - 0x23) / 3, Int(address - 0x23) % 3, value)
    case 0x3B: changeFlags &= ~value
    case 0x3C: externalFlags &= ~value
    case 0x3D: externalMask = value & 3
    case 0x68: changeControl = value & 7
    case 0x69: edges = value & 15
    default: changeMasks[Int(address - 0x6B)] = value
    }
    update()
  }

  private func setPort(_ port: Int, _ register: Int, _ value: UInt8) {
    let (oldDirection, oldOutput) = (direction[port], output[port])
    switch register {
    case 0: output[port] ^= value
    case 1: direction[port] = value
    default: output[port] = value
    }
    drive(port, changed: (oldDirection ^ direction[port]) | (oldOutput ^ output[port]))
    look()
  }
}
