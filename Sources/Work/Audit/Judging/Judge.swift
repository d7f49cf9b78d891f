import BME280
import BME280Model
import Diagnosis
import Quantities
import Runs
import Support

/// Judges the outcome of a program in a scenario.
package struct Judge {
  package let scenario: Scenario
  /// The quantities that the program displays on the calm bench (constant air, no faults).
  package let quantities: Set<Measurand>
  /// The classes of bus errors that the program causes even on the calm bench (constant air, no
  /// faults); they are not named as the cause in other scenarios.
  package let usualConduct: Set<String>
  package let truths: [ExpectedReading]
  /// For each air state, the values that a program may display then with the part's filter enabled:
  /// those between all air states so far.
  let filteredTruths: [ExpectedReading]
  /// The number of readings at the start of the output that are wrong even on the calm bench
  /// (constant air, no faults).
  package let usualBadStart: Int
  /// The quantities that are wrong on the calm bench (constant air, no faults) even after the first
  /// `usualBadStart` readings.
  package let usualWrong: Set<Measurand>
  /// The lines without values that the program prints on the calm bench (constant air, no faults),
  /// with digits removed.
  package var usualLines: Set<String> = []
  /// The number of readings on the calm bench (constant air, no faults) that repeat an earlier
  /// measurement, and the total number of readings on that bench.
  package var repetitions = (count: 0, all: 0)
  /// The start of each air state and the maximum age of a value; `nil` if the program's times are
  /// unknown.
  package var timing: Timing?

  package init(
    _ scenario: Scenario, quantities: Set<Measurand>, usualConduct: Set<String> = [],
    usualBadStart: Int = 0, usualWrong: Set<Measurand> = []
  ) {
    self.usualWrong = usualWrong
    self.usualBadStart = usualBadStart
    self.scenario = scenario
    self.quantities = quantities
    self.usualConduct = usualConduct
    truths = scenario.truths.map { ExpectedReading($0, in: scenario) }
    filteredTruths = truths.reduce(into: []) { ranges, truth in
      ranges.append(
        ranges.last.map { ExpectedReading(between: $0, and: truth, in: scenario) } ?? truth)
    }
  }

  /// Judges an outcome.
  ///
  /// If the first readings are wrong even on the calm bench (constant air, no faults), the readings
  /// after them are judged first.
  package func judge(_ outcome: Outcome) -> Judgement {
    guard usualBadStart > 0, scenario.wanted != .error, outcome.readings.count > usualBadStart
    else {
      return judged(outcome)
    }
    let behind = judged(behindBadStart(outcome))
    if behind.verdict == .wrong { return behind }
    var whole = judged(outcome)
    if whole.verdict == .wrong { whole.common = Self.badStart }
    return whole
  }

  /// Returns the outcome without the first readings, as many as are wrong even on the calm bench
  /// (constant air, no faults).
  package func behindBadStart(_ outcome: Outcome) -> Outcome {
    var later = outcome
    later.readings.removeFirst(usualBadStart)
    later.times.removeFirst(min(usualBadStart, later.times.count))
    later.means = Set(outcome.means.map { $0 - usualBadStart }.filter { $0 >= 0 })
    later.unmeasured = Set(outcome.unmeasured.map { $0 - usualBadStart }.filter { $0 >= 0 })
    return later
  }

  /// The text that names the common cause if a program's first reading is wrong even on the calm
  /// bench (constant air, no faults).
  package static let badStart = "as on the calm bench, the first reading is wrong"

  /// Returns the number of wrong readings before the first right one; 0 if none is right.
  package func badStart(of outcome: Outcome) -> Int {
    let first = outcome.readings.firstIndex { differences($0, truths).isEmpty } ?? 0
    return first <= 2 ? first : 0
  }

  /// Returns the quantities that are wrong in any reading from index `start` on.
  package func wrongQuantities(of outcome: Outcome, after start: Int) -> Set<Measurand> {
    Set(outcome.readings.dropFirst(start).flatMap { differences($0, truths) }.map(\.quantity))
  }

  /// Returns the evidence, without findings about humidity if the program does not display it.
  private func shown(_ evidence: Evidence?) -> Evidence? {
    quantities.contains(.humidity) ? evidence : evidence?.withoutHumidity
  }

  private func judged(_ outcome: Outcome) -> Judgement {
    let (verdict, reason, differences) = verdict(of: outcome)
    let reading = differences.isEmpty ? outcome.readings.last : worst(of: outcome)
    return Judgement(
      scenario: scenario, verdict: verdict,
      shown: reading?.ordered.map(\.text) ?? [],
      differences: differences, reason: reason,
      likely: scenario.wanted != .error && verdict == .failed ? conduct(behind: outcome) : [],
      conduct: conduct(of: outcome, isFinding: verdict.isFinding), faults: outcome.faults,
      readings: outcome.readings.count, seconds: outcome.seconds)
  }

  /// Returns the bus errors of a program, except the power-on values that the scenario itself makes and the program has
  /// not displayed.
  private func conduct(of outcome: Outcome, isFinding: Bool) -> [ProtocolFinding] {
    let findings = shown(outcome.evidence)?.findings ?? []
    guard scenario.classes.contains("B37"), !isFinding else { return findings }
    return findings.filter { $0.classID != "B37" }
  }

  package typealias Finding = (
    verdict: Judgement.Verdict, reason: String, differences: [Judgement.Difference]
  )

  private func verdict(of outcome: Outcome) -> Finding {
    if scenario.needsFault, !outcome.faults.contains(where: { $0.count > 0 }) {
      return (.notRun, "the program does not read what the scenario changes", [])
    }
    let finding = verdictOfShown(outcome)
    // If a wait in wall-clock time may have caused the finding, the verdict is not reliable.
    guard finding.verdict.isFinding, let leak = outcome.leak else { return finding }
    return (.notRun, "not judged: \(leak)", [])
  }

  private func verdictOfShown(_ outcome: Outcome) -> Finding {
    let didHappen = hasHappened(outcome)
    if scenario.wanted == .error, !outcome.readings.isEmpty {
      let shown = outcome.readings[0].ordered.map {
        Judgement.Difference(quantity: $0.quantity, shown: $0.text, right: Judgement.nothing)
      }
      return (.wrong, "values displayed although nothing can be measured", shown)
    }
    let differences =
      outcome.readings.indices.lazy.map { self.differences(at: $0, of: outcome) }
      .first { !$0.isEmpty } ?? []
    if !differences.isEmpty, scenario.isWarning {
      return (.right, "warning: the program's own measurements heat the sensor", differences)
    }
    if !differences.isEmpty { return (.wrong, sentence(of: differences), differences) }
    if let again = shownAgain { return again }
    if let errors = errorsWithoutFault(outcome) { return errors }
    if scenario.isTimed { return timedVerdict(outcome) }
    if didHappen, let stale = stale(outcome) {
      return (.wrong, "old values displayed after a change", stale)
    }
    if outcome.hasDied { return died(outcome) }
    let missing = outcome.readings.compactMap(absent).first
    if outcome.readings.isEmpty || missing != nil {
      return shownNothing(outcome, missing, didHappen)
    }
    guard didHappen else {
      if let silent = silentAfterChange(outcome) { return silent }
      return (.notRun, "the program ended before the fault occurred", [])
    }
    return withoutRecovery(outcome) ?? endedWithError(outcome) ?? withSplitReads(outcome)
      ?? (
        .right,
        outcome.means.isEmpty
          ? "" : "warning: the program displays averages, not single measurements", []
      )
  }

  /// The verdict `failed` if more than a third of the program's readings repeat an earlier
  /// measurement; otherwise `nil`.
  private var shownAgain: Finding? {
    let (count, all) = repetitions
    guard count * 3 > all else { return nil }
    let reason =
      count == all - 1
      ? "measured once and displayed as \("reading".counted(all))"
      : "\(count) of \("reading".counted(all)) repeat an earlier measurement"
    return (.failed, reason, [])
  }

  /// The verdict `failed` for a program of another part that reports errors repeatedly although its bench has no fault;
  /// otherwise `nil`.
  private func errorsWithoutFault(_ outcome: Outcome) -> Finding? {
    guard scenario.auditedPart != nil, scenario.name == Scenario.calm.name else { return nil }
    let messages = outcome.messages
    guard messages.count > 1, let last = messages.last else { return nil }
    return (.failed, "\(messages.count) errors on a bench without faults: \(last.prefix(100))", [])
  }

  /// The verdict `reported` for a program that displayed values and then ended with an error, where an error is accepted;
  /// otherwise `nil`.
  private func endedWithError(_ outcome: Outcome) -> Finding? {
    guard scenario.wanted != .values, let status = outcome.status, status != 0 else { return nil }
    let message = (outcome.errors.last ?? outcome.reason).map { ": \($0.prefix(100))" } ?? ""
    return (
      .reported,
      "exit status \(status) after \("reading".counted(outcome.readings.count))\(message)",
      []
    )
  }

  /// Returns `true` if the scenario's event occurred.
  private func hasHappened(_ outcome: Outcome) -> Bool {
    guard outcome.hasFired || scenario.mayNotHappen else { return false }
    guard scenario.phases.contains(where: { $0.start == .event }) else { return true }
    return outcome.readings.count >= 3
  }

  /// The verdict on firmware that could not continue; a crash never counts as reporting an error.
  package func died(_ outcome: Outcome) -> Finding {
    let count = outcome.readings.count
    let before = count == 0 ? "no value" : "no value after \("reading".counted(count))"
    return (.failed, "\(before): \(outcome.reason ?? "")", [])
  }

  package func shownNothing(_ outcome: Outcome, _ missing: String?, _ didHappen: Bool) -> Finding {
    let message = outcome.errors.last ?? outcome.lines.last
    let ending =
      if outcome.tookTooLong {
        "timed out" + (outcome.reason.map { "; \($0)" } ?? "")
      } else if let status = outcome.status {
        outcome.reason ?? (status == 0 ? "ended with exit status 0" : "exit status \(status)")
      } else {
        "still running"
      }
    let quote = message.map { ": \(String($0.prefix(100)))" } ?? ""
    let hasReported = message != nil || (outcome.status ?? 0) != 0 || missing != nil
    // A message before an endless loop, such as "begin failed", is a report, too.
    if scenario.wanted == .error, outcome.tookTooLong, let last = outcome.messages.last {
      return (.reported, "\(String(last.prefix(100))); then it waits for ever", [])
    }
    if scenario.wanted != .values, hasReported, !outcome.tookTooLong {
      // A script or a service that started the program takes this status for a success.
      let report =
        outcome.status == 0 && outcome.readings.isEmpty
        ? "warning: exit status 0 without a value" : ending
      return didHappen
        ? (.reported, (missing ?? report) + quote, [])
        : (.notRun, "the program ended before the fault occurred", [])
    }
    return (.failed, (missing ?? "no value: \(ending)") + quote, [])
  }

  /// Describes a quantity that the program usually displays but that is missing from a reading;
  /// returns `nil` if no quantity is missing.
  package func absent(_ reading: ShownReading) -> String? {
    for quantity in quantities.inOrder() {
      if quantity == .humidity, !scenario.chip.measuresHumidity { continue }
      guard let shown = reading[quantity] else { return "no \(quantity.name)" }
      if shown.value == nil { return "\(quantity.name) \(shown.text)" }
    }
    return nil
  }

  // MARK: Values

  /// Returns the differences between the last reading and the air after a change if that reading
  /// does not match this air; otherwise `nil`.
  ///
  /// With the part's filter enabled, it is sufficient that the last reading no longer matches the
  /// air before the change.
  private func stale(_ outcome: Outcome) -> [Judgement.Difference]? {
    guard scenario.phases.contains(where: { $0.start == .event }),
      !outcome.means.contains(outcome.readings.count - 1), let last = outcome.readings.last,
      let before = truths.first, let after = truths.last
    else { return nil }
    if let late = late(outcome, before, after) { return late }
    let differences = differences(last, against: after)
    let isFiltered = outcome.evidence?.filtersPromptly == true
    let isStale =
      isFiltered ? self.differences(last, against: before).isEmpty : !differences.isEmpty
    return isStale ? differences : nil
  }

  /// Returns the differences between the first reading after a change and the new air if that
  /// reading still matches the old air; otherwise `nil`.
  ///
  /// Such a program triggers each measurement, but displays the previous measurement instead of the
  /// one that it has just triggered.
  ///
  /// The change occurs between the second and the third reading.
  private func late(
    _ outcome: Outcome, _ before: ExpectedReading, _ after: ExpectedReading
  ) -> [Judgement.Difference]? {
    guard outcome.evidence?.measuresOnDemand == true, outcome.readings.count >= 4 else {
      return nil
    }
    let reading = outcome.readings[2]
    let differences = differences(reading, against: after)
    guard !differences.isEmpty, self.differences(reading, against: before).isEmpty,
      self.differences(outcome.readings[3], against: after).isEmpty
    else { return nil }
    return differences
  }

  /// Returns the air states that the program may display; with the filter enabled, values between
  /// two of them are allowed too.
  package func truths(for outcome: Outcome) -> [ExpectedReading] {
    guard truths.count > 1, outcome.evidence?.filtersPromptly == true else { return truths }
    return [truths[0], filteredTruths[truths.count - 1]]
  }

  /// Returns the wrong values of a reading; all its values must belong to the same air state.
  package func differences(_ reading: ShownReading, _ truths: [ExpectedReading]) -> [Judgement
    .Difference]
  {
    truths.map { differences(reading, against: $0) }.min { $0.count < $1.count } ?? []
  }

  private func differences(
    _ reading: ShownReading, against truth: ExpectedReading
  ) -> [Judgement.Difference] {
    reading.ordered.compactMap { shown in
      guard shown.value != nil else { return nil }
      let quantity = shown.quantity
      let right = truth.right(of: quantity, nearest: shown)
      guard right == nil || !truth.allows(shown) else { return nil }
      return Judgement.Difference(
        quantity: quantity, shown: shown.text,
        right: right.map { shown.unit.text($0) } ?? Judgement.nothing,
        values: right.flatMap { right in shown.value.map { ($0, right, shown.digit) } })
    }
  }

  private func worst(of outcome: Outcome) -> ShownReading? {
    let counts = outcome.readings.indices.map { differences(at: $0, of: outcome).count }
    return counts.max().flatMap(counts.firstIndex).map { outcome.readings[$0] }
  }

  private func sentence(of differences: [Judgement.Difference]) -> String {
    if scenario.isGone, differences.contains(where: { $0.right == Judgement.nothing }) {
      return "the part no longer responds, but the program still displays values"
    }
    if differences.contains(where: { $0.right == Judgement.nothing }) {
      return "humidity displayed although the part does not measure it"
    }
    return "wrong values displayed without an error"
  }

  /// Returns the defects that a failure without wrong values shows: the growth of a resource, an endless wait, or bus
  /// errors.
  private func conduct(behind outcome: Outcome) -> [(classID: String, title: String)] {
    guard scenario.auditedPart == nil, let shown = failureClass(of: outcome),
      let defect = DefectClass.named(shown)
    else { return misconduct(outcome) }
    return [(shown, defect.title)]
  }

  /// The class of a failure that the course of the output shows; `nil` for any other.
  private func failureClass(of outcome: Outcome) -> String? {
    if ResourceUse.growth(outcome.resources) != nil { return "B65" }
    if waitsEndlessly(outcome) { return "B67" }
    if givenUp(outcome) != nil { return "B68" }
    return stoppedByClock(outcome) != nil ? "B69" : nil
  }

  /// Returns `true` if the program repeats a failing read, many times for each of its usual readings, without an end.
  private func waitsEndlessly(_ outcome: Outcome) -> Bool {
    guard scenario.classes.contains("B67"), outcome.status == nil else { return false }
    return outcome.faults.contains { $0.count > 20 * (scenario.lastRest ?? 0) }
  }

  /// Returns the bus errors of a program that displayed no values, except those that also occur on
  /// the calm bench (constant air, no faults).
  private func misconduct(_ outcome: Outcome) -> [(classID: String, title: String)] {
    var found: [(classID: String, title: String)] = []
    for finding in outcome.evidence?.findings ?? [] {
      guard let id = finding.classID, !usualConduct.contains(id),
        !found.contains(where: { $0.classID == id })
      else { continue }
      found.append((id, DefectClass.named(id)?.title ?? finding.sentence))
    }
    return found
  }
}

