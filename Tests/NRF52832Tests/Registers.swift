import I2C
import VirtualI2C

/// A target with 256 registers that holds what is written; reads go on from the register written last.
final class Registers: VirtualI2CDevice {
  let address: I2CAddress
  var bytes = [UInt8](repeating: 0, count: 256)
  /// The index of the byte of a write that is not acknowledged.
  var refused: Int?
  private(set) var stops = 0
  private var register: UInt8 = 0
  private var count = 0

  init(at address: I2CAddress) {
    self.address = address
    for index in 0..<256 { bytes[index] = UInt8(index) ^ 0xA5 }
  }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    count = 0
    return true
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    defer { count += 1 }
    if count == refused { return false }
    if count == 0 {
      register = byte
    } else {
      bytes[Int(register)] = byte
      register &+= 1
    }
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    defer { register &+= 1 }
    return bytes[Int(register)]
  }

  func stop(at time: inout WireTime) { stops += 1 }
}
