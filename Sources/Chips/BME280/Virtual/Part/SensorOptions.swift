public import Quantities
public import VirtualParts

/// How a virtual sensor deviates from the ideal part.
public struct SensorOptions: Hashable, Sendable {
  /// How a part warms itself.
  public struct SelfHeating: Hashable, Sendable {
    /// The rise in C if it converted without a pause.
    public var rise: Double
    /// The time constant in nanoseconds.
    public var timeConstant: UInt64

    /// Creates a part that warms itself; a minute unless said.
    public init(rise: Double, timeConstant: UInt64 = 60_000_000_000) {
      self.rise = rise
      self.timeConstant = timeConstant
    }
  }

  /// The noise on each result.
  public var noise: PartNoise
  /// How long conversions and pauses take.
  public var timing: PartTiming
  /// A constant error.
  public var offset = PartDeviation()
  /// The change of the error in a year of 365 days.
  public var driftPerYear = PartDeviation()
  /// How the part warms itself, if it does.
  public var selfHeating: SelfHeating?
  /// What is assumed where nobody knows.
  public var unknown = UnknownBehaviour()

  /// Creates options: no noise and typical times unless said.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
