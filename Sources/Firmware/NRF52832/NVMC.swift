import Cores
import Machines

/// NVMC, which erases pages of flash and enables word writes; the core is halted during each erase and write.
package final class NVMC: TaskPeripheral {
  package static let READY: UInt32 = 0x400
  package static let READYNEXT: UInt32 = 0x408
  package static let CONFIG: UInt32 = 0x504
  /// ERASEPAGE, also named ERASEPCR1.
  package static let ERASEPAGE: UInt32 = 0x508
  package static let ERASEALL: UInt32 = 0x50C
  package static let ERASEPCR0: UInt32 = 0x510
  package static let ERASEUICR: UInt32 = 0x514
  package static let ICACHECNF: UInt32 = 0x540
  package static let IHIT: UInt32 = 0x548
  package static let IMISS: UInt32 = 0x54C

  static let pageSize: UInt32 = 4096
  /// Times in microseconds.
  ///
  /// Maxima from product specification v1.4, NVMC, electrical specification: a word 67.5, a page 89,700, the whole
  /// flash 295,300.
  private static let wordTime = 67.5
  private static let pageTime = 89_700.0
  private static let allTime = 295_300.0

  private let flash: MachineMemory
  private let uicr: MachineMemory

  init(flash: MachineMemory, uicr: MachineMemory, _ chip: Chip) {
    (self.flash, self.uicr) = (flash, uicr)
    super.init(30, events: [], chip)
    define(NVMC.CONFIG, mask: 3)
    define(NVMC.ICACHECNF, mask: 0x101)
    define(NVMC.IHIT)
    define(NVMC.IMISS)
    let window = { [unowned self] (memory: MachineMemory) in
      FlashWrites { [unowned self] in program(memory, $0, $1, bytes: $2) }
    }
    writes = [window(flash), window(uicr)]
    chip.memory.add(writes[0], at: flash.base, count: flash.count)
    chip.memory.add(writes[1], at: uicr.base, count: uicr.count)
  }

  private var writes: [FlashWrites] = []

  /// Halts the core for as long as flash is busy.
  private func wait(_ microseconds: Double) {
    let now = chip.now
    chip.energy(.nvmc, true, at: now)
    chip.core.cycles = chip.cycle(now, plus: microseconds)
    chip.energy(.nvmc, false, at: chip.now)
  }

  /// Applies a program's store to flash while CONFIG enables writes; it can change bits only from 1 to 0.
  private func program(
    _ memory: MachineMemory, _ offset: UInt32, _ value: UInt32, bytes: UInt32
  ) -> Bool {
    guard self[NVMC.CONFIG] & 3 == 1, bytes == 4, offset & 3 == 0 else { return false }
    let target = memory.bytes + Int(offset)
    let word = target.load(as: UInt32.self)
    target.storeBytes(of: word & value.littleEndian, as: UInt32.self)
    chip.core.invalidate(memory.base + offset, count: 4)
    wait(Self.wordTime)
    memory.didChange?(Int(offset), 4)
    return true
  }

  private func erase(_ memory: MachineMemory, _ offset: UInt32, count: UInt32) {
    (memory.bytes + Int(offset)).initializeMemory(
      as: UInt8.self, repeating: 0xFF, count: Int(count))
    chip.core.invalidate(memory.base + offset, count: count)
    memory.didChange?(Int(offset), Int(count))
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case NVMC.READY, NVMC.READYNEXT: 1
    case NVMC.ERASEPAGE, NVMC.ERASEALL, NVMC.ERASEPCR0, NVMC.ERASEUICR: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case NVMC.ERASEPAGE, NVMC.ERASEPCR0:
      guard self[NVMC.CONFIG] & 3 == 2, value < flash.count else { return true }
      erase(flash, value & ~(Self.pageSize - 1), count: Self.pageSize)
      wait(Self.pageTime)
    case NVMC.ERASEALL:
      guard self[NVMC.CONFIG] & 3 == 2, value & 1 != 0 else { return true }
      erase(flash, 0, count: flash.count)
      erase(uicr, 0, count: uicr.count)
      wait(Self.allTime)
    case NVMC.ERASEUICR:
      guard self[NVMC.CONFIG] & 3 == 2, value & 1 != 0 else { return true }
      erase(uicr, 0, count: uicr.count)
      wait(Self.pageTime)
    default: return false
    }
    return true
  }
}

/// The bus device that receives a program's stores to flash.
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

/// FICR: the factory information, by offset.
///
/// The sizes of the memories are in KB, that of a page of flash is 4,096 bytes.
enum FICR {
  static let CODEPAGESIZE = 0x010
  static let CODESIZE = 0x014
  /// DEVICEID[0], the first of two.
  static let DEVICEID = 0x060
  static let DEVICEADDRTYPE = 0x0A0
  /// DEVICEADDR[0], the first of two.
  static let DEVICEADDR = 0x0A4
  static let INFO_PART = 0x100
  static let INFO_VARIANT = 0x104
  static let INFO_PACKAGE = 0x108
  static let INFO_RAM = 0x10C
  static let INFO_FLASH = 0x110
  /// Two undocumented words from which start-up code reads the chip's revision.
  static let revision = 0x130
  /// TEMP.A0; A1 to A5, B0 to B5 and T0 to T4 follow.
  static let TEMP_A0 = 0x404

  /// Returns the words that differ from the erased state; the identity of the chip is derived from a seed.
  static func words(
    _ model: NRF52832.Model, seed: UInt64
  ) -> [(offset: Int, word: UInt32)] {
    let low = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    let high = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0xBF58_476D_1CE4_E5B9) >> 32)
    let words: [(offset: Int, word: UInt32)] = [
      (CODEPAGESIZE, 4096), (CODESIZE, model.flash / 4096), (DEVICEID, low), (DEVICEID + 4, high),
      (DEVICEADDRTYPE, 0xFFFF_FFFF), (DEVICEADDR, high ^ low),
      (DEVICEADDR + 4, 0xFFFF_0000 | low & 0xFFFF),
      (INFO_PART, model.part), (INFO_VARIANT, model.variant), (INFO_PACKAGE, model.package),
      (INFO_RAM, model.ram / 1024), (INFO_FLASH, model.flash / 1024), (revision, model.revision.0),
      (revision + 4, model.revision.1),
    ]
    return words + temperature.enumerated().map { (TEMP_A0 + $0.offset * 4, $0.element) }
  }

  /// Slopes A0 to A5, intercepts B0 to B5 and end points T0 to T4: the reset values of TEMP's registers.
  private static let temperature: [UInt32] = [
    0x320, 0x343, 0x35D, 0x400, 0x452, 0x37B,
    0x3FCC, 0x3F98, 0x3F98, 0x12, 0x6A, 0x3DD0,
    0xE2, 0, 0x14, 0x19, 0x50,
  ]

  /// The register of COMP to which start-up code copies a trim value (erratum 12); it has no effect in the model.
  static let trims: [UInt32] = [0x4001_3540]
}

/// UICR: the user information, by offset.
enum UICR {
  /// PSELRESET[0], the first of two.
  static let PSELRESET = 0x200

  /// Returns the words of a new module: its reset pin is selected, so that start-up code need not write it.
  static func words(_ model: NRF52832.Model) -> [(offset: Int, word: UInt32)] {
    [(PSELRESET, model.resetPin), (PSELRESET + 4, model.resetPin)]
  }
}
