package import I2C
package import Parts
import Quantities
package import Schema

/// A BMP180 or a BMP085 as a part of the bench.
package struct BMP180Part: PartModel {
  package let name: String

  /// Creates the model of a BMP180.
  package init() { self.init(name: "bmp180") }

  private init(name: String) { self.name = name }

  /// The predecessor, with the same registers, formulas and times; its pins EOC and XCLR are not modelled, and nothing on the
  /// bus tells it from a BMP180.
  package static var bmp085: BMP180Part { BMP180Part(name: "bmp085") }

  package var family: String { "bmp180" }

  package var addresses: [I2CAddress] {
    [BMP180Figures.address].compactMap(I2CAddress.init(rawValue:))
  }

  package var addressSummary: String { "0x77" }

  // DS table 1: the operating ranges.
  package var ranges: SampleRanges {
    SampleRanges(temperature: -40...85, pressure: 30_000...110_000)
  }

  package var startTime: UInt64 { BMP180Figures.startTime }

  package var keys: [Section.Field] { BMP180Keys.device }

  package var driverKeys: [Section.Field] { BMP180Keys.driver }

  package var usualSettings: any DriverSettings { BMP180Settings() }

  package var finestSettings: any DriverSettings { BMP180Settings(oversampling: .x8) }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    BMP180Sensor(settings as? BMP180Settings ?? BMP180Settings(), adapter, clock, at: address)
  }

  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    do throws(BMP180DriverError) {
      try BMP180Driver(adapter: adapter, clock: StillClock(), address: address).identify()
      return .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other("\(error.cause)")
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { BMP180Listener() }

  package var text: any TransferText { BMP180Text() }

  package var fidelity: String { BMP180Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.temperature == 0x8000 && sample.codes.pressure == 0x8000
      ? "these are power-on values, nothing was measured" : nil
  }
}
