import I2C
import VirtualI2C

/// An I2C target with 256 registers; reads continue from the register written last.
final class Registers: VirtualI2CDevice {
  let address: I2CAddress
  var bytes = [UInt8](repeating: 0, count: 256)
  /// The index of the written byte that is not acknowledged.
  var nackIndex: Int?
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
    if count == nackIndex { return false }
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
