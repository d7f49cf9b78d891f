import I2C
import VirtualI2C

/// A target that stores written bytes, returns counting bytes, and can fail in every way.
final class Echo: VirtualI2CDevice {
  var address: I2CAddress
  var refusesAddress = false
  /// The index of the written byte that the target NACKs; `nil` for none.
  var refusedByte: Int?
  /// The clock stretching at each byte, in nanoseconds.
  var stretch: UInt64 = 0

  private(set) var received: [UInt8] = []
  private(set) var starts: [I2CSegment.Direction] = []
  private(set) var stops = 0
  private(set) var times: [UInt64] = []
  private var next: UInt8 = 0

  init(_ address: I2CAddress) { self.address = address }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    starts.append(direction)
    times.append(time.nanoseconds)
    return !refusesAddress
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    if stretch > 0 { time.stretch(nanoseconds: stretch) }
    times.append(time.nanoseconds)
    guard received.count != refusedByte else { return false }
    received.append(byte)
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    times.append(time.nanoseconds)
    next += 1
    return next
  }

  func stop(at time: inout WireTime) { stops += 1 }

  private(set) var supply: [(isOn: Bool, time: UInt64)] = []
  func setSupply(_ isOn: Bool, at time: UInt64) { supply.append((isOn, time)) }
}
