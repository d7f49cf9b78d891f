import BME280Model
import Diagnosis
import Quantities
import Runs
import Support

extension Judge {
  /// Adds the defects that explain the errors of a judgement.
  ///
  /// - Parameters:
  ///   - judgement: a judgement of this scenario.
  ///   - outcome: the outcome on which the judgement is based.
  ///   - check: the values displayed on the other benches.
  /// - Returns: the judgement, with the likely defects.
  func explained(
    _ judgement: Judgement, _ outcome: Outcome, _ check: CrossCheck
  ) -> Judgement {
    guard judgement.verdict == .wrong else { return judgement }
    guard scenario.wanted != .error else {
      // If no value is valid, the only possible cause is the defect that the bench tests for.
      var judgement = judgement
      judgement.likely = named(scenario.classes)
      return judgement
    }
    if lagsByFilter(outcome) {
      var judgement = judgement
      judgement.likely = named(["B71"])
      return judgement
    }
    if scenario.isTimed, let stale = scenario.staleClass, showsOldAir(outcome) {
      var judgement = judgement
      judgement.likely = named([stale])
      return judgement
    }
    let outcome = outcome.first(Self.mostExplained)
    let isWhole = judgement.common != nil || outcome.readings.count <= usualBadStart
    let basis = isWhole ? outcome : behindBadStart(outcome)
    var judgement = judgement
    judgement.likely = named(likely(basis, judgement.differences, check))
    return judgement
  }

  /// Returns `true` if a filter lags too long, and every reading would be right with a filter that may lag.
  private func lagsByFilter(_ outcome: Outcome) -> Bool {
    guard let evidence = outcome.evidence, evidence.enablesFilter, !evidence.filtersPromptly,
      truths.count > 1, let latest = filteredTruths.last
    else { return false }
    return outcome.readings.allSatisfy { differences($0, [truths[0], latest]).isEmpty }
  }

  /// The maximum number of readings whose wrong values are explained.
  private static let mostExplained = 32

  /// Returns the defects that explain wrong values.
  ///
  /// Wrong values that follow correctly from the transferred bytes have their cause on the bus. All
  /// other wrong values have their cause in the decoding; they are explained only by defects that
  /// match every digit and contradict no other bench.
  private func likely(
    _ outcome: Outcome, _ differences: [Judgement.Difference], _ check: CrossCheck
  ) -> [String] {
    guard let evidence = outcome.evidence else { return [] }
    if scenario.classes.contains("B61"), differences.allSatisfy(\.isPrintedApart) { return ["B61"] }
    if differences.contains(where: { $0.right == Judgement.nothing }) {
      return scenario.classes.contains("B32") ? ["B32"] : []
    }
    let isUsual = Set(differences.map(\.quantity)).isSubset(of: usualWrong)
    let wrong = wrongValues(outcome, differences)
    var ids = classes(explaining: wrong, evidence, check, isUsual)
    if ids == nil {
      for quantity in Measurand.air {
        let alone = wrong.map { $0.filter { $0.key == quantity } }
        guard alone.contains(where: { !$0.isEmpty }) else { continue }
        ids = (ids ?? []) + (classes(explaining: alone, evidence, check, isUsual) ?? [])
      }
    }
    // Values that no decoding produces come from mixed or lost bytes, so the cause is this bench's
    // defect, if it was detected.
    if ids?.isEmpty ?? true, !isUsual { ids = onTheBus(evidence) }
    if ids?.isEmpty ?? true { ids = hereAlone(outcome, wrong, evidence) }
    if ids?.isEmpty ?? true, evidence.part.calibrationReads == 0 { return ["B72"] }
    return ids ?? []
  }

  /// Returns the defect that only this bench can reveal: late or missing calibration words, or a
  /// reading missing from a mean.
  private func hereAlone(
    _ outcome: Outcome, _ wrong: [ShownReading], _ evidence: Evidence
  ) -> [String] {
    guard let recognition = scenario.recognition, let id = scenario.classes.first else { return [] }
    let isIt =
      switch recognition {
      case .shareOfTruth: areOfLostMean(outcome)
      case .valuesWithoutWords: detected(evidence).contains("B35")
      case .explanation:
        Diagnosis(evidence, wrong.map(\.observation), weighsEvidence: false).explanations
          .contains { $0.isWhole && $0.defects.map(\.classID) == [id] }
      }
    return isIt ? [id] : []
  }