extension Judge {
  /// Returns the wrong values of the reading at an index; in a timed scenario the reading must
  /// match the air at its print time.
  package func differences(at index: Int, of outcome: Outcome) -> [Judgement.Difference] {
    let reading = outcome.readings[index]
    guard scenario.isTimed, let timing, outcome.times.indices.contains(index) else {
      return outcome.means.contains(index) ? [] : differences(reading, truths(for: outcome))
    }
    let time = outcome.times[index]
    guard !timing.isGone(at: time) else {
      return reading.ordered.filter { $0.value != nil }.map {
        Judgement.Difference(quantity: $0.quantity, shown: $0.text, right: Judgement.nothing)
      }
    }
    guard !outcome.means.contains(index) else { return [] }
    let airs = timing.airs(at: time)
    if outcome.evidence?.filtersPromptly == true {
      // With the part's filter, a value may lie between any of the air states so far, but follows from a measurement.
      let differences = differences(reading, [filteredTruths[airs.upperBound - 1]])
      if !differences.isEmpty || !outcome.unmeasured.contains(index) { return differences }
    }
    let differences = differences(reading, Array(truths[airs]))
    // If the air changes during a reading, each value may belong to either air state.
    return differences.filter { difference in
      !truths[airs].contains { truth in reading[difference.quantity].map(truth.allows) ?? false }
    }
  }

