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

  /// Whether a reading is the mean of the last few measurements, or of the last burst, at the time when it was printed.
  ///
  /// A program that forgets its measurements at a failure fills its window anew: their number may change.
  ///
  /// - Parameters:
  ///   - reading: the reading.
  ///   - time: when it was printed.
  ///   - age: how old the last measurement of a mean may be, in seconds.
  /// - Returns: whether it is.
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

  /// Whether measurements are so far apart that the first of them say nothing of the air behind the outage.
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
  ///
  /// On a bench whose air changes once, means mix the air before with that after.
  func withMeans(_ outcome: Outcome) -> Outcome {
    guard let timing, let evidence = outcome.evidence,
      outcome.times.count == outcome.readings.count,
      scenario.isTimed || scenario.changesOnce && !evidence.wantsFilter
    else { return outcome }
    let means = RunningMeans(evidence, self, timing)
    func isMean(_ index: Int) -> Bool {
      means.explain(outcome.readings[index], at: outcome.times[index], age: timing.age)
    }
    let shown = outcome.readings.indices.filter { !timing.isGone(at: outcome.times[$0]) }
    var marked = outcome
    if evidence.wantsFilter { marked.unmeasured = Set(shown.filter { !isMean($0) }) }
    let wrong = shown.filter { index in
      let differences = differences(at: index, of: marked)
      let isOfHumidity = differences.allSatisfy { $0.quantity == .humidity }
      return !differences.isEmpty && (isOfHumidity || !evidence.wantsFilter)
    }
    marked.means = Set(wrong.filter(isMean))
    return marked
  }
}
