package import BME280
import BME280Model
package import Support

/// The errors of a program, found in its transfers and in the values that it displayed.
package struct Diagnosis {
  /// The recording on which the diagnosis is based.
  package let evidence: Evidence
  /// The best explanations of the observations, all equally good; empty if there are no observations.
  package let explanations: [Explanation]
  /// The correct values of each measurement, in C, Pa and %RH.
  package let correct: [CompensatedMeasurement]

  /// `true` if nothing is wrong.
  package var isClean: Bool {
    evidence.findings.isEmpty
      && (explanations.isEmpty || explanations.contains { $0.isWhole && $0.defects.isEmpty })
  }

  /// `true` if no known defect explains the observations better than chance.
  package var isUnexplained: Bool {
    explanations.first.map { !$0.isWhole || $0.isPossibleByChance } ?? false
  }

  /// The maximum number of measurements compared; later measurements add no information.
  static let most = 50

  /// Diagnoses a program.
  ///
  /// - Parameters:
  ///   - evidence: the recording.
  ///   - observations: the values that the program displayed, in order; empty if unknown.
  ///   - check: the other benches on which the same program was run, which no explanation may contradict.
  ///   - weighsEvidence: `true` to compute the bits of evidence for each explanation. Default: true. The audit does
  ///     not need them, because its benches check each other.
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

extension Diagnosis {
  /// Returns the findings: errors on the bus, errors in the displayed values, and missing data.
  ///
  /// - Parameter file: the name of the trace.
  /// - Returns: the findings.
  package func inspection(of file: String) -> Inspection {
    Self.inspection(
      of: file, onTheBus + inTheProgram + (NoDataReason(evidence).map { [$0.finding] } ?? []))
  }

  /// Returns the findings for a trace that contains nothing to diagnose.
  package static func inspection(of file: String, _ reason: NoDataReason) -> Inspection {
    inspection(of: file, [reason.finding])
  }

  private static func inspection(of file: String, _ findings: [Finding]) -> Inspection {
    let placed = findings.map { finding in
      var finding = finding
      finding.location = Finding.Location(file: file)
      return finding
    }
    return Inspection(
      "aneroid diagnose", of: file,
      nouns: Inspection.Nouns(rule: "check", message: "found", defect: "found an error"),
      placed)
  }

  private var onTheBus: [Finding] {
    guard !evidence.findings.isEmpty else {
      return [Finding(.passed, "bus", "nothing wrong in \("transfer".counted(evidence.transfers))")]
    }
    return evidence.findings.map { found in
      let times = found.count > 1 ? " (\(found.count) times)" : ""
      let advice = found.classID.flatMap(DefectClass.named)?.advice ?? []
      return Finding(
        .error, found.classID ?? "bus", found.sentence + times,
        evidence: [Finding.Evidence("time", Decimal.elapsed(found.time))] + advice)
    }
  }

  private var inTheProgram: [Finding] {
    guard let first = explanations.first else { return [] }
    let share = "\(first.explained) of \(first.observed) values shown"
    if first.isWhole, first.defects.isEmpty {
      return [Finding(.passed, "values", "\(share) are correct (\(first.formula))")]
    }
    guard first.isWhole else {
      return [
        Finding(
          .error, "values",
          "no combination of known defects explains all values shown: "
            + "the best reproduces \(share)")
      ]
    }
    guard !first.isPossibleByChance else {
      let names = first.defects.map(\.title).joined(separator: " + ")
      return [
        Finding(
          .error, "values",
          "\(share) are wrong and not explained: \(names) would reproduce them by chance",
          evidence: first.evidence.map { [Finding.Evidence("evidence", $0)] } ?? [])
      ]
    }
    return first.defects.map { defect in
      Finding(
        .error, defect.classID, "\(defect.title) reproduces \(share) (\(first.formula))",
        evidence: defect.defectClass?.advice ?? [])
    }
  }
}

extension DefectClass {
  /// The instruction for fixing the defect, and the section of the datasheet.
  fileprivate var advice: [Finding.Evidence] {
    [Finding.Evidence("fix", fix)]
      + (datasheet.map { [Finding.Evidence("datasheet", "section \($0)")] } ?? [])
  }
}

extension NoDataReason {
  /// The reason for the missing data as a finding, with the checks to make as its evidence.
  fileprivate var finding: Finding {
    Finding(.error, "data", sentence, evidence: checks.map { Finding.Evidence("check", $0) })
  }
}

/// The reason why there is nothing to diagnose, such as a missing response, and the checks to make.
///
/// The checks follow the order of the thesis's decision tree: is the board found, does it blink, do data arrive, are
/// the data correct.
package struct NoDataReason: Hashable, Sendable {
  /// A sentence that names what is missing.
  package let sentence: String
  /// The checks to make, in order.
  package let checks: [String]

  /// The trace contains no transfer to a sensor.
  package static let silence = NoDataReason(
    sentence: "the trace contains no transfer to 0x76 or 0x77",
    checks: [
      "is this the right bus (trace check lists the buses)?",
      "did the program find its board or adapter? aneroid doctor lists adapters; a board over "
        + "Bluetooth must be charged, in range, and not connected to another host",
      "does the program use another address? set --address",
    ])

  /// Creates the reason why a recording contains no data, or `nil` if it contains some.
  package init?(_ evidence: Evidence) {
    guard evidence.data.isEmpty else { return nil }
    if evidence.transfers > 0, evidence.failures == evidence.transfers {
      self.init(
        sentence:
          "no device responds at \(evidence.address): all \(evidence.transfers) transfers failed",
        checks: [
          "SDO: at ground the address is 0x76, at VDDIO 0x77",
          "power (VDD and VDDIO), ground, SDA and SCL not swapped, pull-ups to VDDIO",
          "CSB at VDDIO: once low, the part uses SPI until the next power cycle",
          "with a board that blinks on each command: no blink means no command, a blink without a response means the wiring",
        ])
    } else {
      self.init(
        sentence: "no measurement of \(evidence.address) was read",
        checks: [
          "ctrl_meas (0xF4) needs a mode: 0x25 measures once, 0x27 continuously",
          "reads longer than the adapter's limit (18 bytes on the board of the thesis) return no data: split them",
          "the data are at 0xF7 to 0xFE",
        ])
    }
  }

  private init(sentence: String, checks: [String]) {
    self.sentence = sentence
    self.checks = checks
  }
}

/// An explanation of how a program converted the bytes to the displayed values.
package struct Explanation: Hashable, Sendable {
  /// The defects; empty for a correct program.
  package let defects: [Defect]
  /// The name of the formula variant; one name for each quantity if they differ.
  package let formula: String
  /// The number of observed values that the explanation reproduces, and the number of all observed values.
  package let explained: Int, observed: Int
  /// The quantities with values that the explanation does not reproduce.
  package let unexplainedQuantities: [String]
  /// `true` if the program would have crashed in a language that traps on overflow.
  package let crashes: Bool
  /// `true` if the explanation relies only on values at a limit, such as 0 %RH, which many defects produce.
  package let reliesOnLimits: Bool
  /// The share of tables with randomly changed values that the same search explains as simply, 0...1.
  ///
  /// `nil` for a correct program, if the only wrong values are missing ones, or if the evidence was not requested.
  package private(set) var chance: Double?
  /// The built-in corrections, each as a quantity and the offset added to all its values.
  package let amounts: [String]

  /// `true` if the explanation reproduces all observations.
  package var isWhole: Bool { explained == observed }

  /// The bits of evidence that an explanation needs; with so many, at most one random table in ten is explained as
  /// simply.
  package static let neededBits = 3.3

  /// The bits of evidence, which are -log2 of `chance`; `nil` if `chance` is `nil`.
  package var bits: Double? {
    chance.map { max(-Logarithm.base2(max($0, .leastNormalMagnitude)), 0) }
  }

  /// `true` if random values would often be explained as simply, because the evidence is below `neededBits`.
  package var isPossibleByChance: Bool { bits.map { $0 < Self.neededBits } ?? false }

  /// Returns a copy with a value for `chance`, the share of random tables that are explained as simply.
  func with(chance: Double?) -> Explanation {
    var explanation = self
    explanation.chance = chance
    return explanation
  }
}

/// The way in which a quantity is computed: the formula, and the form of the fine temperature.
struct Route: Hashable {
  let kind: Formula.Kind
  let fine: Formula.FineForm

  /// Returns the ways in which a program may compute a quantity.
  static func all(_ quantity: QuantitySet) -> [Route] {
    switch quantity {
    case .temperature: temperature
    case .humidity: humidity
    default: pressure
    }
  }

  private static let temperature = [
    Route(kind: .int64, fine: .whole), Route(kind: .double, fine: .exact),
  ]
  private static let humidity = routes([.int64, .double])
  private static let pressure = routes(Formula.Kind.allCases)

  private static func routes(_ kinds: [Formula.Kind]) -> [Route] {
    // The routes with a single formula come first, because mixed routes are rarer.
    let all = kinds.flatMap { kind in Formula.FineForm.allCases.map { Route(kind: kind, fine: $0) }
    }
    return all.filter { $0.kind != .double || $0.fine != .whole }
      .filter { $0.kind == .double || $0.fine != .exact }
      + kinds.filter { $0 == .double }.map { Route(kind: $0, fine: .whole) }
  }

  /// Returns `true` if a program that computes a quantity in this way can have a defect; some defects are specific to
  /// one formula.
  func allows(_ defect: Defect, for quantity: QuantitySet) -> Bool {
    guard let formula = defect.formula else { return true }
    if formula == kind { return true }
    // A temperature defect in doubles affects the other quantities through the fine temperature.
    return formula == .double && fine != .whole && defect.reach == .all
  }
}