  /// Returns `true` if all wrong readings match earlier air, which means that the program displays
  /// old measurements again.
  package func showsOldAir(_ outcome: Outcome) -> Bool {
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

  /// Returns the verdict in a timed scenario on a program without wrong readings.
  package func timedVerdict(_ outcome: Outcome) -> Finding {
    if outcome.hasDied { return died(outcome) }
    let missing = outcome.readings.compactMap(absent).first
    if outcome.readings.isEmpty || (missing != nil && scenario.wanted == .values) {
      return shownNothing(outcome, missing, true)
    }
    if let growth = ResourceUse.growth(outcome.resources) {
      return (.failed, "resource leak: \(growth)", [])
    }
    if let early = endedEarly(outcome) { return early }
    let later = outcome.times.count { $0.start >= (timing?.event ?? 0) }
    if let unrecovered = withoutRecovery(outcome) ?? givenUp(outcome) ?? stoppedByClock(outcome) {
      return unrecovered
    }
    let isSilent = scenario.isGone || later == 0
    guard isSilent else {
      return outcome.tookTooLong && scenario.resourceLooks.isEmpty
        ? (.failed, "timed out", []) : (.right, "", [])
    }
    if let status = outcome.status, status != 0 {
      return (.reported, outcome.errors.last ?? outcome.reason ?? "exit status \(status)", [])
    }
    if let message = failureMessage(outcome) ?? missing { return (.reported, message, []) }
    if scenario.wanted == .values {
      return (.notRun, "the program ended before the fault occurred", [])
    }
    if outcome.status == 0, !scenario.isGone, outcome.readings.count < 3 {
      return (.notRun, "the program ended before the fault occurred", [])
    }
    let ending =
      outcome.tookTooLong
      ? "timed out"
      : outcome.status == 0 ? "ended with exit status 0" : "no more values"
    return (.failed, "\(ending), without an error message", [])
  }

  /// The verdict `notRun` for a program that ended by itself, without an error, before the end of a long run or outage;
  /// otherwise `nil`.
  private func endedEarly(_ outcome: Outcome) -> Finding? {
    guard scenario.isLongRun, outcome.status == 0, let last = scenario.lastRest,
      outcome.readings.count < last * 9 / 10
    else { return nil }
    let wanted = scenario.passes ? "the end of the outage" : "reading".counted(last)
    return (
      .notRun,
      "the program ended after \("reading".counted(outcome.readings.count)), before \(wanted)", []
    )
  }

  /// Returns the last error message, or else another line, that the program does not print on the
  /// calm bench (constant air, no faults); `nil` if there is none.
  private func failureMessage(_ outcome: Outcome) -> String? {
    outcome.errors.last { !usualLines.contains($0.withoutDigits) }
      ?? outcome.otherLines.filter { shape, line in
        !usualLines.contains(shape) && line.contains { !$0.isWhitespace }
      }.values.min()
  }
}

extension Judge {
  /// The number of equal messages after which a program that ends has tried to continue, and did not just report the
  /// failure.
  private static let leastAttempts = 5

