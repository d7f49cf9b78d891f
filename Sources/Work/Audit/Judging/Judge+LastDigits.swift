import DriverDefects
import DriverDiagnosis
import Quantities
import Runs
import Text

extension [Judgement] {
  /// The judgements, with what only the last digits of all benches together tell.
  ///
  /// - Parameters:
  ///   - outcomes: what they were made of, by the name of the scenario.
  ///   - judge: who judged a scenario.
  /// - Returns: the judgements; of what was right, that which shows a defect is small.
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
  /// What was shown of the quantities that are not wrong, digit by digit.
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
  /// All values that are rounded to just what was shown.
  fileprivate var exactBand: Observation.Band? {
    value.map { Observation.Band(low: $0 - digit / 2, high: $0 + digit / 2, isRounded: true) }
  }
}

extension Judgement {
  /// Takes what the last digits tell: in addition to what is wrong anyway, or else for what is small.
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
    reason = "no right formula gives its last digits, and on every bench those of a known defect do"
    likely += classes
    differences += Quantity.allCases.filter { $0.rawValue == finding.quantity }.map { quantity in
      Difference(quantity, shown: value.shown, right: value.right)
    }
  }
}

extension Judgement.Difference {
  /// A difference that is smaller than the digits that are told otherwise.
  fileprivate init(_ quantity: Quantity, shown: Double, right: Double) {
    let unit = quantity.spelledUnits[0]
    func text(_ value: Double, _ decimals: Int) -> String {
      "\(Decimal.fixed((value - unit.offset) / unit.scale, decimals)) \(unit.spelling)"
    }
    // Two digits of the difference.
    let decimals =
      (2...12).first { Int(abs(shown - right) / unit.scale * Double.tenfold($0)) >= 10 } ?? 12
    self.init(
      quantity: quantity, shown: text(shown, decimals), right: text(right, decimals), values: nil)
  }
}

extension Double {
  /// A power of ten.
  fileprivate static func tenfold(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
