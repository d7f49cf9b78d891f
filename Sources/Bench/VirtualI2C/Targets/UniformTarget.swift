import I2C

/// Another chip in place of the one that is meant: it takes everything, and all its registers read alike.
final class UniformTarget: VirtualI2CDevice {
  let address: I2CAddress
  private let value: UInt8

  init(_ address: I2CAddress, reads value: UInt8) {
    self.address = address
    self.value = value
  }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool { true }
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool { true }
  func read(at time: inout WireTime) -> UInt8 { value }
  func stop(at time: inout WireTime) {}
}
