/// Loads and stores that are not plain: the core's own registers, unaligned ones, devices, and code.
extension ArmCore {
  /// The addresses of the core's own registers.
  private static let own: UInt32 = 0xE000_0000

  /// Reads 1, 2 or 4 bytes; a negative number is a fault.
  func slowLoad(_ address: UInt32, _ bytes: UInt32) -> Int64 {
    guard address & (bytes - 1) == 0 else {
      var value: UInt32 = 0
      for index in 0..<bytes {
        let byte = slowLoad(address &+ index, 1)
        guard byte >= 0 else { return -1 }
        value |= UInt32(truncatingIfNeeded: byte) << (index * 8)
      }
      return Int64(value)
    }
    if address >> 20 == Self.own >> 20 {
      return Int64(readControl(address, bytes: bytes))
    }
    guard let value = memory.read(address, bytes: bytes) else { return -1 }
    return Int64(value)
  }

  /// Writes 1, 2 or 4 bytes; `false` is a fault.
  func slowStore(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool {
    guard address & (bytes - 1) == 0 else {
      for index in 0..<bytes {
        guard slowStore(address &+ index, value >> (index * 8) & 0xFF, 1) else { return false }
      }
      return true
    }
    if address >> 20 == Self.own >> 20 {
      writeControl(address, value, bytes: bytes)
      return true
    }
    guard memory.write(address, value, bytes: bytes) else { return false }
    if address < AddressSpace.plainLimit,
      state.pointee.decoded[Int(address >> AddressSpace.pageBits)] != nil
    {
      invalidate(address, count: bytes)
    }
    return true
  }
}
