package import BME280
import BME280Model
import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import VirtualI2C

/// The BME280 or BMP280 as a part model of the bench.
package struct BME280Part: PartModel {
  package let chip: Chip

  /// Creates the model of a chip.
  package init(_ chip: Chip) {
    self.chip = chip
  }

  package var name: String { "\(chip.name)" }

  package var family: String { "bme280" }

  package var addresses: [I2CAddress] { [0x76, 0x77] }

  package var addressSummary: String { "0x76 (SDO low) or 0x77 (SDO high)" }

  // Operating ranges, BME280 datasheet, table 1.
  package var ranges: SampleRanges {
    SampleRanges(
      temperature: -40...85, pressure: 30_000...110_000,
      humidity: chip.measuresHumidity ? 0...100 : nil)
  }

  package var keys: [Section.Field] { BME280Keys.device.fields }

  package var driverKeys: [Section.Field] { BME280Keys.driver.fields }

  package var usualSettings: any DriverSettings { BME280Settings() }

  package var finestSettings: any DriverSettings {
    BME280Settings(
      measurement: MeasurementSettings(temperature: .x2, pressure: .x16, humidity: .x1))
  }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    BME280Sensor(settings as? BME280Settings ?? BME280Settings(), adapter, clock, at: address)
  }

  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    let identifier = try adapter.readRegister(Register.id, at: address)
    if Chip(identifier: identifier) == chip { return .itself }
    let digits = String(identifier, radix: 16)
    return .other(
      "the chip id is 0x\(digits.count < 2 ? "0" : "")\(digits), neither that of a BME280 (0x60) "
        + "nor that of a BMP280 (0x58)")
  }

  package var text: any TransferText { BME280Text() }

  package var record: (any PartRecord)? { RecordedPart() }

  package func listener(longestRead: Int) -> (any PartListener)? {
    BME280Listener(longestRead: longestRead)
  }

  package var wiring: PartWiring {
    PartWiring(address: "SDO (at ground 0x76, at VDDIO 0x77)", others: ["CSB at VDDIO"])
  }

  package var readingSummary: String? {
    "measures in forced mode with oversampling x1 and without a filter"
  }

  package var fidelity: String { Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.pressure == RawMeasurement.skipped20
      ? "these are power-on values, nothing was measured" : nil
  }
}

extension BME280Part {
  package func selfTests() -> [SelfTest] {
    switch chip {
    case .bme280: [virtualBench()]
    case .bmp280: [arithmetic()]
    }
  }

  /// Measures the air of a virtual sensor with the driver, and compares the results with that air.
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
          ? "a virtual BME280 in air of 1000 hPa, 20 C, 40 % reads these values"
          : "a virtual BME280 reads wrong values; please report this")
    } catch {
      return SelfTest("virtual bench", isPassed: false, "\(error)")
    }
  }

  /// Computes the worked example of the BMP280 datasheet and compares the results with those
  /// printed there.
  private func arithmetic() -> SelfTest {
    let raw = RawMeasurement(temperature: 519_888, pressure: 415_148)
    let result = Self.datasheetExample.compensate(raw, variant: .datasheetInt64)
    let isRight = result.temperature == 2508 && result.pressure == 25_767_233
    return SelfTest(
      "compensation", isPassed: isRight,
      isRight
        ? "the datasheet's worked example is reproduced: 25.08 C, 100653.25 Pa"
        : "the datasheet's worked example is not reproduced; please report this")
  }

  /// The calibration words of a real part (fixtures/calibrations/periph-i2c.yaml).
  private static let example = Calibration(
    t1: 28_176, t2: 26_220, t3: 50,
    p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7, p7: 9900, p8: -10_230, p9: 4285,
    h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

  /// The calibration words of the worked example of the BMP280 datasheet.
  private static let datasheetExample = Calibration(
    t1: 27_504, t2: 26_435, t3: -1000,
    p1: 36_477, p2: -10_685, p3: 3024, p4: 2855, p5: 140, p6: -7, p7: 15_500, p8: -14_600,
    p9: 6000)
}