  /// Returns `true` if all wrong values are the same fraction of the correct values, as in a mean
  /// from which readings are missing.
  private func areOfLostMean(_ outcome: Outcome) -> Bool {
    let truths = truths(for: outcome)
    let differences =
      outcome.readings.lazy.map { self.differences($0, truths) }.first { !$0.isEmpty } ?? []
    let bounds = truths.map(\.bounds)
    guard differences.contains(where: { $0.quantity == .pressure }) else { return false }
    return (2...10).contains { wanted in
      (1..<wanted).contains { came in
        let factor = Double(wanted) / Double(came)
        return differences.allSatisfy { difference in
          guard let values = difference.values else { return false }
          let (whole, slack) = (values.shown * factor, values.digit * factor)
          return bounds.contains { bounds in
            bounds[difference.quantity].map {
              ($0.lowerBound - slack...$0.upperBound + slack).contains(whole)
            } ?? false
          }
        }
      }
    }
  }

  /// Returns the values of each reading to explain: those of all quantities that were wrong in any
  /// reading.
  private func wrongValues(
    _ outcome: Outcome, _ differences: [Judgement.Difference]
  ) -> [ShownReading] {
    var quantities = Set(differences.map(\.quantity))
    for index in outcome.readings.indices {
      quantities.formUnion(self.differences(at: index, of: outcome).map(\.quantity))
    }
    return outcome.readings.map { $0.filter { quantities.contains($0.key) } }
  }

  /// Returns the IDs of the defect classes that explain the values of readings; `nil` if no class
  /// does.
  private func classes(
    explaining readings: [ShownReading], _ evidence: Evidence, _ check: CrossCheck, _ isUsual: Bool
  ) -> [String]? {
    let found = Diagnosis(
      evidence, readings.map(\.observation), check: check, weighsEvidence: false
    ).explanations
    let explanations = check.mostExplaining(found.filter(\.isWhole))
    guard let first = explanations.first else { return nil }
    if first.defects.isEmpty { return causes(evidence, isUsual) }
    let ids = explanations.prefix(6).flatMap(\.defects).map(\.classID)
    let exposed = ids.filter(scenario.classes.contains)
    return first.reliesOnLimits && !exposed.isEmpty ? exposed : ids
  }

  /// Returns the bus defects that may have caused wrong bytes: those that the scenario is designed
  /// to expose; if there are none, those that were detected only in this scenario.
  ///
  /// If the values are also wrong on the calm bench (constant air, no faults), bus defects detected
  /// there are returned instead.
  private func causes(_ evidence: Evidence, _ isUsual: Bool) -> [String] {
    let effective = detected(evidence).filter(Self.effective.contains)
    let usual = effective.filter(usualConduct.contains)
    if isUsual, !usual.isEmpty { return usual }
    let exposed = onTheBus(evidence)
    if !exposed.isEmpty { return exposed }
    let new = effective.filter { !usualConduct.contains($0) }
    return new.isEmpty ? effective : new
  }

  /// Returns the detected bus defects among those that the scenario is designed to expose; if none
  /// was detected, returns the only one that the scenario exposes, provided that neither the bus
  /// nor the course of the values always reveals it.
  private func onTheBus(_ evidence: Evidence) -> [String] {
    let exposed = scenario.classes.filter(Defect.classesOnTheBus.contains)
    let detected = detected(evidence).filter(exposed.contains)
    if !detected.isEmpty { return detected }
    if exposed.contains("B22"), evidence.configuresBeforeMode { return ["B22"] }
    if exposed.contains("B47"), !evidence.setsFilter { return ["B47"] }
    if exposed.contains("B72"), evidence.part.calibrationReads > 1 { return [] }
    // A defect that is always detectable on the bus is excluded if it was not detected.
    let undetected = exposed.filter {
      !Defect.classesAlwaysDetected.contains($0) && !Self.shownByCourse.contains($0)
    }
    return scenario.classes.count == 1 ? undetected : []
  }

  /// Bus defects that corrupt bytes even in constant air.
  private static let effective: Set<String> = [
    "B09", "B21", "B24", "B25", "B26", "B27", "B29", "B32", "B33", "B34", "B35", "B37", "B45",
  ]

  /// The classes that the course of the displayed values reveals.
  private static let shownByCourse = Set(DefectClass.courses.map(\.id))

  private func detected(_ evidence: Evidence) -> [String] {
    evidence.findings.compactMap(\.classID)
  }

  private func named(_ ids: [String]) -> [(classID: String, title: String)] {
    var found: [(classID: String, title: String)] = []
    for id in ids where !found.contains(where: { $0.classID == id }) {
      found.append((id, DefectClass.named(id)?.title ?? id))
    }
    return found
  }
}

extension Judgement.Difference {
  /// `true` if the value lacks its sign, or the zero with which its decimals begin: 0.43 for -0.43, 19.7 for 19.07.
  fileprivate var isPrintedApart: Bool {
    guard let (shown, right, digit) = values else { return false }
    // In the base unit, and pressure also in hPa.
    let forms = (quantity == .pressure ? [1, 100] : [1.0]).map { scale in
      let whole = (right.magnitude / scale).rounded(.down)
      return (whole + (right.magnitude / scale - whole) * 10) * scale
    }
    return ([right.magnitude] + forms).contains { abs($0 - shown.magnitude) <= 2 * digit }
  }
}

