package import Environment
import Quantities
package import VirtualI2C

/// A virtual part as reports look at it, whatever the chip is.
package protocol VirtualPart: VirtualI2CDevice {
  /// What surrounds it.
  var air: any AirSource { get }
  /// The values of the air that it could not express so far.
  var saturations: Saturations { get }

  /// The charge that it has used until a time in nanoseconds, in µC; `nil` where nobody knows its current.
  func chargeUsed(at time: UInt64) -> Double?
}

extension VirtualPart {
  /// It could express everything.
  package var saturations: Saturations { Saturations() }

  /// Nobody knows.
  package func chargeUsed(at time: UInt64) -> Double? { nil }
}
