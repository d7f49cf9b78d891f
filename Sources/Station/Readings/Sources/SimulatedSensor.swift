import BME280
import BME280Driver
import BME280Model
import Environment
import I2C
import VirtualI2C

/// Air at one moment: °C, %, Pa.
package struct AirNow: Sendable {
  /// °C.
  package let celsius: Double
  /// %.
  package let humidity: Double
  /// Pa.
  package let pascals: Double

  /// Creates air.
  package init(celsius: Double, humidity: Double, pascals: Double) {
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A virtual BME280 on a virtual bus, read by the driver that reads a real one.
///
/// Its calibration is invented.
final class SimulatedSensor {
  /// The air that is now.
  private final class Room: AirSource {
    var air = Air.standard

    func air(at time: UInt64) -> Air { air }
  }

  private static let calibration = Calibration(
    t1: 28009, t2: 25654, t3: 50, p1: 39145, p2: -10750, p3: 3024, p4: 5667, p5: -120, p6: -7,
    p7: 15500, p8: -14600, p9: 6000, h1: 75, h2: 370, h3: 0, h4: 320, h5: 50, h6: 30)

  private let room = Room()
  private let clock = VirtualClock()
  private let driver: BME280Driver

  init() throws {
    let adapter = VirtualAdapter(clock: clock)
    try adapter.attach(
      VirtualBME280(chip: .bme280, nvm: Self.calibration.bytes, address: 0x76, air: room))
    driver = BME280Driver(adapter: adapter, clock: clock)
    try driver.start()
  }

  /// Reads the sensor in some air.
  func read(_ air: AirNow, at time: Int) throws -> Reading {
    room.air = Air(
      pressure: air.pascals, temperature: air.celsius, humidity: min(100, max(0, air.humidity)))
    clock.wait(nanoseconds: 1_000_000_000)
    let measurement = try driver.measure()
    return Reading(
      time: time, celsius: measurement.celsius, humidity: measurement.relativeHumidity,
      pascals: measurement.pascals)
  }
}
