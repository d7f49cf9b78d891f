/// Memory as a debugger reads and writes it: without the MPU, privileges and watchpoints.
extension ArmCore {
  /// Reads a byte, registers with the effects that reading them has; `nil` where nothing is.
  package func readByte(_ address: UInt32) -> UInt8? {
    if Self.isOwn(address) {
      return UInt8(truncatingIfNeeded: readControl(address, bytes: 1))
    }
    return memory.read(address, bytes: 1).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Writes a byte, into memory that programs cannot write as well; what was decoded from it is forgotten.
  ///
  /// - Returns: whether there is anything that takes it.
  package func writeByte(_ address: UInt32, _ value: UInt8) -> Bool {
    if Self.isOwn(address) {
      writeControl(address, UInt32(value), bytes: 1)
      return true
    }
    guard let region = memory.region(at: address) else {
      return memory.write(address, UInt32(value), bytes: 1)
    }
    region.bytes.storeBytes(of: value, toByteOffset: Int(address &- region.base), as: UInt8.self)
    invalidate(address, count: 1)
    return true
  }
}
