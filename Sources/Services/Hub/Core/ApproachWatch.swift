package import Quantities
package import Warehouse

/// Predicts when the values of tags reach their limits, at the rate of their last readings.
///
/// A line is fitted to the valid readings of the last 15 minutes. It counts only if its slope is larger than three times
/// its standard error, so that noise predicts nothing, and only if the last readings follow it and no limit on the other
/// side is exceeded. Ages are measured on the boot clock.
package struct ApproachWatch: Sendable {
  /// A limit that a value approaches.
  package struct Approach: Sendable, Equatable {
    /// The rule that will be breached.
    package let rule: AlarmRule
    /// The time until then in seconds.
    package let seconds: Int
  }

  private struct Source: Hashable {
    let tag: String
    let quantity: Quantity
  }

  /// A value with its time of reception on the boot clock in seconds.
  private struct Sample {
    let time, value: Double
  }

  /// The age in seconds of the oldest reading that counts, and the shortest time that readings must span.
  static let span = 900.0, shortest = 120.0
  /// The smallest number of readings, and the longest time in seconds that is predicted.
  static let fewest = 5, farthest = 3600.0
  /// The maximum number of readings kept for each value.
  private static let most = 200

  private var samples: [Source: [Sample]] = [:]

  /// Creates a watch without readings.
  package init() {}

  /// Takes the valid values of a tag's last reading.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - tag: The address of the tag.
  ///   - boot: The time of reception in nanoseconds since boot.
  package mutating func take(_ values: AirReading, of tag: String, boot: Int64) {
    let time = Double(boot) / 1e9
    for quantity in Quantity.allCases {
      guard let value = values[quantity], value.isFinite else { continue }
      let source = Source(tag: tag, quantity: quantity)
      var list = samples[source, default: []]
      if let last = list.last, last.time >= time { continue }
      list.append(Sample(time: time, value: value))
      list.removeAll { $0.time < time - Self.span }
      if list.count > Self.most { list.removeFirst(list.count - Self.most) }
      samples[source] = list
    }
  }

  /// Returns the limit that a tag's values reach first; `nil` if they approach none, or have passed it.
  ///
  /// - Parameters:
  ///   - tag: The tag.
  ///   - rules: The limits of its zone.
  ///   - boot: The current time in nanoseconds since boot.
  /// - Returns: The limit, and the time until it is reached.
  package func approach(
    of tag: WarehousePolicy.ExpectedTag, to rules: [AlarmRule], boot: Int64
  ) -> Approach? {
    let now = Double(boot) / 1e9
    func isBeyondOther(_ rule: AlarmRule, _ value: Double) -> Bool {
      rules.contains {
        $0.cause.quantity == rule.cause.quantity && $0.cause.isHigh != rule.cause.isHigh
          && $0.isBreached(by: value)
      }
    }
    return rules.compactMap { rule -> Approach? in
      guard let quantity = rule.cause.quantity,
        let list = samples[Source(tag: tag.address, quantity: quantity)], let last = list.last,
        now - last.time <= 3 * Double(tag.period) / 1e9, !rule.isBreached(by: last.value),
        !isBeyondOther(rule, last.value), let line = Self.line(through: list),
        (line.slope > 0) == rule.cause.isHigh,
        // After an excursion, the line still points the way that the values have left.
        (last.value - list[list.count - 3].value) * line.slope >= 0
      else { return nil }
      let seconds = (rule.limit - line.last) / line.slope - (now - last.time)
      guard seconds <= Self.farthest else { return nil }
      return Approach(rule: rule, seconds: Int(max(seconds, 0).rounded()))
    }.min { ($0.seconds, $1.rule.level) < ($1.seconds, $0.rule.level) }
  }

  /// Returns the slope per second of the line through readings, and its value at the last one; `nil` if the readings are
  /// too few, too close together, or too noisy.
  private static func line(through list: [Sample]) -> (slope: Double, last: Double)? {
    guard let first = list.first, let last = list.last, list.count >= fewest,
      last.time - first.time >= shortest
    else { return nil }
    let count = Double(list.count)
    let times = list.map { $0.time - last.time }
    let meanTime = times.reduce(0, +) / count
    let meanValue = list.reduce(0) { $0 + $1.value } / count
    var (squares, products) = (0.0, 0.0)
    for (time, sample) in zip(times, list) {
      squares += (time - meanTime) * (time - meanTime)
      products += (time - meanTime) * (sample.value - meanValue)
    }
    let slope = products / squares
    let rest = zip(times, list).reduce(0) { sum, pair in
      let error = pair.1.value - meanValue - slope * (pair.0 - meanTime)
      return sum + error * error
    }
    let deviation = (rest / (count - 2) / squares).squareRoot()
    guard slope != 0, abs(slope) > 3 * deviation else { return nil }
    return (slope, meanValue - slope * meanTime)
  }
}
