import BME280
import DriverDefects
import DriverDiagnosis
import Quantities
import Runs
import Text

/// Judges what a program did.
struct Judge {
  let scenario: Scenario
  /// The quantities that the program shows on a calm bench.
  let quantities: Set<Quantity>
  /// The classes of what it does wrong on the bus even there, which explain nothing here.
  let usualConduct: Set<String>
  let truths: [ExpectedReading]
  /// How many readings at the beginning are wrong on the calm bench too.
  let usualBadStart: Int
  /// The quantities that are wrong there even behind them.
  let usualWrong: Set<Quantity>
  /// What the program prints and says on the calm bench beside its values, without digits.
  var usualLines: Set<String> = []
  /// How many readings on the calm bench show a measurement that was shown before, and of how many.
  var repetitions = (count: 0, all: 0)
  /// When each air begins, and how old a value may be; `nil` where nobody knows the program's times.
  var timing: Timing?

  init(
    _ scenario: Scenario, quantities: Set<Quantity>, usualConduct: Set<String> = [],
    usualBadStart: Int = 0, usualWrong: Set<Quantity> = []
  ) {
    self.usualWrong = usualWrong
    self.usualBadStart = usualBadStart
    self.scenario = scenario
    self.quantities = quantities
    self.usualConduct = usualConduct
    truths = scenario.truths.map { ExpectedReading($0, in: scenario) }
  }

