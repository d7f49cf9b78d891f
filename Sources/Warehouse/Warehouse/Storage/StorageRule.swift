public import Quantities

/// What goods of a kind bear, over the whole time that they lie in a store.
public struct StorageRule: Hashable, Sendable {
  /// What it is called in rigs and reports.
  public var name: String
  /// The quantity that it is about.
  public var quantity: Quantity
  /// Within which the air should be.
  public var range: ClosedRange<Double>
  /// Within which excursions are allowed, as long as the mean kinetic temperature is kept; `nil` for none.
  public var excursions: ClosedRange<Double>?
  /// The highest value of a spike, and for how many nanoseconds at a time it may last; `nil` for none.
  public var spike: Spike?
  /// The highest mean kinetic temperature; `nil` where it does not matter.
  public var highestMean: Double?
  /// Where it stands.
  public var source: String

  /// A short time far outside.
  public struct Spike: Hashable, Sendable {
    /// The highest value of a spike.
    public var highest: Double
    /// The longest time in nanoseconds, counted from leaving the allowed excursions.
    public var longest: Int64
  }

  /// Controlled room temperature: 20 to 25 °C, excursions between 15 and 30 °C, spikes to 40 °C of at most 24 hours, a mean
  /// kinetic temperature of at most 25 °C.
  public static let controlledRoom = StorageRule(
    name: "controlled-room", quantity: .temperature, range: 20...25, excursions: 15...30,
    spike: Spike(highest: 40, longest: 24 * 3_600_000_000_000), highestMean: 25,
    source: "USP <659>, controlled room temperature")

  /// The cold chain: 2 to 8 °C.
  public static let coldChain = StorageRule(
    name: "cold-chain", quantity: .temperature, range: 2...8,
    source: "USP <659>, <1079>: refrigerated, 2 to 8 °C")

  /// A dry place: at most 60 % of relative humidity.
  public static let dryPlace = StorageRule(
    name: "dry-place", quantity: .humidity, range: 0...60,
    source: "WHO: protected from moisture, at most 60 % of relative humidity")

  /// All that are known by name.
  public static let all = [controlledRoom, coldChain, dryPlace]

  init(
    name: String, quantity: Quantity, range: ClosedRange<Double>,
    excursions: ClosedRange<Double>? = nil, spike: Spike? = nil, highestMean: Double? = nil,
    source: String
  ) {
    (self.name, self.quantity, self.range) = (name, quantity, range)
    (self.excursions, self.spike) = (excursions, spike)
    (self.highestMean, self.source) = (highestMean, source)
  }
}
