import VirtualI2C

/// A sensor of a tag as its firmware sees it: it is tested, then measured.
protocol TagSensor: AnyObject {
  /// The part on the bus, for faults; `nil` where the tag has none.
  var part: (any VirtualI2CDevice)? { get }
  /// How many bytes its data have.
  var length: Int { get }
  /// How long the firmware waits from the start of a measurement to its data, at least, in nanoseconds.
  var waitingTime: UInt64 { get }
  /// Finds the part and sets it; whether it is there.
  func test() -> Bool
  /// Measures and gives the data as they are sent; `nil` where the bus failed.
  func measure() -> [UInt8]?
}

/// A sensor that the real tag has and this one has not: its test fails.
final class AbsentSensor: TagSensor {
  let length: Int
  var part: (any VirtualI2CDevice)? { nil }
  var waitingTime: UInt64 { 0 }

  init(length: Int) { self.length = length }

  func test() -> Bool { false }
  func measure() -> [UInt8]? { nil }
}

/// Words and other numbers in little-endian order.
enum LittleEndian {
  /// The lowest bytes of a number, the lowest first.
  static func bytes(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
