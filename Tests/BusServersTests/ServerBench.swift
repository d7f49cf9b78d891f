import BusServers
import I2C
import VirtualI2C

/// A part of 256 registers with a pointer byte; it does not acknowledge a write to register 0xFF.
final class RegisterPart: VirtualI2CDevice {
  let address: I2CAddress
  var registers = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private(set) var stops = 0
  private var pointer: UInt8?
  private var next: UInt8 = 0

  init(_ address: I2CAddress) { self.address = address }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    if direction == .write { pointer = nil }
    return true
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    guard pointer != nil else {
      pointer = byte
      next = byte
      return true
    }
    guard next != 0xFF else { return false }
    registers[Int(next)] = byte
    next &+= 1
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    defer { next &+= 1 }
    return registers[Int(next)]
  }

  func stop(at time: inout WireTime) { stops += 1 }
  func setSupply(_ isOn: Bool, at time: UInt64) {}
}

/// A served bus with one part at 0x50.
struct ServerBench {
  let clock = VirtualClock()
  let part = RegisterPart(0x50)
  let adapter: VirtualAdapter
  let bus: ServedBus

  init(faults: FaultPlan = FaultPlan()) throws {
    adapter = VirtualAdapter(clock: clock, faults: faults)
    try adapter.attach(part)
    bus = ServedBus(adapter, clock)
  }
}

extension StreamSession {
  /// Consumes all complete messages.
  func consume(_ received: inout [UInt8]) throws(ProtocolError) -> [UInt8] {
    var answers: [UInt8] = []
    while let answer = try next(&received) { answers += answer }
    return answers
  }
}

extension [UInt8] {
  /// Appends an integer, little-endian.
  mutating func little<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends an integer, big-endian.
  mutating func big<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
