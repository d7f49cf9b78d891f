import CMath

/// The one temperature at which a store would have done its goods as much harm as all that it had.
///
/// Haynes' formula with ΔH = 83.144 kJ/mol and R = 8.3144 J/(mol K), so that ΔH/R is 10,000 K, weighted with time:
/// T = (ΔH/R) / -ln(Σ tᵢ e^(-ΔH/(R Tᵢ)) / Σ tᵢ), all in kelvins. USP <1079.2> describes it.
public struct MeanKineticTemperature: Hashable, Sendable {
  /// ΔH/R in kelvins.
  public static let activation = 10_000.0
  private static let zero = 273.15
  /// Rates are kept relative to that at 25 °C, so that none of them is lost in a sum.
  private static let reference = zero + 25

  private var rates = 0.0
  /// The time it covers, in nanoseconds.
  public private(set) var duration: Int64 = 0

  /// Creates one of its parts.
  public init() {}

  /// Adds a temperature in °C that lasted so many nanoseconds; what is no temperature or no time is passed over.
  public mutating func add(_ celsius: Double, for time: Int64) {
    let kelvins = celsius + Self.zero
    guard time > 0, kelvins > 0, kelvins.isFinite else { return }
    rates += Double(time) * exp(Self.activation / Self.reference - Self.activation / kelvins)
    duration += time
  }

  /// The mean in °C; `nil` where nothing was added.
  public var celsius: Double? {
    guard duration > 0, rates > 0 else { return nil }
    let mean = Self.activation / Self.reference - log(rates / Double(duration))
    return Self.activation / mean - Self.zero
  }
}
