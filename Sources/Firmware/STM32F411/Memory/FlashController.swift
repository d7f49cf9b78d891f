import Cores
import Machines

/// FLASH: wait states, and how a program erases sectors and writes words of its own memory.
///
/// While it does, nothing can be fetched from the memory: the core waits, so that a program never sees BSY.
final class FlashController: Peripheral {
  /// Erase and program times from DS10314, typical with words of 32 bits.
  private static let writeTime: UInt64 = 16_000
  private static let sectors: [(start: UInt32, count: UInt32, time: UInt64)] =
    (0..<4).map { ($0 * 0x4000, 0x4000, 250_000_000) } + [(0x1_0000, 0x1_0000, 550_000_000)]
    + (0..<3).map { (0x2_0000 + $0 * 0x2_0000, 0x2_0000, 1_000_000_000) }
  private let flash: MachineMemory
  private var keys: [UInt32] = []
  private var optionKeys: [UInt32] = []
  /// A wrong key locks until the next reset.
  private var isStuck = false
  private lazy var window = FlashWindow(self)

  init(_ flash: MachineMemory, _ chip: Silicon) {
    self.flash = flash
    super.init(at: 0x4002_3C00, chip)
    define(0x00, mask: 0x0000_1F0F)
    define(0x04, mask: 0)
    define(0x08, mask: 0)
    define(0x0C, mask: 0)
    define(0x10, mask: 0x8301_037F, reset: 0x8000_0000)
    define(0x14, mask: 0x3, reset: 0x0FFF_AAED)
    for base: UInt32 in [0, 0x0800_0000] { chip.memory.add(window, at: base, count: flash.count) }
  }

  override func reset() {
    super.reset()
    (keys, optionKeys, isStuck) = ([], [], false)
  }

  private var isLocked: Bool { self[0x10] >> 31 != 0 }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00: chip.core.waitStates = UInt64(value & 15)
    case 0x04: unlock(value, &keys, [0x4567_0123, 0xCDEF_89AB], register: 0x10, bit: 31)
    case 0x08: unlock(value, &optionKeys, [0x0819_2A3B, 0x4C5D_6E7F], register: 0x14, bit: 0)
    case 0x0C:
      self[0x0C] = before & ~(value & 0xF3)
      chip.setLine(4, self[0x10] >> 24 & 1 != 0 && self[0x0C] & 1 != 0)
    case 0x10:
      if before >> 31 != 0 {
        self[0x10] = before
      } else if value >> 16 & 1 != 0 {
        self[0x10] &= ~(1 << 16)
        erase()
      }
    case 0x14: if before & 1 != 0 { self[0x14] = before }
    default: break
    }
  }

  private func unlock(
    _ key: UInt32, _ given: inout [UInt32], _ wanted: [UInt32], register: UInt32, bit: UInt32
  ) {
    guard !isStuck else { return }
    given.append(key)
    guard given == Array(wanted.prefix(given.count)) else {
      isStuck = true
      return
    }
    if given.count == wanted.count {
      self[register] &= ~(1 << bit)
      given = []
    }
  }

  private func erase() {
    let control = self[0x10]
    if control & 4 != 0 {
      clear(0, flash.count, time: 8_000_000_000)
    } else if control & 2 != 0, let sector = Self.sectors[safe: Int(control >> 3 & 15)] {
      clear(sector.start, sector.count, time: sector.time)
    } else {
      self[0x0C] |= 1 << 7
    }
  }

  private func clear(_ start: UInt32, _ count: UInt32, time: UInt64) {
    (flash.bytes + Int(start)).initializeMemory(
      as: UInt8.self, repeating: 0xFF, count: Int(count))
    didChange(start, count, time: time)
  }

  /// A program's store into the memory: bits only go from 1 to 0.
  fileprivate func program(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let control = self[0x10]
    guard !isLocked, control & 1 != 0 else {
      self[0x0C] |= 1 << 7
      return true
    }
    guard bytes == 1 << (control >> 8 & 3), offset & (bytes - 1) == 0 else {
      self[0x0C] |= 1 << 6
      return true
    }
    for index in 0..<bytes {
      let place = flash.bytes + Int(offset + index)
      let old = place.load(as: UInt8.self)
      place.storeBytes(of: old & UInt8(truncatingIfNeeded: value >> (index * 8)), as: UInt8.self)
    }
    didChange(offset, bytes, time: Self.writeTime)
    return true
  }

  private func didChange(_ offset: UInt32, _ count: UInt32, time: UInt64) {
    for base: UInt32 in [0, 0x0800_0000] { chip.core.invalidate(base + offset, count: count) }
    flash.didChange?(Int(offset), Int(count))
    chip.core.cycles += time / 1000 * chip.run.clock.frequency / 1_000_000
    if self[0x10] >> 24 & 1 != 0 {
      self[0x0C] |= 1
      chip.setLine(4, true)
    }
  }
}

/// The addresses of the memory, for stores.
private final class FlashWindow: BusDevice {
  private unowned let controller: FlashController

  init(_ controller: FlashController) { self.controller = controller }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? { nil }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    controller.program(offset, value, bytes: bytes)
  }
}

extension Array {
  /// The element at an index; `nil` where there is none.
  fileprivate subscript(safe index: Int) -> Element? { index < count ? self[index] : nil }
}
