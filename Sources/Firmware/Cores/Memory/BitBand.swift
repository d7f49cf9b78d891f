/// A stretch of addresses of which each word stands for one bit of another stretch.
///
/// A microcontroller whose core has it adds one at 0x22000000 for its RAM and one at 0x42000000 for its peripherals
/// (ARMv7-M's optional bit-banding; Cortex-M4 TRM, section 3.7). A store reads, changes and writes back what holds the
/// bit, in the width of the store.
package final class BitBand: BusDevice {
  /// The bytes of aliases for 1 MiB.
  package static let count: UInt32 = 32 << 20
  private unowned let memory: AddressSpace
  private let base: UInt32

  /// Creates aliases for the bits from an address on.
  package init(of base: UInt32, in memory: AddressSpace) {
    self.base = base
    self.memory = memory
  }

  /// Adds the aliases of RAM and of peripherals to an address space.
  package static func addBoth(to memory: AddressSpace) {
    memory.add(BitBand(of: 0x2000_0000, in: memory), at: 0x2200_0000, count: count)
    memory.add(BitBand(of: 0x4000_0000, in: memory), at: 0x4200_0000, count: count)
  }

  private func place(_ offset: UInt32, _ bytes: UInt32) -> (address: UInt32, bit: UInt32) {
    let byte = base &+ offset >> 5
    let address = byte & ~(bytes - 1)
    return (address, (byte - address) * 8 + offset >> 2 & 7)
  }

  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let (address, bit) = place(offset, bytes)
    return memory.read(address, bytes: bytes).map { $0 >> bit & 1 }
  }

  package func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let (address, bit) = place(offset, bytes)
    guard let old = memory.read(address, bytes: bytes) else { return false }
    return memory.write(address, old & ~(1 << bit) | (value & 1) << bit, bytes: bytes)
  }
}