  /// How often the most frequent line of standard error occurs; the lines of one traceback differ.
  private func attempts(_ outcome: Outcome) -> Int {
    let lines = outcome.errors.filter { $0.contains(where: \.isLetter) }.map(\.withoutDigits)
    return Dictionary(grouping: lines) { $0 }.values.map(\.count).max() ?? 0
  }

  /// Returns the verdict `failed` for a program that keeps running after a transient failure but
  /// displays no more values, or gives up after several attempts; otherwise `nil`.
  package func withoutRecovery(_ outcome: Outcome) -> Finding? {
    guard scenario.passes, let timing, !outcome.times.isEmpty else { return nil }
    let later = outcome.times.count { $0.start >= timing.event }
    if let status = outcome.status {
      // A long outage outlasts any attempts.
      let attempts = attempts(outcome)
      guard later == 0, !scenario.isLongRun, attempts >= Self.leastAttempts else { return nil }
      return (
        .failed,
        "ended with exit status \(status) after \("attempt".counted(attempts)), although the failure had passed: \(outcome.errors.last?.prefix(100) ?? "")",
        []
      )
    }
    // Before many messages, one value may have been measured before the failure and displayed after it.
    guard later == 0 || later == 1 && outcome.errors.count >= 20 else { return nil }
    // A program that wakes up often needs long for the hours of a long outage.
    if outcome.tookTooLong, !scenario.resourceLooks.isEmpty {
      return (.notRun, "the time limit was reached before the end of the outage; see --timeout", [])
    }
    let message = (outcome.errors.last ?? outcome.lines.last).map { ": \($0.prefix(100))" } ?? ""
    return (.failed, "no values after a transient failure\(message)", [])
  }

