/// How a virtual sensor deviates from the ideal part.
public struct SensorOptions: Hashable, Sendable {
  /// The noise on each result.
  public enum Noise: Hashable, Sendable {
    /// None.
    case off
    /// The datasheet's figures (DS 3.6).
    case datasheet
    /// The datasheet's figures times a factor.
    case scaled(Double)

    /// The factor on the datasheet's figures.
    var factor: Double {
      switch self {
      case .off: 0
      case .datasheet: 1
      case .scaled(let factor): factor
      }
    }
  }

  /// How long conversions and pauses take.
  public enum Timing: Hashable, Sendable {
    /// The datasheet's typical time of a conversion, the nominal standby time.
    case typical
    /// The datasheet's longest time of a conversion, the standby time plus 25 %.
    case maximum
    /// All times of a part off by the one error of its oscillator, which its seed draws: 5 % in
    /// standard deviation, 25 % at most; no conversion takes longer than the longest.
    case drawn
  }

  /// A constant error of each quantity, or its change in a year, in Pa, C and %RH.
  public struct Deviation: Hashable, Sendable {
    /// Of pressure in Pa.
    public var pressure = 0.0
    /// Of temperature in C.
    public var temperature = 0.0
    /// Of relative humidity in %.
    public var humidity = 0.0

    /// Makes a deviation, none unless said.
    public init(pressure: Double = 0, temperature: Double = 0, humidity: Double = 0) {
      self.pressure = pressure
      self.temperature = temperature
      self.humidity = humidity
    }
  }

  /// How a part warms itself.
  public struct SelfHeating: Hashable, Sendable {
    /// The rise in C if it converted without a pause.
    public var rise: Double
    /// The time constant in nanoseconds.
    public var timeConstant: UInt64

    /// Makes a part that warms itself; a minute unless said.
    public init(rise: Double, timeConstant: UInt64 = 60_000_000_000) {
      self.rise = rise
      self.timeConstant = timeConstant
    }
  }

  /// The noise on each result.
  public var noise: Noise
  /// How long conversions and pauses take.
  public var timing: Timing
  /// A constant error.
  public var offset = Deviation()
  /// The change of the error in a year of 365 days.
  public var driftPerYear = Deviation()
  /// How the part warms itself, if it does.
  public var selfHeating: SelfHeating?
  /// What is assumed where nobody knows.
  public var unknown = UnknownBehaviour()

  /// Makes options: no noise and typical times unless said.
  public init(noise: Noise = .off, timing: Timing = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