extension ShownReading {
  /// The reading as input for a diagnosis.
  var observation: Observation {
    Observation(
      temperature: self[.temperature]?.band, pressure: self[.pressure]?.band,
      humidity: self[.humidity]?.band)
  }
}

extension ShownValue {
  /// The range of values that round to the displayed digits, but at least as wide as the error of
  /// single precision.
  fileprivate var band: Observation.Band? {
    value.map { value in
      let half = max(digit * 0.5000005, abs(value) * 1e-6)
      return Observation.Band(low: value - half, high: value + half, isRounded: true)
    }
  }
}

extension [Judgement] {
  /// Adds the likely defect to findings about a part of another family than the BME280's.
  ///
  /// Its transfers are not decoded: the situation and the values tell. What is wrong even on the calm bench is named from
  /// its values there.
  func withPartDefects() -> [Judgement] {
    guard let calm = first(where: { $0.scenario.name == Scenario.calm.name }) else { return self }
    let isWrongInWeather = contains { $0.scenario.name == "weather" && $0.verdict.isFinding }
    return map { judgement in
      guard let part = judgement.scenario.auditedPart, judgement.verdict.isFinding,
        judgement.likely.isEmpty,
        let id = PartDefect(
          part, judgement,
          isUsual: calm.verdict.isFinding
            || isWrongInWeather && judgement.scenario.name == "failures-in-weather"
        ).classID
      else { return judgement }
      var judgement = judgement
      judgement.likely = [(id, DefectClass.named(id)?.title ?? id)]
      return judgement
    }
  }
}

/// The likely defect of a driver of any part.
package struct PartDefect {
  private let part: AuditedPart
  private let judgement: Judgement
  /// `true` if the program has a finding even without the situation that the scenario is for.
  private let isUsual: Bool

  package init(_ part: AuditedPart, _ judgement: Judgement, isUsual: Bool) {
    (self.part, self.judgement, self.isUsual) = (part, judgement, isUsual)
  }

  /// The class of the defect; `nil` if neither the values nor the situation tell.
  package var classID: String? {
    if isOfAnotherChannel { return "P02" }
    if judgement.common == Judge.badStart { return "P01" }
    let first = judgement.scenario.classes.first
    // After a loss of the supply, settings such as a range are those of power-on.
    if !isUsual, first == "P05", judgement.verdict == .wrong { return first }
    if hasWrongSign { return "P03" }
    if hasWrongScale { return "P04" }
    // A program that displays nothing does not display the failed transfer.
    return isUsual || first == "P07" && judgement.verdict != .wrong ? nil : first
  }

  /// The differences whose values are known.
  private var differences: [(quantity: Measurand, shown: Double, right: Double, digit: Double)] {
    judgement.differences.compactMap { difference in
      difference.values.map { (difference.quantity, $0.shown, $0.right, $0.digit) }
    }
  }

  /// `true` if an input has the value of another one between which the part selects.
  private var isOfAnotherChannel: Bool {
    let wrong = differences.filter { part.isSelected($0.quantity) }
    return judgement.scenario.truths.contains { phase in
      let values = part.measurands.filter(part.isSelected).compactMap { measurand in
        part.value(of: measurand, in: phase).map { (measurand, $0) }
      }
      return wrong.contains { difference in
        values.contains { other, value in
          other != difference.quantity && value != 0
            && abs(difference.shown - value) <= part.tolerance(of: other) + difference.digit
        }
      }
    }
  }

  /// `true` if a value below 0 has lost its sign, or is too high by a power of two.
  ///
  /// A temperature may be wrong in another way; an input below 0 that is displayed above 0 has lost its sign.
  private var hasWrongSign: Bool {
    differences.contains { difference in
      guard difference.right < 0 else { return false }
      let error = difference.shown - difference.right
      let isMirrored = abs(difference.shown + difference.right) < 1
      let isInput = difference.quantity.input != nil
      return Self.isPower(of: 2, error, from: 8)
        || difference.shown > 0 && (isMirrored || isInput)
    }
  }

  /// `true` if a value is wrong by a factor that is a power of two or ten.
  private var hasWrongScale: Bool {
    !differences.isEmpty
      && differences.allSatisfy { difference in
        guard difference.right != 0, difference.shown != 0 else { return false }
        let factor = abs(difference.shown / difference.right)
        let isLarge = abs(difference.shown - difference.right) > 4 * difference.digit
        return isLarge
          && (Self.isPower(of: 2, max(factor, 1 / factor), from: 2)
            || Self.isPower(of: 10, max(factor, 1 / factor), from: 10))
      }
  }

  private static func isPower(of base: Double, _ value: Double, from least: Double) -> Bool {
    var power = least
    while power < value * 0.999 { power *= base }
    return abs(value / power - 1) < 1e-3
  }
}
