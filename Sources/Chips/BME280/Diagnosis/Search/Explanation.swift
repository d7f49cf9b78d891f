package import DriverDefects

/// An account of how the bytes became what was shown.
package struct Explanation: Hashable, Sendable {
  /// The defects; none where the program computes rightly.
  package let defects: [Defect]
  /// The formula that it uses, by the name of the variant; one for each quantity where they differ.
  package let formula: String
  /// How many of the observed values it gives, and how many there are.
  package let explained: Int, observed: Int
  /// The quantities of which it does not give all.
  package let leavesOpen: [String]
  /// Whether a language that traps on overflow would have ended the program.
  package let crashes: Bool
  /// Whether it rests on values at a limit, such as 0 %RH, alone, where many defects end.
  package let restsOnLimits: Bool
  /// The share of random tables that the same search explains as simply, from 0 to 1; `nil` for a right program, if only
  /// missing values were shown, and if no evidence was asked for.
  package private(set) var chance: Double?
  /// Corrections that are built in: the quantity and what is added to it everywhere.
  package let amounts: [String]

  /// Whether it gives everything that was observed.
  package var isWhole: Bool { explained == observed }

  /// The bits of evidence that an explanation needs: at most one random table in ten is explained then.
  package static let neededBits = 3.3

  /// The bits of evidence, -log2 of ``chance``; `nil` without it.
  package var bits: Double? {
    chance.map { max(-Logarithm.base2(max($0, .leastNormalMagnitude)), 0) }
  }

  /// Whether chance gives as much too often: its evidence is below ``neededBits``.
  package var isPossibleByChance: Bool { bits.map { $0 < Self.neededBits } ?? false }

  /// The same with the share of random tables that are explained as simply.
  func with(chance: Double?) -> Explanation {
    var explanation = self
    explanation.chance = chance
    return explanation
  }
}

/// One quantity computed along one way: the formula, and where its fine temperature comes from.
struct Route: Hashable {
  let kind: Formula.Kind
  let fine: Formula.FineForm

  /// The routes on which a quantity can come about.
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
    // Those of one formula first: others are rarer.
    let all = kinds.flatMap { kind in Formula.FineForm.allCases.map { Route(kind: kind, fine: $0) }
    }
    return all.filter { $0.kind != .double || $0.fine != .whole }
      .filter { $0.kind == .double || $0.fine != .exact }
      + kinds.filter { $0 == .double }.map { Route(kind: $0, fine: .whole) }
  }

  /// Whether a defect can be on it: some belong to one formula.
  func allows(_ defect: Defect, for quantity: QuantitySet) -> Bool {
    guard let formula = defect.formula else { return true }
    if formula == kind { return true }
    // What is wrong with the temperature in doubles reaches the others by the fine temperature.
    return formula == .double && fine != .whole && defect.reach == .all
  }
}
