public import BME280

/// An account of how the bytes became what was shown.
public struct Explanation: Hashable, Sendable {
  /// The defects; none where the program computes rightly.
  public let defects: [Defect]
  /// The formula that it uses, by the name of the variant.
  public let formula: String
  /// How many of the observed values it gives, and how many there are.
  public let explained: Int, observed: Int
  /// The quantities of which it does not give all.
  public let leavesOpen: [String]
  /// Whether a language that traps on overflow would have ended the program.
  public let crashes: Bool

  /// Whether it gives everything that was observed.
  public var isWhole: Bool { explained == observed }
}

/// What is wrong with a program, by its conversation and by what it showed.
public struct Diagnosis {
  /// What was recorded.
  public let evidence: Evidence
  /// The best explanations of what was observed, all equally good; none where nothing was observed.
  public let explanations: [Explanation]
  /// What the bytes really mean, measurement by measurement, in C, Pa and %RH.
  public let correct: [CompensatedMeasurement]

  /// Whether nothing is wrong.
  public var isClean: Bool {
    evidence.findings.isEmpty
      && (explanations.isEmpty || explanations.contains { $0.isWhole && $0.defects.isEmpty })
  }

  /// Whether something was observed that no defect here explains.
  public var isUnexplained: Bool {
    explanations.first.map { !$0.isWhole } ?? false
  }

  /// The most measurements that are compared: later ones tell nothing new.
  static let most = 50

  /// Diagnoses.
  ///
  /// - Parameters:
  ///   - evidence: what was recorded.
  ///   - observations: what the program showed, in its order; empty when nobody knows.
  public init(_ evidence: Evidence, _ observations: [Observation]) {
    self.evidence = evidence
    correct =
      evidence.part.calibration.map { calibration in
        evidence.part.readings.prefix(Self.most).map { calibration.compensateSI($0.raw) }
      } ?? []
    explanations =
      observations.isEmpty ? [] : Search(evidence, observations).best()
  }
}

/// Looks for the defects, alone, in pairs and at last in threes, that make what was observed of the bytes.
struct Search {
  private let registers: [UInt8?]
  private let data: [[UInt8]]
  /// Each observation with the places of the measurements that it may belong to.
  private let pairs: [(observation: Observation, places: [Int])]
  private let calibration: Calibration?
  private let raw: [RawMeasurement]
  private let observed: Int

  init(_ evidence: Evidence, _ observations: [Observation]) {
    registers = evidence.part.registers
    let count = min(evidence.data.count, Diagnosis.most)
    data = Array(evidence.data.prefix(count))
    raw = evidence.part.readings.prefix(count).map(\.raw)
    calibration = evidence.part.calibration
    let times = evidence.times.prefix(count)
    let inOrder = observations.count == evidence.data.count
    pairs = observations.prefix(Diagnosis.most).enumerated().map { index, observation in
      if let time = observation.time, !inOrder {
        // A program shows what it has read before.
        return (observation, times.lastIndex { $0 <= time + 0.001 }.map { [$0] } ?? [])
      }
      return (observation, inOrder ? [index] : Array(0..<count))
    }
    observed = pairs.reduce(0) { $0 + $1.observation.count }
  }

  /// The best explanations, all equally good: as much explained as possible with as few defects as possible.
  func best() -> [Explanation] {
    guard observed > 0, !data.isEmpty else { return [] }
    if let right = rightly() { return [right] }
    let decodings = Defect.decodings
    var best: [Explanation] = []
    func take(_ defects: [Defect]) {
      for kind in Formula.Kind.allCases {
        guard let explanation = explanation(defects, kind) else { continue }
        if let first = best.first {
          if explanation.explained < first.explained { continue }
          if explanation.explained > first.explained { best = [] }
        }
        best.append(explanation)
      }
    }
    take([])
    for defect in decodings { take([defect]) }
    if best.first?.isWhole != true {
      for (index, one) in decodings.enumerated() {
        for other in decodings[(index + 1)...] { take([one, other]) }
      }
    }
    // Three at once, as in the thesis; of a single value so many would be right by chance.
    if best.first?.isWhole != true, observed > 1 {
      for (index, one) in decodings.enumerated() {
        for (offset, other) in decodings[(index + 1)...].enumerated() {
          for third in decodings[(index + offset + 2)...] { take([one, other, third]) }
        }
      }
    }
    let fewest = best.map(\.defects.count).min() ?? 0
    return unique(best.filter { $0.defects.count == fewest })
  }

  /// The same defects under several formulas are one explanation.
  private func unique(_ explanations: [Explanation]) -> [Explanation] {
    var seen: Set<[Defect]> = []
    return explanations.filter { seen.insert($0.defects).inserted }
  }

  /// Whether one of the right variants gives everything.
  private func rightly() -> Explanation? {
    guard let calibration else { return nil }
    for variant in CompensationVariant.allCases {
      let shown = raw.map { raw in
        let result = calibration.compensateSI(raw, variant: variant)
        return Shown(
          temperature: result.temperature, pressure: result.pressure, humidity: result.humidity)
      }
      let explanation = judged(shown, [], "\(variant.name)")
      if explanation.isWhole { return explanation }
    }
    return nil
  }

  private func explanation(_ defects: [Defect], _ kind: Formula.Kind) -> Explanation? {
    var decoding = Decoding()
    decoding.formula.kind = kind
    for defect in defects {
      if let formula = defect.formula, formula != kind { return nil }
      if case .decoding(let change) = defect.change { change(&decoding) }
    }
    return judged(decoding.shown(registers, data), defects, kind.rawValue)
  }

  private func judged(_ shown: [Shown], _ defects: [Defect], _ formula: String) -> Explanation {
    var open = Quantities()
    var explained = 0
    for (observation, places) in pairs {
      // All values of an observation belong to one measurement.
      let best = places.map { observation.explained(by: shown[$0]) }.max { $0.count < $1.count }
      explained += best?.count ?? 0
      open.formUnion(observation.quantities.subtracting(best ?? []))
    }
    return Explanation(
      defects: defects, formula: formula, explained: explained, observed: observed,
      leavesOpen: Quantities.named.filter { open.contains($0.quantity) }.map(\.name),
      crashes: shown.contains(where: \.crashes))
  }
}
