package import I2C
package import Parts
import Quantities
package import Schema
import VirtualParts

/// An HDC1000 as a part of the bench.
package struct HDC1000Part: PartModel {
  /// Creates the model.
  package init() {}

  package var name: String { "hdc1000" }

  package var addresses: [I2CAddress] {
    HDC1000Figures.addresses.compactMap(I2CAddress.init(rawValue:))
  }

  package var addressSummary: String { "0x40 to 0x43 (ADR1 and ADR0)" }

  // DS 7.3: the operating ranges.
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var startTime: UInt64 { HDC1000Figures.startTime }

  package var keys: [Section.Field] { HDC1000Keys.device }

  package var driverKeys: [Section.Field] { HDC1000Keys.driver }

  package var usualSettings: any DriverSettings { HDC1000Settings() }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    HDC1000Sensor(settings as? HDC1000Settings ?? HDC1000Settings(), adapter, clock, at: address)
  }

  /// Asks for the device's and the manufacturer's identity, in an order that resets no SHT21.
  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    do throws(HDC1000DriverError) {
      try HDC1000Driver(adapter: adapter, clock: StillClock(), address: address).identify()
      return .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other("\(error.cause)")
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { HDC1000Listener() }

  package var text: any TransferText { HDC1000Text() }

  package var fidelity: String { HDC1000Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.temperature == 0 && sample.codes.humidity == 0
      ? "these are power-on values, nothing was measured" : nil
  }
}