  /// Returns the verdict `failed` for a program that recovered from the first failure, but ended or
  /// displayed no more values after several; otherwise `nil`.
  package func givenUp(_ outcome: Outcome) -> Finding? {
    guard scenario.failsRepeatedly, let timing else { return nil }
    let failures = outcome.faults.count { $0.count > 0 }
    let second = timing.event + Double(Scenario.scatterInterval) * timing.pace
    guard failures > 2, outcome.times.contains(where: { $0.start >= second }) else { return nil }
    let last = outcome.times.last?.start ?? 0
    let isSilent = last < timing.event + Double(scenario.lastRest ?? 0) * timing.pace * 0.9
    guard outcome.status != nil || isSilent else { return nil }
    return stopped(
      outcome, "after \(failures) scattered failures, although it recovered from others")
  }

  /// Returns the verdict `failed` for a program that displays no more values after a step of the wall clock; otherwise
  /// `nil`.
  package func stoppedByClock(_ outcome: Outcome) -> Finding? {
    guard !scenario.clockSteps.isEmpty, let timing, let end = scenario.lastRest,
      let last = outcome.times.last?.start,
      last < timing.event + Double(end - 3) * timing.pace
    else { return nil }
    return stopped(outcome, "after the wall clock was set")
  }

  /// Returns the verdict `failed` for a program that ended or displays no more values.
  private func stopped(_ outcome: Outcome, _ occasion: String) -> Finding {
    let ending = outcome.status.map { "ended with exit status \($0)" } ?? "no more values"
    let message = outcome.errors.last.map { ": \($0.prefix(100))" } ?? ""
    return (.failed, "\(ending) \(occasion)\(message)", [])
  }

