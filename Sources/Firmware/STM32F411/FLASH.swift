import Cores
import Machines

/// FLASH: wait states, sector erase and programming by the running program.
///
/// The core is halted during an erase or a write, because it cannot fetch instructions. A program therefore never reads
/// BSY as set.
final class FLASH: Peripheral {
  static let ACR: UInt32 = 0x00
  static let KEYR: UInt32 = 0x04
  static let OPTKEYR: UInt32 = 0x08
  static let SR: UInt32 = 0x0C
  static let CR: UInt32 = 0x10
  static let OPTCR: UInt32 = 0x14

  /// Bits of CR.
  private enum Control {
    static let PG: UInt32 = 1, SER: UInt32 = 1 << 1, MER: UInt32 = 1 << 2
    static let STRT: UInt32 = 1 << 16, EOPIE: UInt32 = 1 << 24
  }
  /// Bits of SR.
  private enum Status {
    static let EOP: UInt32 = 1, PGPERR: UInt32 = 1 << 6, PGSERR: UInt32 = 1 << 7
  }
  /// The time in nanoseconds to program a 32-bit word (typical, DS10314).
  private static let writeTime: UInt64 = 16_000
  /// The start, the size in bytes and the erase time in nanoseconds (typical, DS10314) of each sector.
  private let sectors: [(start: UInt32, count: UInt32, time: UInt64)]
  private let flash: MachineMemory
  private var keys: [UInt32] = []
  private var optionKeys: [UInt32] = []
  /// `true` if a wrong key has locked the registers until the next reset.
  private var isStuck = false
  private lazy var window = FlashWindow(self)

  init(_ flash: MachineMemory, _ chip: Chip) {
    self.flash = flash
    sectors =
      (0..<4).map { ($0 * 0x4000, 0x4000, 250_000_000) } + [(0x1_0000, 0x1_0000, 550_000_000)]
      + (1..<flash.count / 0x2_0000).map { ($0 * 0x2_0000, 0x2_0000, 1_000_000_000) }
    super.init(at: 0x4002_3C00, chip)
    define(FLASH.ACR, mask: 0x0000_1F0F)
    define(FLASH.KEYR, mask: 0)
    define(FLASH.OPTKEYR, mask: 0)
    define(FLASH.SR, mask: 0)
    define(FLASH.CR, mask: 0x8301_037F, reset: 0x8000_0000)
    define(FLASH.OPTCR, mask: 0x3, reset: 0x0FFF_AAED)
    for base: UInt32 in [0, 0x0800_0000] { chip.memory.add(window, at: base, count: flash.count) }
  }

  override func reset() {
    super.reset()
    (keys, optionKeys, isStuck) = ([], [], false)
  }

  private var isLocked: Bool { self[FLASH.CR] >> 31 != 0 }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case FLASH.ACR: chip.core.waitStates = UInt64(value & 15)
    case FLASH.KEYR: unlock(value, &keys, [0x4567_0123, 0xCDEF_89AB], register: FLASH.CR, bit: 31)
    case FLASH.OPTKEYR:
      unlock(value, &optionKeys, [0x0819_2A3B, 0x4C5D_6E7F], register: FLASH.OPTCR, bit: 0)
    case FLASH.SR:
      self[FLASH.SR] = before & ~(value & 0xF3)
      chip.setLine(4, self[FLASH.CR] & Control.EOPIE != 0 && self[FLASH.SR] & Status.EOP != 0)
    case FLASH.CR:
      if before >> 31 != 0 {
        self[FLASH.CR] = before
      } else if value & Control.STRT != 0 {
        self[FLASH.CR] &= ~Control.STRT
        erase()
      }
    case FLASH.OPTCR: if before & 1 != 0 { self[FLASH.OPTCR] = before }
    default: break
    }
  }

  private func unlock(
    _ key: UInt32, _ written: inout [UInt32], _ expected: [UInt32], register: UInt32, bit: UInt32
  ) {
    guard !isStuck else { return }
    written.append(key)
    guard written == Array(expected.prefix(written.count)) else {
      isStuck = true
      return
    }
    if written.count == expected.count {
      self[register] &= ~(1 << bit)
      written = []
    }
  }

  private func erase() {
    let control = self[FLASH.CR]
    if control & Control.MER != 0 {
      clear(0, flash.count, time: 8_000_000_000)
    } else if control & Control.SER != 0, let sector = sectors[safe: Int(control >> 3 & 15)] {
      clear(sector.start, sector.count, time: sector.time)
    } else {
      self[FLASH.SR] |= Status.PGSERR
    }
  }

  private func clear(_ start: UInt32, _ count: UInt32, time: UInt64) {
    (flash.bytes + Int(start)).initializeMemory(
      as: UInt8.self, repeating: 0xFF, count: Int(count))
    didChange(start, count, time: time)
  }

  /// Applies a program's store to flash, which can change bits only from 1 to 0.
  fileprivate func program(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let control = self[FLASH.CR]
    guard !isLocked, control & Control.PG != 0 else {
      self[FLASH.SR] |= Status.PGSERR
      return true
    }
    guard bytes == 1 << (control >> 8 & 3), offset & (bytes - 1) == 0 else {
      self[FLASH.SR] |= Status.PGPERR
      return true
    }
    for index in 0..<bytes {
      let target = flash.bytes + Int(offset + index)
      let old = target.load(as: UInt8.self)
      target.storeBytes(of: old & UInt8(truncatingIfNeeded: value >> (index * 8)), as: UInt8.self)
    }
    didChange(offset, bytes, time: Self.writeTime)
    return true
  }

  private func didChange(_ offset: UInt32, _ count: UInt32, time: UInt64) {
    for base: UInt32 in [0, 0x0800_0000] { chip.core.invalidate(base + offset, count: count) }
    flash.didChange?(Int(offset), Int(count))
    chip.core.cycles += time / 1000 * chip.run.clock.frequency / 1_000_000
    if self[FLASH.CR] & Control.EOPIE != 0 {
      self[FLASH.SR] |= Status.EOP
      chip.setLine(4, true)
    }
  }
}

/// The bus device that receives a program's stores to flash.
private final class FlashWindow: BusDevice {
  private unowned let controller: FLASH

  init(_ controller: FLASH) { self.controller = controller }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? { nil }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    controller.program(offset, value, bytes: bytes)
  }
}

extension Array {
  /// The element at an index; `nil` if the index is out of range.
  fileprivate subscript(safe index: Int) -> Element? { index < count ? self[index] : nil }
}
