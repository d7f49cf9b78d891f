public import BME280
public import BME280Driver
public import DriverDefects
public import VirtualSensors

/// Who reads the sensors of a rig: read, compensate, average, forecast.
public struct Pipeline: Sendable {
  /// Which forecaster speaks.
  public enum Forecaster: String, Hashable, Sendable {
    /// That of the thesis.
    case thesis
    /// Nobody.
    case nobody = "none"
  }

  /// The sensors that are read, in order.
  public let sensors: [Rig.SensorPlace]
  /// What is measured and how finely.
  public let settings: MeasurementSettings
  /// Whether the sensors run in normal mode instead of forced.
  public let usesNormalMode: Bool
  /// The compensation formulas.
  public let variant: CompensationVariant
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
  /// Which forecaster speaks.
  public let forecaster: Forecaster
  /// The file that keeps the averages across runs.
  public let history: String?
  /// When a user asks for a forecast between the cycles, in nanoseconds, in order.
  public let requests: [UInt64]
  /// How high the sensor is, where pressure is reduced to sea level for the forecast.
  public let altitude: Track?
  /// A program with defects whose results are shown beside.
  public let beside: FaultyDecoder?
  /// The error of the board's own thermometer in C, where it is shown beside.
  public let thermometerOffset: Double?
}
