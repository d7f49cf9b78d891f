import DriverDefects
import DriverDiagnosis
import Quantities
import Runs
import Text

extension Judge {
  /// The judgement with the defects that explain what was wrong.
  ///
  /// - Parameters:
  ///   - judgement: one of this scenario.
  ///   - outcome: what it was made of.
  ///   - check: what the program showed on the other benches.
  /// - Returns: the judgement.
  func explained(
    _ judgement: Judgement, _ outcome: Outcome, _ check: CrossCheck
  ) -> Judgement {
    guard judgement.verdict == .wrong else { return judgement }
    guard scenario.wanted != .error else {
      // Values where there can be none have the one cause that the bench is made for.
      var judgement = judgement
      judgement.likely = named(scenario.classes)
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

  /// Of how many readings wrong values are explained.
  private static let mostExplained = 32

  /// The defects that explain what was wrong of what was shown.
  ///
  /// Wrong values that follow rightly from the bytes have their cause on the bus; all others have it behind the bytes,
  /// and only defects that give them to the digit, and contradict no other bench, explain them.
  private func likely(
    _ outcome: Outcome, _ differences: [Judgement.Difference], _ check: CrossCheck
  ) -> [String] {
    guard let evidence = outcome.evidence else { return [] }
    if differences.contains(where: { $0.right == Judgement.nothing }) {
      return scenario.classes.contains("B32") ? ["B32"] : []
    }
    let isUsual = Set(differences.map(\.quantity)).isSubset(of: usualWrong)
    let wrong = wrongValues(outcome, differences)
    var ids = classes(explaining: wrong, evidence, check, isUsual)
    if ids == nil {
      for quantity in Quantity.allCases {
        let alone = wrong.map { $0.filter { $0.key == quantity } }
        guard alone.contains(where: { !$0.isEmpty }) else { continue }
        ids = (ids ?? []) + (classes(explaining: alone, evidence, check, isUsual) ?? [])
      }
    }
    // Values that no decoding gives come of mixed or lost bytes: of what the bench is made for, if it was heard.
    if ids?.isEmpty ?? true, !isUsual { ids = onTheBus(evidence) }
    if ids?.isEmpty ?? true { ids = hereAlone(outcome, wrong, evidence) }
    return ids ?? []
  }

  /// What went wrong on this bench and on no other, where it is made for that: words that came late or not at all,
  /// a reading that is missing from a mean.
  private func hereAlone(
    _ outcome: Outcome, _ wrong: [ShownReading], _ evidence: Evidence
  ) -> [String] {
    guard let recognition = scenario.recognition, let id = scenario.classes.first else { return [] }
    let isIt =
      switch recognition {
      case .shareOfTruth: areOfLostMean(outcome)
      case .valuesWithoutWords: heard(evidence).contains("B35")
      case .explanation:
        Diagnosis(evidence, wrong.map(\.observation), weighsEvidence: false).explanations
          .contains { $0.isWhole && $0.defects.map(\.classID) == [id] }
      }
    return isIt ? [id] : []
  }

  /// Whether all wrong values are one share of the truth, as of a mean that lacks some of its readings.
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

  /// What was wrong of each reading: all values of the quantities that were wrong in any, or where these are
  /// not explained together, the wrong ones alone.
  private func wrongValues(
    _ outcome: Outcome, _ differences: [Judgement.Difference]
  ) -> [ShownReading] {
    var quantities = Set(differences.map(\.quantity))
    for index in outcome.readings.indices {
      quantities.formUnion(self.differences(at: index, of: outcome).map(\.quantity))
    }
    return outcome.readings.map { $0.filter { quantities.contains($0.key) } }
  }

  /// The classes that explain some values; `nil` where they are not explained.
  private func classes(
    explaining readings: [ShownReading], _ evidence: Evidence, _ check: CrossCheck, _ isUsual: Bool
  ) -> [String]? {
    let found = Diagnosis(
      evidence, readings.map(\.observation), check: check, weighsEvidence: false
    ).explanations
    let explanations = check.commonest(found.filter(\.isWhole))
    guard let first = explanations.first else { return nil }
    if first.defects.isEmpty { return causes(evidence, isUsual) }
    let ids = explanations.prefix(6).flatMap(\.defects).map(\.classID)
    let exposed = ids.filter(scenario.classes.contains)
    return first.restsOnLimits && !exposed.isEmpty ? exposed : ids
  }

  /// The classes on the bus that give wrong bytes: those that the scenario is about, else what is done here alone.
  ///
  /// Of a program whose values are wrong on the calm bench too, what it does there explains them.
  private func causes(_ evidence: Evidence, _ isUsual: Bool) -> [String] {
    let effective = heard(evidence).filter(Self.effective.contains)
    let usual = effective.filter(usualConduct.contains)
    if isUsual, !usual.isEmpty { return usual }
    let exposed = onTheBus(evidence)
    if !exposed.isEmpty { return exposed }
    let new = effective.filter { !usualConduct.contains($0) }
    return new.isEmpty ? effective : new
  }

  /// The classes on the bus that the scenario is about: those that were heard, or the only one there is.
  private func onTheBus(_ evidence: Evidence) -> [String] {
    let exposed = scenario.classes.filter(Defect.classesOnTheBus.contains)
    let heard = heard(evidence).filter(exposed.contains)
    if !heard.isEmpty { return heard }
    if exposed.contains("B22"), evidence.configuresBlindly { return ["B22"] }
    if exposed.contains("B47"), !evidence.decidesOnFilter { return ["B47"] }
    // What cannot be missed on the bus was not done.
    let unheard = exposed.filter { !Defect.classesAlwaysHeard.contains($0) }
    return scenario.classes.count == 1 ? unheard : []
  }

  /// Classes of the bus that make bytes wrong even in air that does not change.
  private static let effective: Set<String> = [
    "B09", "B21", "B24", "B25", "B26", "B27", "B29", "B32", "B33", "B34", "B35", "B37", "B45",
  ]

  private func heard(_ evidence: Evidence) -> [String] {
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

extension ShownReading {
  /// It as a diagnosis takes it.
  var observation: Observation {
    Observation(
      temperature: self[.temperature]?.band, pressure: self[.pressure]?.band,
      humidity: self[.humidity]?.band)
  }
}

extension ShownValue {
  /// All values that are rounded to what was shown; of many digits, as many as single precision has.
  fileprivate var band: Observation.Band? {
    value.map { value in
      let half = max(digit * 0.5000005, abs(value) * 1e-6)
      return Observation.Band(low: value - half, high: value + half, isRounded: true)
    }
  }
}
