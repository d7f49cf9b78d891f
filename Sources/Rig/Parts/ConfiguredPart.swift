package import Environment
package import I2C

/// A part as a rig describes it, ready to be powered on.
package protocol ConfiguredPart: Sendable {
  /// Which part it is.
  var model: any PartModel { get }
  /// The name of its calibration; `nil` where the part needs none.
  var calibration: String? { get }
  /// What a report says of it, a few words each: how noisy it is, what its times are.
  var remarks: [String] { get }
  /// The errors that are larger than the datasheet allows.
  var excesses: [PartExcess] { get }
  /// Whether an earlier program has written to it.
  var wasUsed: Bool { get }

  /// Creates the virtual part with its power on.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - air: what surrounds it.
  ///   - seed: what its noise and drawn times come from.
  /// - Returns: the part.
  func poweredOn(at address: I2CAddress, in air: any AirSource, seed: UInt64) -> any VirtualPart
}

/// An error that the datasheet does not allow a part.
package struct PartExcess: Hashable, Sendable {
  /// The key of the rig, and the quantity.
  package let key, quantity: String
  /// What was asked for, and the most that the datasheet allows, in Pa, °C or %.
  package let asked, allowed: Double

  /// Creates an excess.
  package init(key: String, quantity: String, asked: Double, allowed: Double) {
    self.key = key
    self.quantity = quantity
    self.asked = asked
    self.allowed = allowed
  }
}

/// How a driver measures.
package protocol DriverSettings: Sendable {
  /// The longest time of one measurement in nanoseconds.
  var measurementTime: UInt64 { get }
  /// Whether temperature, and whether pressure, is measured.
  var measuresTemperature: Bool { get }
  var measuresPressure: Bool { get }
  /// How strongly the part smooths what it measures; 0 or 1 where it does not.
  var filterCoefficient: Int { get }
  /// Whether the part measures by itself, without being asked.
  var isContinuous: Bool { get }
}
