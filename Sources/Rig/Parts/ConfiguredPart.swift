package import Environment
package import I2C
package import Quantities
package import Schema
package import VirtualI2C
import VirtualParts

/// A part as configured by a rig, before power-on.
package protocol ConfiguredPart: Sendable {
  /// The model of the part.
  var model: any PartModel { get }
  /// The name of its calibration; `nil` for a part without one.
  var calibration: String? { get }
  /// Its properties for reports, a few words each, such as its noise and its conversion times.
  var details: [String] { get }
  /// The configured errors that are larger than the datasheet allows.
  var excesses: [PartExcess] { get }
  /// Whether an earlier program has written to its registers.
  var wasUsed: Bool { get }

  /// Creates the virtual part at power-on.
  ///
  /// - Parameters:
  ///   - address: its bus address.
  ///   - air: the ambient air.
  ///   - seed: the seed of its noise and its random conversion times.
  /// - Returns: the part.
  func poweredOn(at address: I2CAddress, in air: any AirSource, seed: UInt64) -> any VirtualPart
}

/// Defaults: a part without an individual calibration, in its state as delivered.
extension ConfiguredPart {
  package var calibration: String? { nil }

  package var wasUsed: Bool { false }
}

/// The interface of a virtual part to reports, independent of the chip.
package protocol VirtualPart: VirtualI2CDevice {
  /// The ambient air.
  var air: any AirSource { get }
  /// The values of the air outside its output range so far. Default: none.
  var saturations: Saturations { get }

  /// The charge that it has used up to a time in nanoseconds, in µC; `nil` if its current is unknown. Default: `nil`.
  func chargeUsed(at time: UInt64) -> Double?
}

extension VirtualPart {
  package var saturations: Saturations { Saturations() }

  package func chargeUsed(at time: UInt64) -> Double? { nil }
}

/// A configured error that is larger than the datasheet allows.
package struct PartExcess: Hashable, Sendable {
  /// The key in the rig, and the quantity.
  package let key, quantity: String
  /// The configured error and the largest error in the datasheet, in Pa, °C or %.
  package let asked, allowed: Double

  /// Creates an excess.
  package init(key: String, quantity: String, asked: Double, allowed: Double) {
    self.key = key
    self.quantity = quantity
    self.asked = asked
    self.allowed = allowed
  }
}

extension Section {
  /// The keys of an error of each quantity.
  package static let deviation = Section(
    "An error of each quantity.",
    [
      .optional("pressure", .quantity(.pressureChange), "the error of pressure; default: 0Pa"),
      .optional(
        "temperature", .quantity(.temperatureChange), "the error of temperature; default: 0C"),
      .optional("humidity", .quantity(.humidityChange), "the error of humidity; default: 0%"),
    ])
}

extension PartDeviation {
  /// Creates the error from the keys of `Section.deviation`.
  ///
  /// Default: no error.
  package init(_ value: CheckedValue?) {
    self.init(
      temperature: value?["temperature"]?.number ?? 0, pressure: value?["pressure"]?.number ?? 0,
      humidity: value?["humidity"]?.number ?? 0)
  }
}
