import BME280
import BME280Driver
import BME280Model
import Environment
import I2C
package import Parts
import VirtualI2C

extension BME280Part {
  package func selfTests() -> [SelfTest] {
    switch chip {
    case .bme280: [virtualBench()]
    case .bmp280: [arithmetic()]
    }
  }

  /// Reads a virtual sensor through driver, adapter and wire.
  private func virtualBench() -> SelfTest {
    let clock = VirtualClock()
    let air = Air(pressure: 100_000, temperature: 20, humidity: 40)
    let adapter = VirtualAdapter(clock: clock)
    let sensor = VirtualBME280(
      chip: .bme280, nvm: Self.example.bytes, address: 0x76, air: ScriptedAir(constant: air))
    let driver = BME280Driver(adapter: adapter, clock: clock)
    do {
      try adapter.attach(sensor)
      try driver.start()
      let reading = try driver.measure()
      let isRight =
        abs((reading.pascals ?? 0) - air.pressure) < 4
        && abs((reading.celsius ?? 0) - air.temperature) < 0.02
        && abs((reading.relativeHumidity ?? 0) - air.humidity) < 0.1
      return SelfTest(
        "virtual bench", isPassed: isRight,
        isRight
          ? "a virtual BME280 in air of 1000 hPa, 20 C, 40 % reads as such"
          : "a virtual BME280 reads wrong values; please report this")
    } catch {
      return SelfTest("virtual bench", isPassed: false, "\(error)")
    }
  }

  /// Computes the worked example of the BMP280 datasheet.
  private func arithmetic() -> SelfTest {
    let raw = RawMeasurement(temperature: 519_888, pressure: 415_148)
    let result = Self.datasheetExample.compensate(raw, variant: .datasheetInt64)
    let isRight = result.temperature == 2508 && result.pressure == 25_767_233
    return SelfTest(
      "compensation", isPassed: isRight,
      isRight
        ? "the datasheet's worked example comes out: 25.08 C, 100653.25 Pa"
        : "the datasheet's worked example comes out wrong; please report this")
  }

  /// The words of a real part (fixtures/calibrations/periph-i2c.yaml).
  private static let example = Calibration(
    t1: 28_176, t2: 26_220, t3: 50,
    p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7, p7: 9900, p8: -10_230, p9: 4285,
    h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

  /// The words of the worked example of the BMP280 datasheet.
  private static let datasheetExample = Calibration(
    t1: 27_504, t2: 26_435, t3: -1000,
    p1: 36_477, p2: -10_685, p3: 3024, p4: 2855, p5: 140, p6: -7, p7: 15_500, p8: -14_600,
    p9: 6000)
}
