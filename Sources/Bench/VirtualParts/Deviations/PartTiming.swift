import VirtualI2C

/// How long the conversions and pauses of a part take.
public enum PartTiming: Hashable, Sendable {
  /// The data sheet's typical time of a conversion, the nominal time of a pause.
  case typical
  /// The data sheet's longest time of a conversion, the longest pause.
  case maximum
  /// All times of a part off by the one error of its oscillator, which its seed draws; no conversion
  /// takes longer than the longest.
  case drawn

  /// The time of a conversion of a chip whose data sheet gives the typical and the longest.
  ///
  /// A drawn part has one clock for all: three standard deviations reach the longest time, or as far
  /// below the typical one.
  ///
  /// - Parameters:
  ///   - typical: the typical time in nanoseconds.
  ///   - longest: the longest time in nanoseconds.
  ///   - seed: what a drawn time comes from.
  /// - Returns: the time in nanoseconds.
  public func conversionTime(typical: UInt64, longest: UInt64, seed: UInt64) -> UInt64 {
    switch self {
    case .typical: return typical
    case .maximum: return longest
    case .drawn:
      var chance = SeededGenerator(seed: seed, stream: .max)
      let share = min(max(chance.gaussian() / 3, -1), 1)
      return UInt64(Double(typical) + share * (Double(longest) - Double(typical)))
    }
  }
}
