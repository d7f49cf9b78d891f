import Machines

/// Ports B, C and D, the pin change interrupts, INT0 and INT1.
final class PORT: IOBlock {
  /// The address of PINB; those of DDRB, PORTB, PINC, DDRC, PORTC, PIND, DDRD and PORTD follow.
  static let PINB: UInt16 = 0x23
  static let PORTD: UInt16 = 0x2B
  static let PCIFR: UInt16 = 0x3B
  static let EIFR: UInt16 = 0x3C
  static let EIMSK: UInt16 = 0x3D
  static let PCICR: UInt16 = 0x68
  static let EICRA: UInt16 = 0x69
  static let PCMSK0: UInt16 = 0x6B
  static let PCMSK1: UInt16 = 0x6C
  static let PCMSK2: UInt16 = 0x6D

  /// The names of the pins in the bank: port B from index 0, port C from 8, port D from 16.
  static let names = "BCD".flatMap { port in (0..<8).map { "P\(port)\($0)" } }

  /// The names of the pins on an Arduino Uno: D0 to D13 and A0 to A5.
  static let aliases = Dictionary(
    uniqueKeysWithValues: (0..<14).map { ("D\($0)", $0 < 8 ? 16 + $0 : $0 - 8) }
      + (0..<6).map { ("A\($0)", 8 + $0) })

  private unowned let chip: Chip
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
  /// The pins of each port that timers drive, and their levels.
  private var connected: [UInt8] = [0, 0, 0], connectedLevels: [UInt8] = [0, 0, 0]
  /// A callback for edges at the inputs of timers.
  var timerInputDidChange: (TimerInput, _ isHigh: Bool) -> Void = { _, _ in }
  /// A callback before the program reads pins, whose levels timers may have to update.
  var pinsWillBeRead: () -> Void = {}

  init(_ chip: Chip, _ bank: PinBank) {
    self.chip = chip
    self.bank = bank
    super.init()
    bank.didChange = { [unowned self] _ in if !isDriving { detectChanges() } }
  }

  override var addresses: [UInt16] {
    Array(PORT.PINB...PORT.PORTD) + [
      PORT.PCIFR, PORT.EIFR, PORT.EIMSK, PORT.PCICR, PORT.EICRA,
      PORT.PCMSK0, PORT.PCMSK1, PORT.PCMSK2,
    ]
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

  /// Enables or disables all pull-up resistors, as the bit PUD of MCUCR selects.
  func setPullUps(_ areAllowed: Bool) {
    guard areAllowed != allowsPullUps else { return }
    allowsPullUps = areAllowed
    for port in 0..<3 { drive(port, changed: ~direction[port] & output[port]) }
    detectChanges()
  }

  private func level(_ port: Int) -> UInt8 {
    (0..<8).reduce(0) { bank.level(of: port * 8 + $1) ? $0 | 1 << UInt8($1) : $0 }
  }

  private func drive(_ port: Int, changed: UInt8) {
    isDriving = true
    let time = chip.eventCycle.map(chip.clock.nanoseconds) ?? chip.now
    for bit in 0..<8 where changed >> UInt8(bit) & 1 != 0 {
      let isConnected = connected[port] >> UInt8(bit) & 1 != 0
      let source = isConnected ? connectedLevels[port] : output[port]
      let high = source >> UInt8(bit) & 1 != 0
      let isOutput = direction[port] >> UInt8(bit) & 1 != 0
      let drive: PinBank.Drive =
        isOutput
        ? .driven(high)
        : output[port] >> UInt8(bit) & 1 != 0 && allowsPullUps ? .pulled(true) : .floating
      bank.set(port * 8 + bit, drive, at: time)
    }
    isDriving = false
  }

  /// `true` if the exact times of the changes of a pin matter.
  func isObserved(_ pin: Int) -> Bool {
    let (port, bit) = (pin / 8, UInt8(pin % 8))
    return bank.isObserved(pin)
      || changeControl >> UInt8(port) & 1 != 0 && changeMasks[port] >> bit & 1 != 0
      || port == 2 && (2...3).contains(bit) && externalMask >> (bit - 2) & 1 != 0
  }

  /// Lets a timer drive a pin that is an output; `nil` returns the pin to the output register.
  func connect(_ pin: Int, _ level: Bool?) {
    let (port, bit) = (pin / 8, UInt8(1) << UInt8(pin % 8))
    let before = (connected[port], connectedLevels[port])
    connected[port] = level == nil ? before.0 & ~bit : before.0 | bit
    connectedLevels[port] = level == true ? before.1 | bit : before.1 & ~bit
    guard before != (connected[port], connectedLevels[port]), direction[port] & bit != 0 else {
      return
    }
    drive(port, changed: bit)
    detectChanges()
  }

  /// Detects changes of the pins and sets the interrupt flags.
  private func detectChanges() {
    for port in 0..<3 {
      let now = level(port)
      let changed = now ^ seen[port]
      seen[port] = now
      if changed & changeMasks[port] != 0 { changeFlags |= 1 << UInt8(port) }
      for input in TimerInput.allCases where input.port == port && changed & input.bit != 0 {
        timerInputDidChange(input, now & input.bit != 0)
      }
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
    let requested = changeFlags & changeControl
    chip.request(.pinChange0, requested & 1 != 0)
    chip.request(.pinChange1, requested & 2 != 0)
    chip.request(.pinChange2, requested & 4 != 0)
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
    case PORT.PINB...PORT.PORTD:
      let port = Int(address - PORT.PINB) / 3
      switch (address - PORT.PINB) % 3 {
      case 0:
        if connected[port] != 0 { pinsWillBeRead() }
        return level(port)
      case 1: return direction[port]
      default: return output[port]
      }
    case PORT.PCIFR: return changeFlags
    case PORT.EIFR: return externalFlags
    case PORT.EIMSK: return externalMask
    case PORT.PCICR: return changeControl
    case PORT.EICRA: return edges
    default: return changeMasks[Int(address - PORT.PCMSK0)]
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case PORT.PINB...PORT.PORTD:
      setPort(Int(address - PORT.PINB) / 3, Int(address - PORT.PINB) % 3, value)
    case PORT.PCIFR: changeFlags &= ~value
    case PORT.EIFR: externalFlags &= ~value
    case PORT.EIMSK: externalMask = value & 3
    case PORT.PCICR: changeControl = value & 7
    case PORT.EICRA: edges = value & 15
    default: changeMasks[Int(address - PORT.PCMSK0)] = value
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
    detectChanges()
  }
}

/// A pin that clocks a timer or captures its count.
enum TimerInput: CaseIterable {
  /// PB0, PD4 and PD5.
  case ICP1, T0, T1

  var port: Int { self == .ICP1 ? 0 : 2 }
  var bit: UInt8 { self == .ICP1 ? 1 : self == .T0 ? 1 << 4 : 1 << 5 }
}
