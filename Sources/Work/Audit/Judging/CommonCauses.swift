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

/// A factor or an offset by which a quantity is off on every bench.
///
/// It results from a conversion in the program, for example to sea level or to another unit.
struct CommonDifference {
  /// The quantity that is off.
  let quantity: Measurand
  private let factor: Double, offset: Double

  /// The minimum number of benches that must agree.
  private static let fewest = 5

  /// Finds at most one common difference per quantity.
  static func find(in judgements: [Judgement]) -> [CommonDifference] {
    // A quantity that is right on any bench is not off everywhere.
    guard !judgements.contains(where: { $0.verdict == .right }) else { return [] }
    return Set(judgements.flatMap(\.differences).map(\.quantity)).inOrder().compactMap { quantity in
      let pairs = judgements.flatMap(\.differences).compactMap { difference in
        difference.quantity == quantity ? difference.values : nil
      }
      return CommonDifference(quantity, pairs)
    }
  }

  private typealias Pair = (shown: Double, right: Double, digit: Double)

  private init?(_ quantity: Measurand, _ pairs: [Pair]) {
    guard pairs.count >= Self.fewest else { return nil }
    self.quantity = quantity
    let factor = Self.median(pairs.map { $0.right == 0 ? 0 : $0.shown / $0.right })
    let offset = Self.median(pairs.map { $0.shown - $0.right })
    let byFactor = pairs.count { Self.agrees($0, factor: factor, offset: 0) }
    let byOffset = pairs.count { Self.agrees($0, factor: 1, offset: offset) }
    guard max(byFactor, byOffset) * 5 >= pairs.count * 4, max(byFactor, byOffset) >= Self.fewest
    else { return nil }
    (self.factor, self.offset) =
      byFactor > byOffset && quantity != .temperature ? (factor, 0) : (1, offset)
  }

  private static func median(_ values: [Double]) -> Double { values.inOrder()[values.count / 2] }

  private static func agrees(_ pair: Pair, factor: Double, offset: Double) -> Bool {
    let expected = pair.right * factor + offset
    return abs(pair.shown - expected) <= pair.digit + abs(expected) * 5e-4
  }

  /// Returns `true` if this factor or offset explains a difference completely.
  func explains(_ difference: Judgement.Difference) -> Bool {
    guard difference.quantity == quantity, let values = difference.values else { return false }
    return Self.agrees(values, factor: factor, offset: offset)
  }

  /// `true` if the difference is a correction built into the program rather than a unit conversion.
  var isCorrection: Bool { factor == 1 && !(quantity == .pressure && offset > 0) }

  /// The probable cause in words; `nil` if the factor or offset suggests none.
  private var guess: String? {
    // A power of ten indicates a wrong unit.
    let units: [(factor: Double, words: String)] = [
      (100, "Pa shown as hPa"), (0.01, "hPa shown as Pa"), (0.1, "kPa shown as hPa"),
      (10, "in tenths of the displayed unit"), (1000, "in thousandths of the displayed unit"),
    ]
    if let unit = units.first(where: { abs(factor / $0.factor - 1) < 1e-3 }) { return unit.words }
    let isNear = factor > 1 && factor < 1.25 || factor == 1 && (0..<20_000).contains(offset)
    return quantity == .pressure && isNear && (offset > 0 || factor > 1)
      ? "reduced to sea level" : nil
  }

  /// `true` if the pressure is 100 times the correct value, or 1/100 of it.
  var isOtherUnit: Bool {
    quantity == .pressure && (abs(factor / 100 - 1) < 1e-3 || abs(factor * 100 - 1) < 1e-3)
  }

  /// The description: `pressure + 30.80 hPa everywhere: reduced to sea level?`.
  var sentence: String {
    let guess = guess.map { ": \($0)?" } ?? ""
    if factor == 0 { return "\(quantity.name) is 0 everywhere" }
    guard factor == 1 else {
      return "\(quantity.name) x \(Decimal.fixed(factor, 4)) everywhere\(guess)"
    }
    let unit = quantity.spelledUnits[0]
    let size = Decimal.fixed(abs(offset) / unit.scale, unit.decimals)
    return "\(quantity.name) \(offset < 0 ? "-" : "+") \(size) \(unit.symbol) everywhere\(guess)"
  }
}

extension [Judgement] {
  /// Returns the judgements, with a common cause set in each judgement whose wrong values are all
  /// explained by a factor or offset that occurs on all benches.
  package func withCommonDifferences() -> [Judgement] {
    let common = CommonDifference.find(in: filter { $0.common == nil })
    guard !common.isEmpty else { return self }
    return map { judgement in
      guard judgement.common == nil else { return judgement }
      var judgement = judgement
      let explained = judgement.differences.map { difference in
        common.first { $0.explains(difference) }
      }
      if judgement.verdict == .wrong, !explained.isEmpty, !explained.contains(where: { $0 == nil })
      {
        let explaining = common.filter { item in
          explained.contains { $0?.quantity == item.quantity }
        }
        judgement.common = explaining.map(\.sentence).joined(separator: "; ")
        if judgement.likely.isEmpty, explaining.contains(where: \.isOtherUnit) {
          judgement.likely = [("B14", DefectClass.named("B14")?.title ?? "")]
        }
        if judgement.likely.isEmpty, explaining.contains(where: \.isCorrection) {
          judgement.likely = [("B49", DefectClass.named("B49")?.title ?? "")]
        }
      }
      return judgement
    }
  }
}
