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

/// A part without a calibration of its own, as it comes from the shop.
extension ConfiguredPart {
  package var calibration: String? { nil }

  package var wasUsed: Bool { false }
}
