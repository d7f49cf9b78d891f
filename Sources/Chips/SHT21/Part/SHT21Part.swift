package import I2C
package import Parts
import Quantities
package import Schema
import VirtualParts

/// An SHT21 as a part of the bench.
package struct SHT21Part: PartModel {
  /// Creates the model.
  package init() {}

  package var name: String { "sht21" }

  package var addresses: [I2CAddress] { [0x40] }

  package var addressSummary: String { "0x40" }

  // DS "Sensor performance": the operating ranges.
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var startTime: UInt64 { SHT21Figures.startTime }

  package var keys: [Section.Field] { SHT21Keys.device }

  package var driverKeys: [Section.Field] { SHT21Keys.driver }

  package var usualSettings: any DriverSettings { SHT21Settings() }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    SHT21Sensor(settings as? SHT21Settings ?? SHT21Settings(), adapter, clock, at: address)
  }

  /// Asks for the serial number: only such a chip answers it with sound checksums.
  ///
  /// Zeros have sound checksums too, and come from chips that take the command for a register's address.
  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    let stranger = "gives no serial number with sound checksums, as an SHT21 does"
    do throws(SHT21DriverError) {
      let number = try SHT21Driver(adapter: adapter, clock: StillClock(), address: address)
        .readSerialNumber()
      return number.rawValue == 0 ? .other(stranger) : .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other(stranger)
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { SHT21Listener() }

  package var text: any TransferText { SHT21Text() }

  package var fidelity: String { SHT21Fidelity.ledger.page }
}
