package import DriverDefects

/// An explanation of how the bytes became the values shown.
package struct Explanation: Hashable, Sendable {
  /// The defects; empty for a correct program.
  package let defects: [Defect]
  /// The formula, by the name of the variant; one for each quantity if they differ.
  package let formula: String
  /// The number of observed values that it reproduces, and the number of all.
  package let explained: Int, observed: Int
  /// The quantities that are not completely reproduced.
  package let unexplainedQuantities: [String]
  /// `true` if the program would have crashed in a language that traps on overflow.
  package let crashes: Bool
  /// `true` if it relies only on values at a limit, such as 0 %RH, at which many defects end.
  package let reliesOnLimits: Bool
  /// The share of random tables that the same search explains as simply, 0...1; `nil` for a correct program, if only
  /// missing values were shown, and if the evidence was not requested.
  package private(set) var chance: Double?
  /// Built-in corrections: the quantity and the offset added to all its values.
  package let amounts: [String]

  /// `true` if it reproduces all observations.
  package var isWhole: Bool { explained == observed }

  /// The minimum bits of evidence of an explanation, at which at most one random table in ten is explained.
  package static let neededBits = 3.3

  /// The bits of evidence, -log2 of ``chance``; `nil` without it.
  package var bits: Double? {
    chance.map { max(-Logarithm.base2(max($0, .leastNormalMagnitude)), 0) }
  }

  /// `true` if chance would often explain as much: the evidence is below ``neededBits``.
  package var isPossibleByChance: Bool { bits.map { $0 < Self.neededBits } ?? false }

  /// Returns a copy with the share of random tables that are explained as simply.
  func with(chance: Double?) -> Explanation {
    var explanation = self
    explanation.chance = chance
    return explanation
  }
}

/// The computation of a quantity: the formula, and the origin of its fine temperature.
struct Route: Hashable {
  let kind: Formula.Kind
  let fine: Formula.FineForm

  /// Returns the routes by which a quantity may be computed.
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
    // Those of one formula first; mixed ones are rarer.
    let all = kinds.flatMap { kind in Formula.FineForm.allCases.map { Route(kind: kind, fine: $0) }
    }
    return all.filter { $0.kind != .double || $0.fine != .whole }
      .filter { $0.kind == .double || $0.fine != .exact }
      + kinds.filter { $0 == .double }.map { Route(kind: $0, fine: .whole) }
  }

  /// Returns `true` if the route can have a defect: some belong to one formula.
  func allows(_ defect: Defect, for quantity: QuantitySet) -> Bool {
    guard let formula = defect.formula else { return true }
    if formula == kind { return true }
    // A temperature defect in doubles affects the other quantities through the fine temperature.
    return formula == .double && fine != .whole && defect.reach == .all
  }
}
