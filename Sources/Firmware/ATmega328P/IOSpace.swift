import Cores
import Machines

/// The I/O registers of the core; each belongs to a peripheral, or is unmodelled and reported.
final class IOSpace: AvrPeripherals {
  /// The base of the data space in the addresses of an AVR debugger.
  static let dataBase: UInt32 = 0x80_0000
  static let GPIOR0: UInt16 = 0x3E
  static let GPIOR1: UInt16 = 0x4A
  static let GPIOR2: UInt16 = 0x4B
  /// The general purpose I/O registers, which are plain memory.
  private static let general: Set<UInt16> = [GPIOR0, GPIOR1, GPIOR2]
  /// The registers, such as PINx and flag registers, in which only bits written as 1 have an effect, so an SBI
  /// instruction affects no other bit.
  private static let strobes: Set<UInt16> = [
    PORT.PINB, PORT.PINB + 3, PORT.PINB + 6, TimerLayout.TIFR0, TimerLayout.TIFR1,
    TimerLayout.TIFR2, PORT.PCIFR, PORT.EIFR,
  ]

  private(set) var blocks: [IOBlock] = []
  private var owners = [IOBlock?](repeating: nil, count: 0x100)
  private var takers = [IOBlock?](repeating: nil, count: Vector.count)
  private var plain = [UInt8](repeating: 0, count: 0x100)
  private var ledger: UnmodelledRegisters?
  private var polls: PollWatch?
  /// The receiver of the instructions SLEEP and WDR; `memory` is the receiver of SPM and LPM.
  private var power: (any SleepController)?
  private var memory: (any ProgramMemoryController)?

  /// Adds a peripheral with its registers and interrupts.
  func add(_ block: IOBlock) {
    blocks.append(block)
    for address in block.addresses { owners[Int(address)] = block }
    for vector in block.vectors { takers[vector.rawValue] = block }
  }

  /// Releases the peripherals to break their reference cycles with the chip, which must not be used afterwards.
  func dismantle() {
    blocks = []
    owners = []
    takers = []
    (ledger, polls, power, memory) = (nil, nil, nil, nil)
  }

  /// Connects the recorders of register accesses, and the receivers of the instructions SLEEP, WDR, SPM and LPM.
  func connect(
    _ ledger: UnmodelledRegisters, _ polls: PollWatch, _ power: any SleepController,
    _ memory: any ProgramMemoryController
  ) {
    (self.ledger, self.polls, self.power, self.memory) = (ledger, polls, power, memory)
  }

  /// Sets all registers to their reset values.
  func reset() {
    for index in plain.indices { plain[index] = 0 }
    for block in blocks { block.reset() }
  }

  func read(_ address: UInt16) -> UInt8 {
    polls?.didRead()
    guard address < 0x100 else {
      note(address, isWrite: false)
      return 0
    }
    if let owner = owners[Int(address)] { return owner.read(address) }
    if !Self.general.contains(address) { note(address, isWrite: false) }
    return plain[Int(address)]
  }

  func write(_ address: UInt16, _ value: UInt8) {
    polls?.didWrite()
    guard address < 0x100 else { return note(address, isWrite: true) }
    if let owner = owners[Int(address)] { return owner.write(address, value) }
    if !Self.general.contains(address) { note(address, isWrite: true) }
    plain[Int(address)] = value
  }

  func change(_ address: UInt16, bit: UInt8, to isSet: Bool) {
    if Self.strobes.contains(address) {
      if isSet { write(address, 1 << bit) }
      return
    }
    let old = read(address)
    write(address, isSet ? old | 1 << bit : old & ~(1 << bit))
  }

  private func note(_ address: UInt16, isWrite: Bool) {
    ledger?.note(Self.dataBase + UInt32(address), bytes: 1, isWrite: isWrite)
  }

  func acknowledge(_ vector: Int) {
    power?.wake()
    guard let taken = Vector(rawValue: vector) else { return }
    takers[vector]?.acknowledge(taken)
  }

  func sleep() -> Bool { power?.sleep() ?? false }
  func resetWatchdog() { power?.feedWatchdog() }
  func storeProgram(_ address: UInt16, _ word: UInt16) { memory?.storeProgram(address, word) }
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8 {
    memory?.loadProgram(address, stored) ?? stored
  }
}

/// The receiver of the instructions SLEEP and WDR.
protocol SleepController: AnyObject {
  /// Enters the selected sleep mode; returns whether the core stops.
  func sleep() -> Bool
  /// Ends the sleep mode when an interrupt is taken.
  func wake()
  func feedWatchdog()
}

/// The receiver of SPM, and of LPM while SPMCSR selects signature, fuses or lock bits.
protocol ProgramMemoryController: AnyObject {
  func storeProgram(_ address: UInt16, _ word: UInt16)
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8
}

/// A peripheral with its I/O registers.
class IOBlock {
  /// The addresses of the peripheral's registers in the data space.
  var addresses: [UInt16] { [] }
  /// The interrupts for which `acknowledge(_:)` is called.
  var vectors: [Vector] { [] }

  /// Reads a register.
  func read(_ address: UInt16) -> UInt8 { 0 }
  /// Writes a register.
  func write(_ address: UInt16, _ value: UInt8) {}
  /// Clears the flag of an interrupt that the core takes.
  func acknowledge(_ vector: Vector) {}
  /// Sets all registers to their reset values.
  func reset() {}
  /// Responds to a stop of the I/O clock in the deeper sleep modes, or to its restart.
  func clock(runs: Bool) {}
}
