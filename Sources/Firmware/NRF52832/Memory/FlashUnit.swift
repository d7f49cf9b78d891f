import Cores
import Machines

/// NVMC: erases pages of flash and lets programs write words; the core waits meanwhile.
final class FlashUnit: TaskPeripheral {
  static let pageSize: UInt32 = 4096
  /// Times in microseconds.
  ///
  /// Product specification v1.4, NVMC, electrical specification: a word 67.5 at most, a page
  /// 89,700 at most, all of it 295,300 at most.
  private static let wordTime = 67.5
  private static let pageTime = 89_700.0
  private static let allTime = 295_300.0

  private let flash: MachineMemory
  private let settings: MachineMemory

  init(flash: MachineMemory, settings: MachineMemory, _ die: Die) {
    (self.flash, self.settings) = (flash, settings)
    super.init(30, events: [], die)
    define(0x504, mask: 3)
    define(0x540, mask: 0x101)
    define(0x548)
    define(0x54C)
    let takes = { [unowned self] (memory: MachineMemory) in
      FlashWrites { [unowned self] in program(memory, $0, $1, bytes: $2) }
    }
    writes = [takes(flash), takes(settings)]
    die.memory.add(writes[0], at: flash.base, count: flash.count)
    die.memory.add(writes[1], at: settings.base, count: settings.count)
  }

  private var writes: [FlashWrites] = []

  /// Holds the core for as long as flash is busy.
  private func wait(_ microseconds: Double) {
    let now = die.now
    die.energy(.flash, true, at: now)
    die.core.cycles = die.cycle(now, plus: microseconds)
    die.energy(.flash, false, at: die.now)
  }

  /// A program's store into flash, where it lets it: bits go from 1 to 0 only.
  private func program(
    _ memory: MachineMemory, _ offset: UInt32, _ value: UInt32, bytes: UInt32
  ) -> Bool {
    guard self[0x504] & 3 == 1, bytes == 4, offset & 3 == 0 else { return false }
    let place = memory.bytes + Int(offset)
    let word = place.load(as: UInt32.self)
    place.storeBytes(of: word & value.littleEndian, as: UInt32.self)
    die.core.invalidate(memory.base + offset, count: 4)
    wait(Self.wordTime)
    memory.didChange?(Int(offset), 4)
    return true
  }

  private func erase(_ memory: MachineMemory, _ offset: UInt32, count: UInt32) {
    (memory.bytes + Int(offset)).initializeMemory(
      as: UInt8.self, repeating: 0xFF, count: Int(count))
    die.core.invalidate(memory.base + offset, count: count)
    memory.didChange?(Int(offset), Int(count))
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x400, 0x408: 1
    case 0x508, 0x50C, 0x510, 0x514: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x508, 0x510:
      guard self[0x504] & 3 == 2, value < flash.count else { return true }
      erase(flash, value & ~(Self.pageSize - 1), count: Self.pageSize)
      wait(Self.pageTime)
    case 0x50C:
      guard self[0x504] & 3 == 2, value & 1 != 0 else { return true }
      erase(flash, 0, count: flash.count)
      erase(settings, 0, count: settings.count)
      wait(Self.allTime)
    case 0x514:
      guard self[0x504] & 3 == 2, value & 1 != 0 else { return true }
      erase(settings, 0, count: settings.count)
      wait(Self.pageTime)
    default: return false
    }
    return true
  }
}

/// Takes what programs store where flash lies.
private final class FlashWrites: BusDevice {
  private let program: (_ offset: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool

  init(_ program: @escaping (_ offset: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool) {
    self.program = program
  }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? { nil }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    program(offset, value, bytes)
  }
}
