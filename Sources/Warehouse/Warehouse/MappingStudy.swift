public import Quantities

/// An analysis of a recorded period that finds the hot and cold spots of a warehouse and recommends
/// monitor locations.
///
/// European guidelines for good distribution practice require a warehouse to be mapped before use, under representative
/// conditions, with monitors at the extremes found by the mapping.
public struct MappingStudy: Sendable {
  /// The statistics of one measurement location.
  public struct Location: Hashable, Sendable {
    /// The name of the tag at the location.
    public let name: String
    /// The time-weighted means in °C, Pa and %; `nil` for a quantity without values.
    public let mean: PerQuantity<Double?>
    /// The lowest and highest values in °C, Pa and %; `nil` for a quantity without values.
    public let lowest, highest: PerQuantity<Double?>
    /// The mean kinetic temperature in °C; `nil` without temperatures.
    public let kineticMean: Double?
    /// The share of the period that the values cover, from 0 to 1.
    public let coverage: Double
    /// The time that the values cover, in nanoseconds.
    public let covered: Int64

    /// `true` if the values cover at least a day, but for the time of one gap at its start, and
    /// `MappingStudy/leastCoverage` of the period.
    public let isEnough: Bool
  }

  /// The minimum time that the values must cover for an evaluation, in nanoseconds: a day.
  ///
  /// Cold rooms are mapped for 24 to 72 hours and warehouses for a week (WHO Technical Report Series 961, annex 9,
  /// supplement 8).
  public static let shortest: Int64 = 86_400_000_000_000
  /// The minimum share of the period that the values must cover for an evaluation.
  public static let leastCoverage = 0.9

  /// The reason for recommending a monitor at a location.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The location has the highest temperature, the lowest temperature or the highest humidity of
    /// all locations.
    case hottest, coldest, wettest
    /// The location has the largest temperature range.
    case widest
    /// The location's mean temperature is closest to the mean of all locations.
    case typical
  }

  /// A recommended monitor location.
  public struct Monitor: Hashable, Sendable {
    /// The name of the location.
    public let location: String
    /// The reasons for the recommendation, at least one.
    public let reasons: [Reason]
  }

  /// The locations in the order of the records.
  public let locations: [Location]
  /// The recommended monitor locations, in the order of the reasons.
  public let monitors: [Monitor]

  /// Analyzes the records of a period.
  ///
  /// A value holds until the next one, but at most for `longestGap`.
  ///
  /// - Parameters:
  ///   - records: The readings of each location in chronological order; flagged readings are ignored.
  ///   - span: The period in nanoseconds since 1970.
  ///   - longestGap: The maximum time for which a value holds, in nanoseconds.
  public init(
    _ records: [(name: String, readings: [TagReading])], span: Range<Int64>, longestGap: Int64
  ) {
    locations = records.map { Self.location($0.name, $0.readings, span, longestGap) }
    monitors = Self.monitors(among: locations)
  }

  private static func location(
    _ name: String, _ readings: [TagReading], _ span: Range<Int64>, _ gap: Int64
  ) -> Location {
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
    let coverage = span.isEmpty ? 0 : Double(longest) / Double(span.count)
    return Location(
      name: name, mean: means, lowest: lowest, highest: highest, kineticMean: kinetic.celsius,
      coverage: coverage, covered: longest,
      isEnough: longest + gap >= shortest && coverage >= leastCoverage)
  }

  /// Returns the recommended monitor locations among some locations, such as those of a zone.
  public static func monitors(among locations: [Location]) -> [Monitor] {
    let means = locations.compactMap(\.mean.temperature)
    let mean = means.isEmpty ? 0 : means.reduce(0, +) / Double(means.count)
    func best(_ score: (Location) -> Double?) -> String? {
      let scored = locations.compactMap { location in score(location).map { (location.name, $0) } }
      // Of equal locations, the first one is used.
      return scored.reduce(nil as (String, Double)?) { best, next in
        best.map { $0.1 >= next.1 ? $0 : next } ?? next
      }?.0
    }
    var found: [(location: String, reason: Reason)] = []
    for reason in Reason.allCases {
      let name: String? =
        switch reason {
        case .hottest: best { $0.highest.temperature }
        case .coldest: best { $0.lowest.temperature.map(-) }
        case .wettest: best { $0.highest.humidity }
        case .widest:
          best { location in
            location.highest.temperature.flatMap { high in
              location.lowest.temperature.map { high - $0 }
            }
          }
        case .typical: best { $0.mean.temperature.map { -abs($0 - mean) } }
        }
      if let name { found.append((name, reason)) }
    }
    var monitors: [Monitor] = []
    for (location, _) in found where !monitors.contains(where: { $0.location == location }) {
      monitors.append(
        Monitor(location: location, reasons: found.filter { $0.location == location }.map(\.reason))
      )
    }
    return monitors
  }
}