  /// Judges.
  ///
  /// Where the first readings are wrong on the calm bench too, those behind them are judged first.
  func judge(_ outcome: Outcome) -> Judgement {
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

  /// What came behind the readings that are wrong on the calm bench too.
  func behindBadStart(_ outcome: Outcome) -> Outcome {
    var later = outcome
    later.readings.removeFirst(usualBadStart)
    later.times.removeFirst(min(usualBadStart, later.times.count))
    later.means = Set(outcome.means.map { $0 - usualBadStart }.filter { $0 >= 0 })
    later.unmeasured = Set(outcome.unmeasured.map { $0 - usualBadStart }.filter { $0 >= 0 })
    return later
  }

  /// What is common to all scenarios of a program whose first reading is wrong even on the calm bench.
  static let badStart = "as on the calm bench, the first reading is wrong"

  /// How many readings are wrong before the first that is right; 0 where none is right.
  func badStart(of outcome: Outcome) -> Int {
    let first = outcome.readings.firstIndex { differences($0, truths).isEmpty } ?? 0
    return first <= 2 ? first : 0
  }

  /// The quantities that are wrong in any reading behind some at the beginning.
  func wrongQuantities(of outcome: Outcome, after start: Int) -> Set<Quantity> {
    Set(outcome.readings.dropFirst(start).flatMap { differences($0, truths) }.map(\.quantity))
  }

  /// What was recorded, without what concerns a humidity that the program does not show.
  private func shown(_ evidence: Evidence?) -> Evidence? {
    quantities.contains(.humidity) ? evidence : evidence?.withoutHumidity
  }

  private func judged(_ outcome: Outcome) -> Judgement {
    let (verdict, reason, differences) = verdict(of: outcome)
    let reading = differences.isEmpty ? outcome.readings.last : worst(of: outcome)
    return Judgement(
      scenario: scenario, verdict: verdict,
      shown: Quantity.allCases.compactMap { reading?[$0]?.text },
      differences: differences, reason: reason,
      likely: scenario.wanted != .error && verdict == .failed ? misconduct(outcome) : [],
      conduct: shown(outcome.evidence)?.findings ?? [],
      readings: outcome.readings.count, seconds: outcome.seconds)
  }

  typealias Finding = (
    verdict: Judgement.Verdict, reason: String, differences: [Judgement.Difference]
  )

  private func verdict(of outcome: Outcome) -> Finding {
    let finding = verdictOfShown(outcome)
    // Where a limit of the machine's clock may have decided, nobody can tell whether the program is wrong.
    guard finding.verdict.isFinding, let leak = outcome.leak else { return finding }
    return (.notRun, "it cannot be judged: \(leak)", [])
  }

  private func verdictOfShown(_ outcome: Outcome) -> Finding {
    let didHappen = hasHappened(outcome)
    if scenario.wanted == .error, !outcome.readings.isEmpty {
      let shown = Quantity.allCases.compactMap { outcome.readings[0][$0] }.map {
        Judgement.Difference(quantity: $0.quantity, shown: $0.text, right: Judgement.nothing)
      }
      return (.wrong, "there is nothing to measure, and it shows values", shown)
    }
    let differences =
      outcome.readings.indices.lazy.map { self.differences(at: $0, of: outcome) }
      .first { !$0.isEmpty } ?? []
    if !differences.isEmpty, scenario.isWarning {
      return (.right, "a warning: it shows what its own measurements have warmed", differences)
    }
    if !differences.isEmpty { return (.wrong, sentence(of: differences), differences) }
    if let again = shownAgain { return again }
    if scenario.isTimed { return timedVerdict(outcome) }
    if didHappen, let stale = stale(outcome) {
      return (.wrong, "after the change it still shows the values from before", stale)
    }
    if outcome.hasDied { return died(outcome) }
    let missing = outcome.readings.compactMap(absent).first
    if outcome.readings.isEmpty || missing != nil {
      return shownNothing(outcome, missing, didHappen)
    }
    guard didHappen else { return (.notRun, "the program ended before it happened", []) }
    return withoutRecovery(outcome) ?? withSplitReads(outcome)
      ?? (.right, outcome.means.isEmpty ? "" : "a warning: it shows means of its measurements", [])
  }

  /// The verdict on a program that shows old measurements as if they were new: more than a third of its readings.
  private var shownAgain: Finding? {
    let (count, all) = repetitions
    guard count * 3 > all else { return nil }
    let reason =
      count == all - 1
      ? "it has measured once, and shows that as \("reading".counted(all))"
      : "\(count) of \("reading".counted(all)) show a measurement that was shown before"
    return (.failed, reason, [])
  }

  /// Whether what the scenario is about took place.
  private func hasHappened(_ outcome: Outcome) -> Bool {
    guard outcome.hasFired || scenario.mayNotHappen else { return false }
    guard scenario.phases.contains(where: { $0.start == .event }) else { return true }
    return outcome.readings.count >= 3
  }

  /// Firmware that could not go on, whatever it had shown before: that is no report of a failure either.
  func died(_ outcome: Outcome) -> Finding {
    let count = outcome.readings.count
    let before = count == 0 ? "no value" : "after \("reading".counted(count)) no more"
    return (.failed, "\(before): \(outcome.reason ?? "")", [])
  }

  func shownNothing(_ outcome: Outcome, _ missing: String?, _ didHappen: Bool) -> Finding {
    let said = outcome.errors.last ?? outcome.lines.last
    let ending =
      if outcome.tookTooLong {
        "it was ended because it took too long" + (outcome.reason.map { "; \($0)" } ?? "")
      } else if let status = outcome.status {
        outcome.reason ?? (status == 0 ? "it ended as if all were well" : "exit status \(status)")
      } else {
        "it went on"
      }
    let quote = said.map { ": \(String($0.prefix(100)))" } ?? ""
    let hasReported = said != nil || (outcome.status ?? 0) != 0 || missing != nil
    if scenario.wanted != .values, hasReported, !outcome.tookTooLong {
      return didHappen
        ? (.reported, (missing ?? ending) + quote, [])
        : (.notRun, "the program ended before it happened", [])
    }
    return (.failed, (missing ?? "no value: \(ending)") + quote, [])
  }

  /// What a reading lacks of what the program shows otherwise.
  func absent(_ reading: ShownReading) -> String? {
    for quantity in Quantity.allCases where quantities.contains(quantity) {
      if quantity == .humidity, !scenario.chip.measuresHumidity { continue }
      guard let shown = reading[quantity] else { return "no \(quantity.rawValue)" }
      if shown.value == nil { return "\(quantity.rawValue) \(shown.text)" }
    }
    return nil
  }

  // MARK: Values

  /// What is wrong of the last reading after a change; a filter only has to have moved.
  private func stale(_ outcome: Outcome) -> [Judgement.Difference]? {
    guard scenario.phases.contains(where: { $0.start == .event }),
      !outcome.means.contains(outcome.readings.count - 1), let last = outcome.readings.last,
      let before = truths.first, let after = truths.last
    else { return nil }
    if let late = late(outcome, before, after) { return late }
    let differences = differences(last, against: after)
    let isFiltered = outcome.evidence?.wantsFilter == true
    let isStale =
      isFiltered ? self.differences(last, against: before).isEmpty : !differences.isEmpty
    return isStale ? differences : nil
  }

  /// What is wrong of the reading right after a change that shows the air from before it, where the program
  /// asks for each measurement itself: it shows the measurement before its last.
  ///
  /// The change is between the second and the third reading.
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

  /// What the program may show: where it asked for the filter, also what lies between two airs.
  func truths(for outcome: Outcome) -> [ExpectedReading] {
    guard let first = truths.first, let last = truths.last, truths.count > 1,
      outcome.evidence?.wantsFilter == true
    else { return truths }
    return [first, ExpectedReading(between: first, and: last)]
  }

  /// What is wrong of a reading; all its values belong to the same air.
  func differences(_ reading: ShownReading, _ truths: [ExpectedReading]) -> [Judgement.Difference] {
    truths.map { differences(reading, against: $0) }.min { $0.count < $1.count } ?? []
  }

  private func differences(
    _ reading: ShownReading, against truth: ExpectedReading
  ) -> [Judgement.Difference] {
    Quantity.allCases.compactMap { quantity in
      guard let shown = reading[quantity], shown.value != nil else { return nil }
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
      return "nothing answers any more, and it goes on to show values"
    }
    if differences.contains(where: { $0.right == Judgement.nothing }) {
      return "the part measures no humidity, and it shows one"
    }
    return "it shows wrong values and does not say so"
  }

  /// What the program did wrong on the bus here and not elsewhere, where it shows nothing.
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
