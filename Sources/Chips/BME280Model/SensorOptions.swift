import BME280
public import Quantities
public import VirtualI2C

/// Deviations of a virtual sensor from the ideal part.
public struct SensorOptions: Hashable, Sendable {
  /// Self-heating by measurements.
  public struct SelfHeating: Hashable, Sendable {
    /// The temperature rise in C in continuous conversion.
    public var rise: Double
    /// The time constant in nanoseconds.
    public var timeConstant: UInt64

    /// Creates self-heating.
    ///
    /// Default: a time constant of one minute.
    public init(rise: Double, timeConstant: UInt64 = 60_000_000_000) {
      self.rise = rise
      self.timeConstant = timeConstant
    }
  }

  /// The noise of each result.
  public var noise: PartNoise
  /// The duration of conversions and standby times.
  public var timing: PartTiming
  /// The constant error of each quantity.
  public var offset = PartDeviation()
  /// The change of each error per year of 365 days.
  public var driftPerYear = PartDeviation()
  /// The self-heating, if any.
  public var selfHeating: SelfHeating?
  /// The assumptions about undocumented behavior.
  public var unknown = UndocumentedBehavior()

  /// Creates options.
  ///
  /// Default: no noise and typical times.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}

extension SensorOptions {
  /// A configured error that exceeds the datasheet's limit.
  public struct Excess: Hashable, Sendable {
    /// The rig key of the configured error: `offset` or `drift_per_year`.
    public let key: String
    /// The quantity with the error: `pressure`, `temperature` or `humidity`.
    public let quantity: String
    /// The configured error and the datasheet's limit, in Pa, C or %.
    public let requested, allowed: Double

    /// The former name of `requested`.
    @available(*, deprecated, renamed: "requested")
    public var asked: Double { requested }
  }

  /// The errors beyond the datasheet's limits, which only a defective part has.
  public var beyondAccuracy: [Excess] {
    let figures: [(String, String, Double, Double)] = [
      ("offset", "pressure", offset.pressure, Accuracy.pressure),
      ("offset", "temperature", offset.temperature, Accuracy.temperature),
      ("offset", "humidity", offset.humidity, Accuracy.humidity),
      ("drift_per_year", "pressure", driftPerYear.pressure, Accuracy.pressurePerYear),
      ("drift_per_year", "humidity", driftPerYear.humidity, Accuracy.humidityPerYear),
    ]
    return figures.filter { abs($0.2) > $0.3 }.map {
      Excess(key: $0.0, quantity: $0.1, requested: $0.2, allowed: $0.3)
    }
  }
}
