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

/// A part that measures temperature when it is asked, and smooths nothing.
extension DriverSettings {
  package var measuresTemperature: Bool { true }

  package var measuresPressure: Bool { false }

  package var filterCoefficient: Int { 0 }

  package var isContinuous: Bool { false }
}
