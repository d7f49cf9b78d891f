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
