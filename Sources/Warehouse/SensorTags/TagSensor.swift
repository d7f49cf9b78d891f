import BME280
import BME280Model
import Chips
import Environment
import I2C
import VirtualI2C

/// A sensor of a tag, as the firmware uses it: the firmware tests the sensor and then measures with
/// it.
protocol TagSensor: AnyObject {
  /// The part on the bus, for fault injection; `nil` if the sensor has no simulated part.
  var part: (any VirtualI2CDevice)? { get }
  /// The length of the sensor's data in bytes.
  var length: Int { get }
  /// The minimum time between starting a measurement and reading its data, in nanoseconds.
  var waitingTime: UInt64 { get }
  /// Tests and configures the part.
  ///
  /// - Returns: `true` if the part responds.
  func test() -> Bool
  /// Measures, and returns the data that the tag notifies; returns `nil` on a bus error.
  func measure() -> [UInt8]?
}

/// A sensor of the real tag that is not simulated, so its test always fails.
final class AbsentSensor: TagSensor {
  let length: Int
  var part: (any VirtualI2CDevice)? { nil }
  var waitingTime: UInt64 { 0 }

  init(length: Int) { self.length = length }

  func test() -> Bool { false }
  func measure() -> [UInt8]? { nil }
}

/// Little-endian encoding.
enum LittleEndian {
  /// Returns the lowest bytes of a number, least significant first.
  static func bytes(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

/// The HDC1000 at address 0x43 in a CC2650 tag, which measures temperature and then humidity, each
/// with 14 bits.
final class HDC1000TagSensor: TagSensor {
  let device: VirtualHDC1000
  private let driver: HDC1000Driver

  /// The address on the tag's internal bus, taken from the published firmware and not verified on a
  /// real tag.
  static let address: I2CAddress = 0x43

  init(_ bus: VirtualAdapter, _ clock: any I2CClock, in air: any AirSource, seed: UInt64) {
    device = VirtualHDC1000(
      address: Self.address, air: air, seed: seed, poweredOnAt: clock.nanoseconds)
    driver = HDC1000Driver(adapter: bus, clock: clock, address: Self.address)
    try? bus.attach(device)
  }

  var part: (any VirtualI2CDevice)? { device }
  var length: Int { 4 }
  // The firmware starts a measurement, waits 15 ms, reads the data and notifies it.
  var waitingTime: UInt64 { 15_000_000 }

  func test() -> Bool {
    do throws(HDC1000DriverError) {
      try driver.start()
      return true
    } catch {
      return false
    }
  }

  func measure() -> [UInt8]? {
    do throws(HDC1000DriverError) {
      let measurement = try driver.measure()
      return LittleEndian.bytes(measurement.rawTemperature, 2)
        + LittleEndian.bytes(measurement.rawHumidity, 2)
    } catch {
      return nil
    }
  }
}

/// The SHT21 at address 0x40 in a CC2541 tag, whose data is the raw words including their status
/// bits.
final class SHT21TagSensor: TagSensor {
  let device: VirtualSHT21
  private let driver: SHT21Driver

  init(_ bus: VirtualAdapter, _ clock: any I2CClock, in air: any AirSource, seed: UInt64) {
    device = VirtualSHT21(air: air, seed: seed, poweredOnAt: clock.nanoseconds)
    driver = SHT21Driver(adapter: bus, clock: clock)
    try? bus.attach(device)
  }

  var part: (any VirtualI2CDevice)? { device }
  var length: Int { 4 }
  // The measurement times of the SHT21 (85 and 29 ms) are longer than all documented waits of the
  // firmware.
  var waitingTime: UInt64 { 0 }

  func test() -> Bool {
    do throws(SHT21DriverError) {
      try driver.start()
      return true
    } catch {
      return false
    }
  }

  func measure() -> [UInt8]? {
    do throws(SHT21DriverError) {
      let measurement = try driver.measure()
      return LittleEndian.bytes(measurement.rawTemperature, 2)
        + LittleEndian.bytes(measurement.rawHumidity, 2)
    } catch {
      return nil
    }
  }
}

/// The BMP280 at address 0x77 in a CC2650 tag, whose data is the low 24 bits of the temperature in
/// 0.01 °C and of the pressure in Pa.
final class BMP280TagSensor: TagSensor {
  let device: VirtualBME280
  private let driver: BME280Driver

  static let address: I2CAddress = 0x77

  /// The calibration values T1 to T3 and P1 to P9 of the datasheet's example (BMP280 DS 3.12).
  private static let example: [Int] = [
    27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000,
  ]

  init(_ bus: VirtualAdapter, _ clock: any I2CClock, in air: any AirSource, seed: UInt64) {
    var memory = InlineArray<33, UInt8>(repeating: 0)
    for (index, word) in Self.example.enumerated() {
      memory[2 * index] = UInt8(truncatingIfNeeded: word)
      memory[2 * index + 1] = UInt8(truncatingIfNeeded: word >> 8)
    }
    device = VirtualBME280(
      chip: .bmp280, nvm: memory, address: Self.address, air: air, seed: seed,
      poweredOnAt: clock.nanoseconds)
    driver = BME280Driver(
      adapter: bus, clock: clock, address: Self.address, variant: .datasheetInt32)
    try? bus.attach(device)
  }

  var part: (any VirtualI2CDevice)? { device }
  var length: Int { 6 }
  // The firmware sets forced mode, waits 80 ms, reads the data and notifies it.
  var waitingTime: UInt64 { 80_000_000 }

  func test() -> Bool {
    do throws(BME280DriverError) {
      try driver.start()
      return true
    } catch {
      return false
    }
  }

  func measure() -> [UInt8]? {
    do throws(BME280DriverError) {
      let measurement = try driver.measure()
      guard let celsius = measurement.celsius, let pascals = measurement.pascals else { return nil }
      return LittleEndian.bytes(Int32((celsius * 100).rounded()), 3)
        + LittleEndian.bytes(Int32(pascals.rounded(.down)), 3)
    } catch {
      return nil
    }
  }
}
