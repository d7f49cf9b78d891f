public import Barometry
public import DriverDefects
package import Parts
public import Environment

/// Who reads the sensors of a rig: read, compensate, average, forecast.
public struct Pipeline: Sendable {
  /// Which forecaster speaks.
  public enum Forecaster: String, Hashable, Sendable, CaseIterable {
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
  public struct LeakWatch: Hashable, Sendable {
    /// The pressure in Pa at which the crew leaves.
    public let limit: Double
    /// Below which reserve time in nanoseconds the crew goes to its safe haven.
    public let haven: UInt64
  }

  /// The sensors that are read, in order.
  public let sensors: [Rig.SensorID]
  /// How the driver of each of their models measures, by the model's name.
  package let settings: [String: any DriverSettings]
  /// The readings of a cycle.
  public let samples: Int
  /// From reading to reading, in nanoseconds.
  public let sampleInterval: UInt64
  /// From the start of a cycle to the start of the next, in nanoseconds.
  public let cycle: UInt64
  /// How long averages are kept, in nanoseconds.
  public let retention: Int64
  /// The longest gap between averages that a forecast may span, in nanoseconds.
  public let maximumGap: Int64
  /// Which forecasters speak, side by side.
  public let forecasters: [Forecaster]
  /// Where the station is and how its wind blows, for Zambretti.
  public let zambretti: Zambretti
  /// Where the wind comes from in degrees, if somebody knows.
  public let wind: Double?
  /// The watch for leaks, where somebody keeps it.
  public let leak: LeakWatch?
  /// The file that keeps the averages across runs.
  public let history: String?
  /// When a user asks for a forecast between the cycles, in nanoseconds, in order.
  public let requests: [UInt64]
  /// How high the sensor is, where pressure is reduced to sea level for the forecast.
  public let altitude: Profile?
  /// A program with defects whose results are shown beside.
  public let beside: FaultyDecoder?
  /// The error of the board's own thermometer in C, where it is shown beside.
  public let thermometerOffset: Double?
}
