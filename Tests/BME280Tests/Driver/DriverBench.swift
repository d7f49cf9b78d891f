import BME280
import BME280Model
import Environment
import I2C
import TestSupport
import VirtualI2C

/// A driver on a virtual bus with one sensor.
struct DriverBench {
  static let periph = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b" + "6e01001305001e"
  static let orangePi = "5c6e706818fc098e8ed6d00bac132b01f9ff8c3cf8c67017"

  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let sensor: VirtualBME280
  let driver: BME280Driver

  init(
    chip: Chip = .bme280, nvm: String? = nil, _ air: Air = .standard,
    quirks: I2CQuirks = .none, options: SensorOptions = SensorOptions(),
    variant: CompensationVariant = .datasheetInt64, faults: [PlannedFault] = []
  ) throws {
    adapter = VirtualAdapter(
      clock: clock, frequency: 400_000, quirks: quirks, faults: FaultPlan(faults))
    let digits = nvm ?? (chip == .bme280 ? Self.periph : Self.orangePi)
    var image = InlineArray<33, UInt8>(repeating: 0)
    for (index, byte) in bytes(digits).enumerated() { image[index] = byte }
    sensor = VirtualBME280(
      chip: chip, nvm: image, address: 0x76, air: ScriptedAir(constant: air), options: options)
    try adapter.attach(sensor)
    driver = BME280Driver(adapter: adapter, clock: clock, variant: variant)
  }
}

/// A target with registers set by a test, which records all writes.
final class StubChip: VirtualI2CDevice {
  let address: I2CAddress = 0x76
  var registers = [UInt8](repeating: 0, count: 256)
  /// Values returned by reads of a register instead of its contents.
  var answers: [UInt8: UInt8] = [:]
  private(set) var writes: [[UInt8]] = []
  private(set) var longestRead = 0
  private var pointer: UInt8 = 0
  private var received: [UInt8] = []
  private var readLength = 0

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    readLength = 0
    return true
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    received.append(byte)
    if received.count == 1 { pointer = byte }
    if received.count == 2 { registers[Int(pointer)] = byte }
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    defer { pointer &+= 1 }
    readLength += 1
    longestRead = max(longestRead, readLength)
    return answers[pointer] ?? registers[Int(pointer)]
  }

  func stop(at time: inout WireTime) {
    if received.count > 1 { writes.append(received) }
    received = []
  }
}