  /// Returns the verdict `failed` for a program that keeps running after the air has changed, but displays messages
  /// instead of values; otherwise `nil`.
  package func silentAfterChange(_ outcome: Outcome) -> Finding? {
    guard scenario.changesOnce, scenario.faults.isEmpty, outcome.status == nil,
      let message = outcome.errors.last ?? outcome.otherLines.values.min()
    else { return nil }
    return (.failed, "no values after a change of the air: \(message.prefix(100))", [])
  }

  /// Returns the verdict `small` for a program that reads the data of one measurement in several
  /// transfers, even if by chance it displayed no mixture of two measurements; otherwise `nil`.
  package func withSplitReads(_ outcome: Outcome) -> Finding? {
    let id = "B30"
    guard scenario.classes == [id],
      let finding = outcome.evidence?.findings.first(where: { $0.classID == id })
    else { return nil }
    return (.small, "values may mix two measurements: \(finding.sentence)", [])
  }
}

extension [Judgement] {
  /// Withdraws findings about programs that display no more values, if they also end or pause then without a fault.
  ///
  /// - Parameters:
  ///   - outcomes: the outcomes, keyed by the scenario's name.
  ///   - place: the times of the program.
  /// - Returns: the judgements.
  package func withoutPauses(
    _ outcomes: [String: Outcome], at place: Scenario.Place
  ) -> [Judgement] {
    let control =
      first { $0.scenario.name == "long-run" } ?? first { $0.scenario.name == "weather" }
    let times = control.flatMap { outcomes[$0.scenario.name]?.times.map(\.start) } ?? []
    let controlEnd = control?.scenario.endSeconds(at: place) ?? 0
    return map { judgement in
      guard judgement.verdict == .failed,
        judgement.scenario.failsRepeatedly || !judgement.scenario.clockSteps.isEmpty,
        let outcome = outcomes[judgement.scenario.name], let last = outcome.times.last?.start
      else { return judgement }
      // A program that ends by itself after some attempts may have failed in its last ones.
      let isOrderly = outcome.status == 0
      let next =
        last + (isOrderly ? 4 : 0.5) * place.pace...last + (isOrderly ? 8 : 3) * place.pace
      let ranToItsEnd = times.last.map { $0 > controlEnd - 3 * place.pace } ?? true
      let isUnknown = ranToItsEnd && next.upperBound > controlEnd
      guard isUnknown ? isOrderly : !times.contains(where: next.contains) else { return judgement }
      var judgement = judgement
      judgement.verdict = .notRun
      judgement.reason = "the program ends or pauses at that time without the fault, too"
      judgement.likely = []
      return judgement
    }
  }

