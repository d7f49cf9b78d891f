import DriverDefects

extension Judge {
  /// The defects that explain what was wrong of what was shown.
  ///
  /// Wrong values that follow rightly from the bytes have their cause on the bus; all others have it behind the bytes,
  /// and only defects that give them to the digit explain them.
  func likely(
    _ outcome: Outcome, _ differences: [Judgement.Difference]
  ) -> [(classID: String, title: String)] {
    guard let evidence = outcome.evidence else { return [] }
    if differences.contains(where: { $0.right == Judgement.nothing }) {
      return named(scenario.classes.contains("B32") ? ["B32"] : [])
    }
    let wrong = wrongValues(outcome, differences)
    var ids = classes(explaining: wrong, evidence)
    if ids == nil {
      for quantity in Quantity.allCases {
        let alone = wrong.map { $0.filter { $0.key == quantity } }
        guard alone.contains(where: { !$0.isEmpty }) else { continue }
        ids = (ids ?? []) + (classes(explaining: alone, evidence) ?? [])
      }
    }
    // What is read behind a failure has no value of its own.
    let lost: Set<String> = ["B05", "B09", "B10", "B32", "B35", "B37"]
    if ids?.isEmpty ?? true {
      ids = heard(evidence).filter { lost.contains($0) && scenario.classes.contains($0) }
    }
    return named(ids ?? [])
  }

  /// What was wrong of each reading: all values of the quantities that were wrong in any, or where these are
  /// not explained together, the wrong ones alone.
  private func wrongValues(
    _ outcome: Outcome, _ differences: [Judgement.Difference]
  ) -> [ShownReading] {
    let truths = truths(for: outcome)
    var quantities = Set(differences.map(\.quantity))
    for reading in outcome.readings {
      quantities.formUnion(self.differences(reading, truths).map(\.quantity))
    }
    return outcome.readings.map { $0.filter { quantities.contains($0.key) } }
  }

  /// The classes that explain some values; nothing where they are not explained.
  private func classes(explaining readings: [ShownReading], _ evidence: Evidence) -> [String]? {
    let observations = readings.map { reading in
      Observation(
        temperature: reading[.temperature]?.band, pressure: reading[.pressure]?.band,
        humidity: reading[.humidity]?.band)
    }
    let explanations = Diagnosis(evidence, observations).explanations.filter(\.isWhole)
    guard let first = explanations.first else { return nil }
    if first.defects.isEmpty { return causes(evidence) }
    let ids = explanations.prefix(6).flatMap(\.defects).map(\.classID)
    let exposed = ids.filter(scenario.classes.contains)
    return first.restsOnLimits && !exposed.isEmpty ? exposed : ids
  }

  /// The classes on the bus that give wrong bytes: those that the scenario is about, else what is done here alone.
  private func causes(_ evidence: Evidence) -> [String] {
    let heard = heard(evidence)
    let exposed = heard.filter(scenario.classes.contains)
    if !exposed.isEmpty { return exposed }
    if scenario.classes.contains("B47"), !evidence.decidesOnFilter { return ["B47"] }
    let effective = heard.filter(Self.effective.contains)
    let new = effective.filter { !usualConduct.contains($0) }
    if !new.isEmpty { return new }
    // The scenario itself has put wrong bytes where the program read them.
    return scenario.classes.count == 1 ? scenario.classes : effective
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

extension ShownValue {
  /// All values that are rounded to what was shown; of many digits, as many as single precision has.
  fileprivate var band: Observation.Band? {
    value.map { value in
      let half = max(digit * 0.5000005, abs(value) * 1e-6)
      return Observation.Band(low: value - half, high: value + half, isRounded: true)
    }
  }
}
