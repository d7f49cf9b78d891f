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
  /// Which of the measurements are of the air of their time; behind the part's filter all may be.
  private let isFresh: [Bool]
  /// How far apart two measurements of a mean may be, in seconds: up to two that failed may be missing between them.
  private let longestRest: Double

  /// The largest number of measurements of which a program shows a moving mean.
  private static let longest = 64

  /// Takes what a program has measured.
  ///
  /// - Parameters:
  ///   - evidence: its conversation with the part.
  ///   - judge: who judges the program in the scenario.
  ///   - timing: when each air began.
  init(_ evidence: Evidence, _ judge: Judge, _ timing: Timing) {
    let scenario = judge.scenario
    let measurements = evidence.measurements
    let times = measurements.map(\.time)
    var lows: [Quantity: [Double]] = [:]
    var highs: [Quantity: [Double]] = [:]
    var isFresh: [Bool] = []
    for quantity in Quantity.allCases { (lows[quantity], highs[quantity]) = ([0], [0]) }
    for measurement in measurements {
      let bounds = ExpectedReading.bounds(of: measurement.raw, in: scenario)
      for quantity in Quantity.allCases {
        let range = bounds[quantity] ?? 0...0
        lows[quantity, default: [0]].append((lows[quantity]?.last ?? 0) + range.lowerBound)
        highs[quantity, default: [0]].append((highs[quantity]?.last ?? 0) + range.upperBound)
      }
      let time = PrintTime(start: measurement.time, end: measurement.time)
      let isOfItsTime = judge.truths[timing.airs(at: time)].contains { truth in
        truth.bounds.filter { judge.quantities.contains($0.key) }
          .allSatisfy { bounds[$0.key]?.overlaps($0.value) ?? false }
      }
      isFresh.append(evidence.wantsFilter || isOfItsTime)
    }
    (self.times, self.lows, self.highs, self.isFresh) = (times, lows, highs, isFresh)
    longestRest = 3.5 * timing.pace
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
    for end in least...max(least, most)
    where end > 0 && isFresh[end - 1] && times[end - 1] >= time.start - age {
      let start = window.map { max(0, end - $0) } ?? bursts[end - 1]
      if end - start >= shortest, !spansOutage(start..<end),
        reading.values.allSatisfy({ isMean($0, start..<end) })
      {
        return true
      }
    }
    return false
  }

  /// Whether measurements are so far apart that the first of them say nothing of the air behind the outage.
  private func spansOutage(_ range: Range<Int>) -> Bool {
    range.dropFirst().contains { times[$0] - times[$0 - 1] > longestRest }
  }

  /// Whether a reading follows from what was read shortly before, as a measurement or as a mean of several.
  ///
  /// - Parameters:
  ///   - reading: the reading.
  ///   - time: when it was printed.
  ///   - age: how old the last measurement may be, in seconds.
  /// - Returns: whether it does.
  func give(_ reading: ShownReading, at time: PrintTime, age: Double) -> Bool {
    explain([(reading, time)], age: age)
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
  /// The outcome with the readings marked that show no air of their time, and are means of measurements; behind the part's
  /// filter also those that follow from nothing that was read shortly before.
  func withMeans(_ outcome: Outcome) -> Outcome {
    guard let timing, let evidence = outcome.evidence,
      outcome.times.count == outcome.readings.count
    else { return outcome }
    guard scenario.isTimed else { return withMeansOfChange(outcome, evidence, timing) }
    var marked = outcome
    let means = RunningMeans(evidence, self, timing)
    if evidence.wantsFilter {
      marked.unmeasured = Set(
        outcome.readings.indices.filter {
          !timing.isGone(at: outcome.times[$0])
            && !means.give(outcome.readings[$0], at: outcome.times[$0], age: timing.age)
        })
    }
    let wrong = outcome.readings.indices.filter { index in
      guard !timing.isGone(at: outcome.times[index]) else { return false }
      let differences = differences(at: index, of: marked)
      let isOfHumidity = differences.allSatisfy { $0.quantity == .humidity }
      return !differences.isEmpty && (isOfHumidity || !evidence.wantsFilter)
    }
    let readings = wrong.map { (reading: outcome.readings[$0], time: outcome.times[$0]) }
    if means.explain(readings, age: timing.age) { marked.means = Set(wrong) }
    return marked
  }

  /// The outcome with the readings marked that mix the air before a change with that after it: means.
  private func withMeansOfChange(
    _ outcome: Outcome, _ evidence: Evidence, _ timing: Timing
  ) -> Outcome {
    guard scenario.phases.contains(where: { $0.start == .event }), !evidence.wantsFilter else {
      return outcome
    }
    let wrong = outcome.readings.indices.filter {
      !differences(outcome.readings[$0], truths).isEmpty
    }
    let readings = wrong.map { (reading: outcome.readings[$0], time: outcome.times[$0]) }
    guard RunningMeans(evidence, self, timing).explain(readings, age: timing.age) else {
      return outcome
    }
    var marked = outcome
    marked.means = Set(wrong)
    return marked
  }
}