  /// Changes the verdict to `failed` where an uncaught error ended the program although it handles
  /// other failures.
  ///
  /// - Parameter outcomes: the outcomes, keyed by the scenario's name.
  /// - Returns: the judgements.
  package func withUnhandledEnds(_ outcomes: [String: Outcome]) -> [Judgement] {
    let handlesOthers = contains { judgement in
      guard judgement.scenario.passes, judgement.verdict == .right,
        let outcome = outcomes[judgement.scenario.name], let evidence = outcome.evidence
      else { return false }
      return evidence.failures > 0 && (outcome.status ?? 0) == 0
    }
    guard handlesOthers else { return self }
    return map { judgement in
      // After a long outage, a program may give up in any way, but not by having used up a resource.
      guard judgement.scenario.passes, [.right, .reported].contains(judgement.verdict),
        let end = outcomes[judgement.scenario.name]?.unhandledEnd,
        !judgement.scenario.isTimed || ResourceUse.isExhausted(end)
      else { return judgement }
      var judgement = judgement
      judgement.verdict = .failed
      judgement.reason = "ended by an error that it does not handle like others: \(end)"
      if judgement.scenario.isTimed, judgement.scenario.auditedPart == nil,
        let leak = DefectClass.named("B65")
      {
        judgement.likely = [("B65", leak.title)]
      }
      return judgement
    }
  }
}

extension Outcome {
  /// Messages by which runtimes report an uncaught error.
  private static let uncaughtMarks = [
    "Traceback (most recent call last)", "panicked at", "terminate called", "panic: ",
    "Exception in thread", "Uncaught ",
  ]

  /// The uncaught error that ended the program; `nil` if it kept running or exited by itself.
  fileprivate var unhandledEnd: String? {
    guard let status, status != 0, reason == nil else { return nil }
    if status > 128 { return "signal \(status - 128)" }
    let isUncaught = errors.contains { line in Self.uncaughtMarks.contains { line.contains($0) } }
    return isUncaught ? errors.last.map { String($0.prefix(100)) } : nil
  }
}
