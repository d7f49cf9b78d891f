import DriverDiagnosis
import Quantities
import Runs
import Text

extension Judge {
  /// What is wrong of one of the readings; in a scenario with a course of its own it must show the air of its time.
  func differences(at index: Int, of outcome: Outcome) -> [Judgement.Difference] {
    let reading = outcome.readings[index]
    guard scenario.isTimed, let timing, outcome.times.indices.contains(index) else {
      return outcome.means.contains(index) ? [] : differences(reading, truths(for: outcome))
    }
    let time = outcome.times[index]
    guard !timing.isGone(at: time) else {
      return Quantity.allCases.compactMap { reading[$0] }.filter { $0.value != nil }.map {
        Judgement.Difference(quantity: $0.quantity, shown: $0.text, right: Judgement.nothing)
      }
    }
    guard !outcome.means.contains(index) else { return [] }
    let airs = timing.airs(at: time)
    guard outcome.evidence?.wantsFilter == true, !outcome.unmeasured.contains(index) else {
      let differences = differences(reading, Array(truths[airs]))
      // Where the air changes while a reading is taken, its values may be of either air.
      return differences.filter { difference in
        !truths[airs].contains { truth in reading[difference.quantity].map(truth.allows) ?? false }
      }
    }
    // A filter may be anywhere between the airs so far.
    let all = truths[..<airs.upperBound]
    let whole = all.dropFirst().reduce(all[0]) { ExpectedReading(between: $0, and: $1) }
    return differences(reading, [whole])
  }

  /// Whether all wrong readings show an air of before: measured values that are shown again.
  func showsOldAir(_ outcome: Outcome) -> Bool {
    guard let timing else { return false }
    return outcome.readings.indices.allSatisfy { index in
      let wrong = differences(at: index, of: outcome)
      guard !wrong.isEmpty else { return true }
      let end = timing.airs(at: outcome.times[index]).upperBound
      let quantities = Set(wrong.map(\.quantity))
      let reading = outcome.readings[index].filter { quantities.contains($0.key) }
      return quantities.allSatisfy { quantity in
        truths[..<end].contains {
          differences(reading.filter { $0.key == quantity }, [$0]).isEmpty
        }
      }
    }
  }

  /// The verdict on a program of which no reading is wrong for its time.
  func timedVerdict(_ outcome: Outcome) -> Finding {
    if outcome.hasDied { return died(outcome) }
    let missing = outcome.readings.compactMap(absent).first
    if outcome.readings.isEmpty || (missing != nil && scenario.wanted == .values) {
      return shownNothing(outcome, missing, true)
    }
    if let growth = ResourceUse.growth(outcome.resources) {
      return (.failed, "it holds \(growth): what it opens or takes is not given back", [])
    }
    let later = outcome.times.count { $0.start >= (timing?.event ?? 0) }
    let isSilent = scenario.isGone || later == 0
    guard isSilent else {
      return outcome.tookTooLong && scenario.resourceLooks.isEmpty
        ? (.failed, "it was ended because it took too long", []) : (.right, "", [])
    }
    if let status = outcome.status, status != 0 {
      return (.reported, outcome.errors.last ?? outcome.reason ?? "exit status \(status)", [])
    }
    if let said = said(outcome) ?? missing { return (.reported, said, []) }
    if scenario.wanted == .values {
      return (.notRun, "the program ended before it happened", [])
    }
    if outcome.status == 0, !scenario.isGone, outcome.readings.count < 3 {
      return (.notRun, "the program ended before it happened", [])
    }
    let ending =
      outcome.tookTooLong
      ? "it was ended because it took too long"
      : outcome.status == 0 ? "it ended as if all were well" : "it shows nothing more"
    return (.failed, "\(ending), and says nothing of the failure", [])
  }

  /// What it said of a failure that it does not say on the calm bench.
  private func said(_ outcome: Outcome) -> String? {
    outcome.errors.last { !usualLines.contains($0.withoutDigits) }
      ?? outcome.otherLines.first { !usualLines.contains($0) && $0.contains { !$0.isWhitespace } }
  }
}
