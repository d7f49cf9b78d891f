import Diagnosis
import Quantities
import Runs
import Support

extension [Judgement] {
  /// Adds defects that no single bench reveals, only the last digits of the values on all benches
  /// together.
  ///
  /// - Parameters:
  ///   - outcomes: the outcomes, keyed by the scenario's name.
  ///   - judge: returns the judge of a scenario.
  /// - Returns: the judgements; the verdict `right` becomes `small` where the last digits reveal a
  ///   defect.
  func withLastDigits(_ outcomes: [String: Outcome], _ judge: (Scenario) -> Judge) -> [Judgement] {
    var judgements = self
    var places: [Int] = []
    var benches: [LastDigits.Bench] = []
    for (place, judgement) in enumerated()
    where judgement.scenario.wanted == .values && judgement.verdict != .notRun
      && !judgement.scenario.isTimed
    {
      guard let outcome = outcomes[judgement.scenario.name],
        let bench = judge(judgement.scenario).digits(of: outcome)
      else { continue }
      places.append(place)
      benches.append(bench)
    }
    for finding in LastDigits(benches).findings {
      for value in finding.values { judgements[places[value.bench]].take(finding, value) }
    }
    return judgements
  }
}

extension Judge {
  /// Returns the displayed values of the quantities that are not wrong, each as the range that
  /// rounds to its digits.
  fileprivate func digits(of outcome: Outcome) -> LastDigits.Bench? {
    guard let evidence = outcome.evidence, !outcome.readings.isEmpty else { return nil }
    let truths = truths(for: outcome)
    let wrong = Set(outcome.readings.flatMap { differences($0, truths) }.map(\.quantity))
    let right = outcome.readings.map { reading in
      reading.filter { !wrong.contains($0.key) }.mapValues(\.exactBand)
    }
    return LastDigits.Bench(
      evidence,
      right.map {
        Observation(
          temperature: $0[.temperature] ?? nil, pressure: $0[.pressure] ?? nil,
          humidity: $0[.humidity] ?? nil)
      })
  }
}

extension ShownValue {
  /// The range of values that round to exactly the displayed digits.
  fileprivate var exactBand: Observation.Band? {
    value.map { Observation.Band(low: $0 - digit / 2, high: $0 + digit / 2, isRounded: true) }
  }
}

extension Judgement {
  /// Adds a defect that the last digits reveal.
  ///
  /// The verdict `wrong` or `failed` is kept, with the defect as a further finding; any other
  /// verdict becomes `small`.
  fileprivate mutating func take(_ finding: LastDigits.Finding, _ value: LastDigits.Finding.Value) {
    var classes: [(classID: String, title: String)] = []
    for id in finding.defects.map(\.classID)
    where !(likely + alsoLikely + classes).contains(where: { $0.classID == id }) {
      classes.append((id, DefectClass.named(id)?.title ?? id))
    }
    guard verdict == .right || verdict == .small else {
      alsoLikely += classes
      return
    }
    verdict = .small
    reason = "on every bench, its last digits match a known defect and no correct formula"
    likely += classes
    differences += Measurand.air.filter { $0.name == finding.quantity }.map { quantity in
      Difference(quantity, shown: value.shown, right: value.right)
    }
  }
}

extension Judgement.Difference {
  /// Creates a difference that is smaller than the digits usually printed.
  fileprivate init(_ quantity: Measurand, shown: Double, right: Double) {
    let unit = quantity.spelledUnits[0]
    func text(_ value: Double, _ decimals: Int) -> String {
      "\(Decimal.fixed((value - unit.offset) / unit.scale, decimals)) \(unit.symbol)"
    }
    // Print enough decimals for two digits of the difference.
    let decimals =
      (2...12).first { Int(abs(shown - right) / unit.scale * Double.tenfold($0)) >= 10 } ?? 12
    self.init(
      quantity: quantity, shown: text(shown, decimals), right: text(right, decimals), values: nil)
  }
}

extension Double {
  /// Returns a power of ten.
  fileprivate static func tenfold(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
