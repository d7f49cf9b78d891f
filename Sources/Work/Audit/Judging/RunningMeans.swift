import BME280
import DriverDiagnosis
import Quantities
import Text

/// The means that right programs show of what they measure: of the last few measurements, or of all since the last rest.
///
/// A mean follows the air late without being wrong. It must end with a measurement that is as young as any other value
/// that the program shows: one that stays while nothing new is read is no mean of the last measurements.
///
/// Behind the part's filter a single measurement does the same for the humidity, which a temperature that lags compensates.
struct RunningMeans {
  /// When each measurement had been read, in seconds.
  private let times: [Double]
  /// The sums of the lowest and the highest right values of the measurements before each.
  private let lows: [Quantity: [Double]]
  private let highs: [Quantity: [Double]]
  /// The first measurement of the burst to which each belongs.
  private let bursts: [Int]
  /// The least number of measurements that may be shown instead of the air.
  private let shortest: Int

  /// The largest number of measurements of which a program shows a moving mean.
  private static let longest = 64

  /// Takes what a program has measured.
  ///
  /// - Parameters:
  ///   - evidence: its conversation with the part.
  ///   - scenario: the scenario, whose part it was.
  init(_ evidence: Evidence, in scenario: Scenario) {
    let measurements = evidence.measurements
    let times = measurements.map(\.time)
    var lows: [Quantity: [Double]] = [:]
    var highs: [Quantity: [Double]] = [:]
    for quantity in Quantity.allCases { (lows[quantity], highs[quantity]) = ([0], [0]) }
    for measurement in measurements {
      let bounds = ExpectedReading.bounds(of: measurement.raw, in: scenario)
      for quantity in Quantity.allCases {
        let range = bounds[quantity] ?? 0...0
        lows[quantity, default: [0]].append((lows[quantity]?.last ?? 0) + range.lowerBound)
        highs[quantity, default: [0]].append((highs[quantity]?.last ?? 0) + range.upperBound)
      }
    }
    (self.times, self.lows, self.highs) = (times, lows, highs)
    shortest = evidence.wantsFilter ? 1 : 2
    // A burst that failed makes a rest longer: the usual rest counts, not the longest.
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    let rests = gaps.filter { $0 >= (gaps.max() ?? 0) / 4 }.inOrder()
    let usualRest = rests.isEmpty ? 0 : rests[rests.count / 2]
    var first = 0
    bursts = times.indices.map { index in
      if index > 0, times[index] - times[index - 1] >= usualRest / 2 { first = index }
      return first
    }
  }

  /// Whether some readings are all means of the same kind.
  ///
  /// - Parameters:
  ///   - readings: the readings with the times at which they were printed.
  ///   - age: how old the last measurement of a mean may be, in seconds.
  /// - Returns: whether one number of measurements, or the last burst, explains all of them.
  func explain(_ readings: [(reading: ShownReading, time: PrintTime)], age: Double) -> Bool {
    guard !readings.isEmpty else { return false }
    let most = max(2, min(Self.longest, times.count))
    return ([nil] + (shortest...most).map { Optional($0) }).contains { window in
      readings.allSatisfy { allows($0.reading, at: $0.time, age, window) }
    }
  }

  /// Whether a reading is the mean of a window of measurements; of the last burst if it is `nil`.
  private func allows(
    _ reading: ShownReading, at time: PrintTime, _ age: Double, _ window: Int?
  ) -> Bool {
    let (least, most) = (count(until: time.start), count(until: time.end))
    for end in least...max(least, most) where end > 0 && times[end - 1] >= time.start - age {
      let start = window.map { max(0, end - $0) } ?? bursts[end - 1]
      if end - start >= shortest, reading.values.allSatisfy({ isMean($0, start..<end) }) {
        return true
      }
    }
    return false
  }

  private func isMean(_ shown: ShownValue, _ range: Range<Int>) -> Bool {
    guard let value = shown.value else { return true }
    guard let lows = lows[shown.quantity], let highs = highs[shown.quantity] else { return false }
    let count = Double(range.count)
    let low = (lows[range.upperBound] - lows[range.lowerBound]) / count - shown.digit
    let high = (highs[range.upperBound] - highs[range.lowerBound]) / count + shown.digit
    return low <= value && value <= high
  }

  /// How many measurements had been read by a time.
  private func count(until time: Double) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Judge {
  /// The outcome with the readings marked that show no air of their time and are means of measurements.
  func withMeans(_ outcome: Outcome) -> Outcome {
    guard scenario.isTimed, let timing, let evidence = outcome.evidence else { return outcome }
    let wrong = outcome.readings.indices.filter { index in
      guard outcome.times.indices.contains(index), !timing.isGone(at: outcome.times[index]) else {
        return false
      }
      let differences = differences(at: index, of: outcome)
      let isOfHumidity = differences.allSatisfy { $0.quantity == .humidity }
      return !differences.isEmpty && (isOfHumidity || !evidence.wantsFilter)
    }
    guard !wrong.isEmpty else { return outcome }
    let readings = wrong.map { (reading: outcome.readings[$0], time: outcome.times[$0]) }
    guard RunningMeans(evidence, in: scenario).explain(readings, age: timing.age) else {
      return outcome
    }
    var marked = outcome
    marked.means = Set(wrong)
    return marked
  }
}
