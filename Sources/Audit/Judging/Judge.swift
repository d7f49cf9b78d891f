import BME280
import DriverDefects
import Rigs

/// Judges what a program did.
struct Judge {
  let scenario: Scenario
  /// The quantities that the program shows on a calm bench.
  let quantities: Set<Quantity>
  private let truths: [Truth]

  init(_ scenario: Scenario, quantities: Set<Quantity>) {
    self.scenario = scenario
    self.quantities = quantities
    truths = scenario.truths.map { Truth($0, in: scenario) }
  }

  /// Judges.
  func judge(_ outcome: Outcome) -> Judgement {
    let (verdict, reason, differences) = verdict(of: outcome)
    let reading = differences.isEmpty ? outcome.readings.last : worst(of: outcome.readings)
    return Judgement(
      scenario: scenario, verdict: verdict,
      shown: Quantity.allCases.compactMap { reading?[$0]?.text },
      differences: differences, reason: reason,
      likely: verdict == .wrong && scenario.wanted != .error ? likely(outcome) : [],
      conduct: outcome.evidence?.findings ?? [],
      readings: outcome.readings.count, seconds: outcome.seconds)
  }

  private typealias Finding = (
    verdict: Judgement.Verdict, reason: String, differences: [Judgement.Difference]
  )

  private func verdict(of outcome: Outcome) -> Finding {
    let didHappen = hasHappened(outcome)
    if scenario.wanted == .error, !outcome.readings.isEmpty {
      let shown = outcome.readings[0].values.map {
        Judgement.Difference(quantity: $0.quantity, shown: $0.text, right: "nothing")
      }
      return (.wrong, "there is nothing to measure, and it shows values", shown)
    }
    let differences = outcome.readings.lazy.map(self.differences).first { !$0.isEmpty } ?? []
    if !differences.isEmpty { return (.wrong, sentence(of: differences), differences) }
    if scenario.phases.contains(where: { $0.start == .event }), didHappen,
      let last = outcome.readings.last, let truth = truths.last
    {
      let stale = self.differences(last, [truth])
      if !stale.isEmpty {
        return (.wrong, "it still shows the values from before the change", stale)
      }
    }
    let missing = outcome.readings.compactMap(absent).first
    if outcome.readings.isEmpty || missing != nil {
      return shownNothing(outcome, missing, didHappen)
    }
    guard didHappen else { return (.missed, "the program ended before it happened", []) }
    return (.right, "", [])
  }

  /// Whether what the scenario is about took place.
  private func hasHappened(_ outcome: Outcome) -> Bool {
    guard outcome.hasFired else { return false }
    guard scenario.phases.contains(where: { $0.start == .event }) else { return true }
    return outcome.readings.count >= 3
  }

  private func shownNothing(_ outcome: Outcome, _ missing: String?, _ didHappen: Bool) -> Finding {
    let said = outcome.errors.last ?? outcome.lines.last
    let ending =
      if outcome.tookTooLong {
        "it was ended because it took too long"
      } else if let status = outcome.status {
        status == 0 ? "it ended as if all were well" : "exit status \(status)"
      } else {
        "it went on"
      }
    let quote = said.map { ": \(String($0.prefix(100)))" } ?? ""
    let hasTold = said != nil || (outcome.status ?? 0) != 0 || missing != nil
    if scenario.wanted != .values, hasTold, !outcome.tookTooLong {
      return didHappen
        ? (.told, (missing ?? ending) + quote, [])
        : (.missed, "the program ended before it happened", [])
    }
    return (.failed, (missing ?? "no value: \(ending)") + quote, [])
  }

  /// What a reading lacks of what the program shows otherwise.
  private func absent(_ reading: ShownReading) -> String? {
    for quantity in Quantity.allCases where quantities.contains(quantity) {
      if quantity == .humidity, !scenario.chip.measuresHumidity { continue }
      guard let shown = reading[quantity] else { return "no \(quantity.rawValue)" }
      if shown.value == nil { return "\(quantity.rawValue) \(shown.text)" }
    }
    return nil
  }

  // MARK: Values

  private func differences(_ reading: ShownReading) -> [Judgement.Difference] {
    // All values of a reading belong to the same air.
    truths.map { differences(reading, [$0]) }.min { $0.count < $1.count } ?? []
  }

  private func differences(_ reading: ShownReading, _ truths: [Truth]) -> [Judgement.Difference] {
    Quantity.allCases.compactMap { quantity in
      guard let shown = reading[quantity], shown.value != nil,
        !truths.contains(where: { $0.allows(shown) && $0.values[quantity] != nil })
      else { return nil }
      let right = truths.last?.values[quantity]
      return Judgement.Difference(
        quantity: quantity, shown: shown.text,
        right: right.map { Self.text($0, like: shown) } ?? "nothing")
    }
  }

  private func worst(of readings: [ShownReading]) -> ShownReading? {
    readings.max { differences($0).count < differences($1).count }
  }

  private func sentence(of differences: [Judgement.Difference]) -> String {
    if differences.contains(where: { $0.right == "nothing" }) {
      return "the part measures no humidity, and it shows one"
    }
    return "it shows wrong values and does not say so"
  }

  /// A right value as the program would have written it.
  static func text(_ value: Double, like shown: ShownValue) -> String {
    let name = shown.text.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    let unit = shown.quantity.units.first { $0.spelling == name } ?? shown.quantity.units[0]
    let number = (value - unit.offset) / unit.scale
    return
      "\(Decimal.fixed(number, unit.scale > 200 ? 3 : unit.scale == 1 && value > 1000 ? 0 : 2)) \(unit.spelling)"
  }

  /// The defects that explain what was shown.
  private func likely(_ outcome: Outcome) -> [(classID: String, title: String)] {
    guard let evidence = outcome.evidence else { return [] }
    let observations = outcome.readings.map { reading in
      Observation(
        temperature: reading[.temperature]?.band, pressure: reading[.pressure]?.band,
        humidity: reading[.humidity]?.band)
    }
    let diagnosis = Diagnosis(evidence, observations)
    var found: [(classID: String, title: String)] = []
    func add(_ id: String, _ title: String) {
      if !found.contains(where: { $0.classID == id }) { found.append((id, title)) }
    }
    if let explanation = diagnosis.explanations.first, explanation.isWhole {
      for defect in explanation.defects { add(defect.classID, defect.title) }
    }
    for finding in evidence.findings {
      if let id = finding.classID { add(id, DefectClass.named(id)?.title ?? finding.sentence) }
    }
    return found
  }
}

extension ShownValue {
  /// All values that are rounded to what was shown.
  fileprivate var band: Observation.Band? {
    value.map { Observation.Band(low: $0 - digit * 0.5000005, high: $0 + digit * 0.5000005) }
  }
}
