import I2C

/// The bytes of a read or a write that the kernel has already taken from its caller, at the addresses from 0.
final class RequestMemory: I2CCallerMemory {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isWaiting: Bool { true }

  func read(
    _ address: UInt64, count: Int, into target: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool {
    guard address <= UInt64(bytes.count), count <= bytes.count - Int(address) else { return false }
    for index in 0..<count { target[offset + index] = bytes[Int(address) + index] }
    return true
  }

  func write(_ source: Span<UInt8>, to address: UInt64) -> Bool {
    guard address <= UInt64(bytes.count), source.count <= bytes.count - Int(address) else {
      return false
    }
    for index in source.indices { bytes[Int(address) + index] = source[index] }
    return true
  }
}
