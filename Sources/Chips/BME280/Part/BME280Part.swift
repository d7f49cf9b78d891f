package import BME280
import BME280Driver
import BME280Model
import DriverDefects
package import I2C
package import Parts
import Quantities
package import Schema

/// A BME280 or a BMP280 as a part of the bench.
package struct BME280Part: PartModel {
  /// Which of the two.
  package let chip: Chip

  /// Creates the model of a chip.
  package init(_ chip: Chip) {
    self.chip = chip
  }

  package var name: String { "\(chip.name)" }

  package var family: String { "bme280" }

  package var addresses: [I2CAddress] { [0x76, 0x77] }

  package var addressSummary: String { "0x76 (SDO low) or 0x77 (SDO high)" }

  // BME280 datasheet, table 1: the operating ranges.
  package var ranges: SampleRanges {
    SampleRanges(
      temperature: -40...85, pressure: 30_000...110_000,
      humidity: chip.measuresHumidity ? 0...100 : nil)
  }

  package var keys: [Section.Field] { BME280Keys.device }

  package var driverKeys: [Section.Field] { BME280Keys.driver }

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
      "answers with the id 0x\(digits.count < 2 ? "0" : "")\(digits), which is neither a BME280 (0x60) "
        + "nor a BMP280 (0x58)")
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
    "runs in forced mode with one reading of each channel and without a filter"
  }

  package var fidelity: String { Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.pressure == RawMeasurement.skipped20
      ? "these are power-on values, nothing was measured" : nil
  }
}
