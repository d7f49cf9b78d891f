import BME280
import Diagnosis
import Quantities
import Support

/// The means that correct programs may display: the mean of the last few measurements, or the mean
/// of all measurements since the last pause.
///
/// A mean lags behind the air without being wrong. The last measurement of a mean must be as recent
/// as any other displayed value, because a value that stays constant without new reads is not a
/// mean of recent measurements.
///
/// With the part's filter, the humidity of a single measurement lags in the same way, because its
/// compensation uses the filtered temperature.
struct RunningMeans {
  /// The time of each measurement in seconds.
  private let times: [Double]
  /// The cumulative sums of the lowest and highest correct values.
  private let lows: [Measurand: [Double]]
  private let highs: [Measurand: [Double]]
  /// For each measurement, the index of the first measurement of its burst, which is a series of
  /// measurements without a long pause.
  private let bursts: [Int]
  /// The minimum number of measurements in a mean: 1 with the part's filter, otherwise 2.
  private let shortest: Int
  /// For each measurement, `true` if it matches the air at its time; with the part's filter, always
  /// `true`.
  private let isFresh: [Bool]
  /// The maximum time between two successive measurements of a mean, in seconds, which allows for
  /// two failed measurements in between.
  private let longestRest: Double

  /// The maximum length of a moving mean.
  private static let longest = 64

  /// Collects a program's measurements.
  ///
  /// - Parameters:
  ///   - evidence: the recorded transfers.
  ///   - judge: the judge of the scenario.
  ///   - timing: the start times of the air states.
  init(_ evidence: Evidence, _ judge: Judge, _ timing: Timing) {
    let scenario = judge.scenario
    let measurements = evidence.measurements
    let times = measurements.map(\.time)
    var lows: [Measurand: [Double]] = [:]
    var highs: [Measurand: [Double]] = [:]
    var isFresh: [Bool] = []
    for quantity in Measurand.air { (lows[quantity], highs[quantity]) = ([0], [0]) }
    for measurement in measurements {
      let bounds = ExpectedReading.bounds(of: measurement.raw, in: scenario)
      for quantity in Measurand.air {
        let range = bounds[quantity] ?? 0...0
        lows[quantity, default: [0]].append((lows[quantity]?.last ?? 0) + range.lowerBound)
        highs[quantity, default: [0]].append((highs[quantity]?.last ?? 0) + range.upperBound)
      }
      let time = PrintTime(start: measurement.time, end: measurement.time)
      let isOfItsTime = judge.truths[timing.airs(at: time)].contains { truth in
        truth.bounds.filter { judge.quantities.contains($0.key) }
          .allSatisfy { bounds[$0.key]?.overlaps($0.value) ?? false }
      }
      isFresh.append(evidence.filtersPromptly || isOfItsTime)
    }
    (self.times, self.lows, self.highs, self.isFresh) = (times, lows, highs, isFresh)
    longestRest = 3.5 * timing.pace
    shortest = evidence.filtersPromptly ? 1 : 2
    // A failed burst makes a gap longer, so the usual gap counts, not the longest.
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    let rests = gaps.filter { $0 >= (gaps.max() ?? 0) / 4 }.inOrder()
    let usualRest = rests.isEmpty ? 0 : rests[rests.count / 2]
    var first = 0
    bursts = times.indices.map { index in
      if index > 0, times[index] - times[index - 1] >= usualRest / 2 { first = index }
      return first
    }
  }

  /// Returns `true` if a reading is the mean of the last measurements, or of the last burst, before
  /// its print time.
  ///
  /// The number of measurements may change, because a program may clear its window after a failure.
  ///
  /// - Parameters:
  ///   - reading: the reading.
  ///   - time: the print time of the reading.
  ///   - age: the maximum age of the last measurement of a mean, in seconds.
  /// - Returns: `true` if the reading is such a mean.
  func explain(_ reading: ShownReading, at time: PrintTime, age: Double) -> Bool {
    let (least, most) = (count(until: time.start), count(until: time.end))
    for end in least...max(least, most)
    where end > 0 && isFresh[end - 1] && times[end - 1] >= time.start - age {
      if isMean(reading, bursts[end - 1]..<end) { return true }
      for count in shortest...max(shortest, min(Self.longest, end))
      where isMean(reading, max(0, end - count)..<end) {
        return true
      }
    }
    return false
  }

  private func isMean(_ reading: ShownReading, _ range: Range<Int>) -> Bool {
    range.count >= shortest && !spansOutage(range)
      && reading.values.allSatisfy { isMean($0, range) }
  }

  /// Returns `true` if a range of measurements spans an outage, so its first measurements are
  /// outdated.
  private func spansOutage(_ range: Range<Int>) -> Bool {
    range.dropFirst().contains { times[$0] - times[$0 - 1] > longestRest }
  }

  private func isMean(_ shown: ShownValue, _ range: Range<Int>) -> Bool {
    guard let value = shown.value else { return true }
    guard let lows = lows[shown.quantity], let highs = highs[shown.quantity] else { return false }
    let count = Double(range.count)
    let low = (lows[range.upperBound] - lows[range.lowerBound]) / count - shown.digit
    let high = (highs[range.upperBound] - highs[range.lowerBound]) / count + shown.digit
    return low <= value && value <= high
  }

  /// Returns the number of measurements up to a time.
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
  /// Returns the outcome with the indices of means added, which are readings that match a mean of
  /// measurements but not the air at their print time.
  ///
  /// With the part's filter, the indices of readings that do not follow from any recent measurement
  /// are added too.
  ///
  /// If the air changes once, a mean may mix the air states before and after the change.
  func withMeans(_ outcome: Outcome) -> Outcome {
    guard let timing, let evidence = outcome.evidence,
      outcome.times.count == outcome.readings.count,
      scenario.isTimed || scenario.changesOnce && !evidence.filtersPromptly
    else { return outcome }
    let means = RunningMeans(evidence, self, timing)
    func isMean(_ index: Int) -> Bool {
      means.explain(outcome.readings[index], at: outcome.times[index], age: timing.age)
    }
    let shown = outcome.readings.indices.filter { !timing.isGone(at: outcome.times[$0]) }
    var marked = outcome
    if evidence.filtersPromptly { marked.unmeasured = Set(shown.filter { !isMean($0) }) }
    let wrong = shown.filter { index in
      let differences = differences(at: index, of: marked)
      let isOfHumidity = differences.allSatisfy { $0.quantity == .humidity }
      return !differences.isEmpty && (isOfHumidity || !evidence.filtersPromptly)
    }
    marked.means = Set(wrong.filter(isMean))
    return marked
  }
}
