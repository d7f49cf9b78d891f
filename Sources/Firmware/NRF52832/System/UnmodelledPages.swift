import Cores
import Machines

/// The peripherals that nobody models: each use is told once, and a register holds what was written.
final class UnmodelledPages: BusDevice {
  private let base: UInt32
  private let ledger: RegisterLedger
  private var words: [UInt32: UInt32] = [:]

  init(at base: UInt32, _ ledger: RegisterLedger) {
    self.base = base
    self.ledger = ledger
  }

  func reset() { words.removeAll(keepingCapacity: true) }

  private func note(_ offset: UInt32, _ bytes: UInt32, isWrite: Bool) {
    let address = base + offset & ~3
    if !FactoryWords.trims.contains(address) {
      ledger.note(address, bytes: bytes, isWrite: isWrite)
    }
  }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    note(offset, bytes, isWrite: false)
    let word = words[offset & ~3] ?? 0
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    note(offset, bytes, isWrite: true)
    guard bytes < 4 else {
      words[offset] = value
      return true
    }
    let shift = offset & 3 * 8
    let lanes: UInt32 = (1 << (bytes * 8) - 1) << shift
    words[offset & ~3] = (words[offset & ~3] ?? 0) & ~lanes | value << shift & lanes
    return true
  }
}
