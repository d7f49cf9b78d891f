package import Barometry
package import Environment
package import Parts

/// Who reads the sensors of a rig: read, compensate, average, forecast.
package struct Pipeline: Sendable {
  /// Which forecaster speaks.
  package enum Forecaster: String, Hashable, Sendable, CaseIterable {
    /// That of the thesis.
    case thesis
    /// That of Freescale's AN3914, with a sample a minute.
    case note = "an3914"
    /// That of Negretti and Zambra.
    case zambretti
    /// The tendency of weather stations, WMO code table 0200.
    case tendency
  }

  /// A watch for leaks.
  package struct LeakWatch: Hashable, Sendable {
    /// The pressure in Pa at which the crew leaves.
    package let limit: Double
    /// Below which reserve time in nanoseconds the crew goes to its safe haven.
    package let haven: UInt64
    /// How long the crew takes to reach a hatch in nanoseconds, where it searches for the leak.
    package let search: UInt64?
  }

  /// The sensors that are read, in order.
  package let sensors: [Rig.SensorID]
  /// How the driver of each of their models measures, by the model's name.
  package let settings: [String: any DriverSettings]
  /// The readings of a cycle.
  package let samples: Int
  /// From reading to reading, in nanoseconds.
  package let sampleInterval: UInt64
  /// From the start of a cycle to the start of the next, in nanoseconds.
  package let cycle: UInt64
  /// How long averages are kept, in nanoseconds.
  package let retention: Int64
  /// The longest gap between averages that a forecast may span, in nanoseconds.
  package let maximumGap: Int64
  /// Which forecasters speak, side by side.
  package let forecasters: [Forecaster]
  /// Where the station is and how its wind blows, for Zambretti.
  package let zambretti: Zambretti
  /// Where the wind comes from in degrees, if somebody knows.
  package let wind: Double?
  /// The watch for leaks, where somebody keeps it.
  package let leak: LeakWatch?
  /// The file that keeps the averages across runs.
  package let history: String?
  /// When a user asks for a forecast between the cycles, in nanoseconds, in order.
  package let requests: [UInt64]
  /// How high the sensor is, where pressure is reduced to sea level for the forecast.
  package let altitude: Profile?
  /// A program with defects whose results are compared.
  package let comparedProgram: ComparedProgram?
  /// What stands in for a sensor that is lost.
  package let backup: BackupSource?
  /// The error of the board's own thermometer in °C, where it is compared.
  package let thermometerOffset: Double?
}
