public import Quantities

/// What a recorded period says of the places of a warehouse: hot and cold spots, and where monitors belong.
///
/// European guidelines for good distribution practice want a warehouse mapped before use, under representative conditions, and
/// monitors where the mapping found the extremes.
public struct MappingStudy: Sendable {
  /// What is known of one place.
  public struct Place: Hashable, Sendable {
    /// The name of the tag that was there.
    public let name: String
    /// The mean over time, °C and %; `nil` where there was nothing.
    public let mean: PerQuantity<Double?>
    /// The lowest and the highest values.
    public let lowest, highest: PerQuantity<Double?>
    /// The mean kinetic temperature in °C.
    public let kineticMean: Double?
    /// How much of the period it has values for, from 0 to 1.
    public let coverage: Double
    /// The same in nanoseconds.
    public let covered: Int64

    /// Whether there is enough of it to judge by: a day, and ``MappingStudy/leastCoverage`` of the period.
    public var isEnough: Bool {
      covered >= MappingStudy.shortest && coverage >= MappingStudy.leastCoverage
    }
  }

  /// The shortest time by which a place is judged, in nanoseconds: a day, as cold rooms are mapped for 24 to 72 hours and
  /// warehouses for a week (WHO Technical Report Series 961, annex 9, supplement 8).
  public static let shortest: Int64 = 86_400_000_000_000
  /// The least share of a period that must have values.
  public static let leastCoverage = 0.9

  /// Why a monitor belongs to a place.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The highest temperature of all, the lowest, and the highest humidity.
    case hottest, coldest, wettest
    /// The widest range of temperature.
    case widest
    /// The mean that is nearest to that of the warehouse.
    case typical
  }

  /// A place for a monitor.
  public struct Monitor: Hashable, Sendable {
    /// The name of the place.
    public let place: String
    /// Why there; at least one reason.
    public let reasons: [Reason]
  }

  /// The places in the order in which they were given.
  public let places: [Place]
  /// Where monitors belong, the first reasons first.
  public let monitors: [Monitor]

  /// Creates a study of records.
  ///
  /// A value holds until the next one, though no longer than a gap.
  ///
  /// - Parameters:
  ///   - records: the readings of each place in the order of time; flagged ones are passed over.
  ///   - span: the period, in nanoseconds since 1970.
  ///   - longestGap: in nanoseconds.
  public init(
    _ records: [(name: String, readings: [TagReading])], span: Range<Int64>, longestGap: Int64
  ) {
    places = records.map { Self.place($0.name, $0.readings, span, longestGap) }
    monitors = Self.monitors(places)
  }

  private static func place(
    _ name: String, _ readings: [TagReading], _ span: Range<Int64>, _ gap: Int64
  ) -> Place {
    var means = PerQuantity<Double?>(), lowest = means, highest = means
    var kinetic = MeanKineticTemperature()
    var longest: Int64 = 0
    for quantity in Quantity.allCases {
      var sum = 0.0, covered: Int64 = 0
      let values = readings.compactMap { reading -> (time: Int64, value: Double)? in
        guard reading.isGood, span.contains(reading.time) else { return nil }
        return reading.values[quantity].map { (reading.time, $0) }
      }
      for (index, (time, value)) in values.enumerated() {
        lowest[quantity] = min(lowest[quantity] ?? value, value)
        highest[quantity] = max(highest[quantity] ?? value, value)
        let next = index + 1 < values.count ? values[index + 1].time : span.upperBound
        let held = min(max(next - time, 0), gap)
        sum += value * Double(held)
        covered += held
        if quantity == .temperature { kinetic.add(value, for: held) }
      }
      if covered > 0 { means[quantity] = sum / Double(covered) }
      longest = max(longest, covered)
    }
    return Place(
      name: name, mean: means, lowest: lowest, highest: highest, kineticMean: kinetic.celsius,
      coverage: span.isEmpty ? 0 : Double(longest) / Double(span.count), covered: longest)
  }

  private static func monitors(_ places: [Place]) -> [Monitor] {
    let means = places.compactMap(\.mean.temperature)
    let mean = means.isEmpty ? 0 : means.reduce(0, +) / Double(means.count)
    func best(_ score: (Place) -> Double?) -> String? {
      let scored = places.compactMap { place in score(place).map { (place.name, $0) } }
      // Of equals the first.
      return scored.reduce(nil as (String, Double)?) { best, next in
        best.map { $0.1 >= next.1 ? $0 : next } ?? next
      }?.0
    }
    var found: [(place: String, reason: Reason)] = []
    for reason in Reason.allCases {
      let name: String? =
        switch reason {
        case .hottest: best { $0.highest.temperature }
        case .coldest: best { $0.lowest.temperature.map(-) }
        case .wettest: best { $0.highest.humidity }
        case .widest:
          best { place in
            place.highest.temperature.flatMap { high in place.lowest.temperature.map { high - $0 } }
          }
        case .typical: best { $0.mean.temperature.map { -abs($0 - mean) } }
        }
      if let name { found.append((name, reason)) }
    }
    var monitors: [Monitor] = []
    for (place, _) in found where !monitors.contains(where: { $0.place == place }) {
      monitors.append(
        Monitor(place: place, reasons: found.filter { $0.place == place }.map(\.reason)))
    }
    return monitors
  }
}
