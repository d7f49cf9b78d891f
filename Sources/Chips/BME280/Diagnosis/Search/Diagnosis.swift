package import BME280
import DriverDefects

/// What is wrong with a program, by its conversation and by what it showed.
package struct Diagnosis {
  /// What was recorded.
  package let evidence: Evidence
  /// The best explanations of what was observed, all equally good; none where nothing was observed.
  package let explanations: [Explanation]
  /// What the bytes really mean, measurement by measurement, in C, Pa and %RH.
  package let correct: [CompensatedMeasurement]

  /// Whether nothing is wrong.
  package var isClean: Bool {
    evidence.findings.isEmpty
      && (explanations.isEmpty || explanations.contains { $0.isWhole && $0.defects.isEmpty })
  }

  /// Whether something was observed that no defect here explains, or only as chance would explain it.
  package var isUnexplained: Bool {
    explanations.first.map { !$0.isWhole || $0.isPossibleByChance } ?? false
  }

  /// The most measurements that are compared: later ones tell nothing new.
  static let most = 50

  /// Diagnoses.
  ///
  /// - Parameters:
  ///   - evidence: what was recorded.
  ///   - observations: what the program showed, in its order; empty when nobody knows.
  ///   - check: what the same program showed on other benches, which no explanation may contradict.
  ///   - weighsEvidence: whether the explanations state their bits. Default: true; the audit, whose benches check each other,
  ///     needs none.
  package init(
    _ evidence: Evidence, _ observations: [Observation], check: CrossCheck? = nil,
    weighsEvidence: Bool = true
  ) {
    let shown = observations.reduce(QuantitySet()) { $0.union($1.quantities).union($1.absent) }
    self.evidence = observations.isEmpty ? evidence : evidence.showing(shown)
    correct =
      evidence.part.calibration.map { calibration in
        evidence.part.readings.prefix(Self.most).map { calibration.compensateSI($0.raw) }
      } ?? []
    explanations =
      observations.isEmpty ? [] : Self.search(evidence, observations, check, weighsEvidence)
  }

  private static func search(
    _ evidence: Evidence, _ observations: [Observation], _ check: CrossCheck?,
    _ weighsEvidence: Bool
  ) -> [Explanation] {
    var search = Search(evidence, observations)
    let found = search.best(check).filter { explanation in
      explanation.defects.isEmpty || check?.allows(explanation.defects) != false
    }
    return weighsEvidence ? search.weighed(found) : found
  }
}
