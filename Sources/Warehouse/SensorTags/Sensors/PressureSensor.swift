import BME280
import BME280Driver
import BME280Model
import Environment
import I2C
import VirtualI2C

/// The BMP280 of a CC2650 tag at 0x77: temperature in 0.01 °C and pressure in Pa, the lowest 24 bits of each.
final class BMP280TagSensor: TagSensor {
  let device: VirtualBME280
  private let driver: BME280Driver

  static let address: I2CAddress = 0x77

  /// The calibration of the data sheet's example (BMP280 DS 3.12): T1 to T3, P1 to P9.
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
  // The firmware sets forced mode, waits 80 ms, reads and notifies.
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
