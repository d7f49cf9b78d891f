/// How a virtual sensor deviates from the ideal part, within what the datasheet allows.
public struct SensorOptions: Hashable, Sendable {
  /// The noise on each result.
  public enum Noise: Hashable, Sendable {
    /// None.
    case off
    /// The datasheet's figures.
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

  /// How long conversions take.
  public enum Timing: Hashable, Sendable {
    /// The datasheet's typical time.
    case typical
    /// The datasheet's longest time.
    case maximum
    /// Drawn anew for each conversion, evenly between the typical and the longest time.
    case drawn
  }

  /// The noise on each result.
  public var noise: Noise
  /// How long conversions take.
  public var timing: Timing

  /// How long the NVM copy lasts at power-on, in nanoseconds; the datasheet gives no figure.
  ///
  /// The whole start-up, 2 ms at most, is taken for it.
  public var powerOnCopyTime: UInt64 = 2_000_000
  /// How long the NVM copy lasts after a soft reset, in nanoseconds; the datasheet gives no figure.
  ///
  /// Drivers saw one to three polls, and that 1 ms sufficed.
  public var resetCopyTime: UInt64 = 1_000_000
  /// How long after the start of a conversion `measuring` still reads 0 and `im_update` 1, in
  /// nanoseconds; drivers saw the delay, nobody its length.
  public var measuringDelay: UInt64 = 300_000

  /// Makes options: no noise and typical times unless said.
  public init(noise: Noise = .off, timing: Timing = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
