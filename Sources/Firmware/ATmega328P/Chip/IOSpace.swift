import Cores
import Machines

/// The I/O registers as the core sees them: each belongs to a peripheral, or is memory that is told.
final class IOSpace: AvrPeripherals {
  /// Where a debugger of this architecture sees the data space.
  static let dataBase: UInt32 = 0x80_0000
  /// General purpose registers: memory and nothing else.
  private static let general: Set<UInt16> = [0x3E, 0x4A, 0x4B]
  /// Registers in which a written 1 does something and a 0 nothing: SBI there touches no other bit.
  private static let strobes: Set<UInt16> = [0x23, 0x26, 0x29, 0x35, 0x36, 0x37, 0x3B, 0x3C]

  private(set) var blocks: [IOBlock] = []
  private var owners = [IOBlock?](repeating: nil, count: 0x100)
  private var takers = [IOBlock?](repeating: nil, count: Vector.count)
  private var plain = [UInt8](repeating: 0, count: 0x100)
  private var ledger: RegisterLedger?
  private var polls: PollWatch?
  /// What is asked when the program sleeps, resets the watchdog, writes the flash.
  private var power: (any SleepKeeper)?
  private var memory: (any ProgramKeeper)?

  /// Adds a peripheral with its registers and interrupts.
  func add(_ block: IOBlock) {
    blocks.append(block)
    for address in block.addresses { owners[Int(address)] = block }
    for vector in block.vectors { takers[vector.rawValue] = block }
  }

  /// Lets go of the peripherals, which hold it: the part is not used any more.
  func dismantle() {
    blocks = []
    owners = []
    takers = []
    (ledger, polls, power, memory) = (nil, nil, nil, nil)
  }

  /// Ties it to what lies behind special instructions.
  func connect(
    _ ledger: RegisterLedger, _ polls: PollWatch, _ power: any SleepKeeper,
    _ memory: any ProgramKeeper
  ) {
    (self.ledger, self.polls, self.power, self.memory) = (ledger, polls, power, memory)
  }

  /// All registers get their values after a reset.
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

/// What SLEEP and WDR reach.
protocol SleepKeeper: AnyObject {
  /// Whether the core stops.
  func sleep() -> Bool
  /// An interrupt is taken: whatever slept goes on.
  func wake()
  func feedWatchdog()
}

/// What SPM and a special LPM reach.
protocol ProgramKeeper: AnyObject {
  func storeProgram(_ address: UInt16, _ word: UInt16)
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8
}
