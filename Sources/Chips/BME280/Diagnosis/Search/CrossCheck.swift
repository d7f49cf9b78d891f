package import DriverDefects

/// What one program showed on several benches: an explanation for one of them must not contradict the others.
///
/// A wrong way of decoding is always there. Where it would have changed values that came out right, the program
/// does not have it, however well it gives the wrong values of another bench.
package final class CrossCheck {
  /// One bench: what was recorded there, and what the program showed.
  package struct Bench {
    let evidence: Evidence
    let observations: [Observation]
    /// Whether an explanation must give these values too: what is wrong where nothing is special.
    let isPlain: Bool

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - evidence: what was recorded.
    ///   - observations: what the program showed, in its order.
    ///   - isPlain: whether nothing is special about the bench, and all of this is wrong there.
    package init(_ evidence: Evidence, _ observations: [Observation], isPlain: Bool) {
      self.evidence = evidence
      self.observations = observations
      self.isPlain = isPlain
    }
  }

  private var searches: [(search: Search, isPlain: Bool)]
  private var known: [Set<Defect>: Bool] = [:]
  /// The sets of more than two defects that have explained a bench and are allowed.
  private(set) var larger: [[Defect]] = []

  /// What explains the plain bench, where just one thing does: it is there on the others too.
  private lazy var base: [Defect] = {
    guard let index = searches.firstIndex(where: \.isPlain) else { return [] }
    let found = searches[index].search.best().filter(\.isWhole)
    return found.count == 1 && found[0].defects.allSatisfy { !$0.isFitted } ? found[0].defects : []
  }()
  /// How often all sets of three were tried in vain.
  private var vain = 0

  /// Whether sets of three are tried no more: what explains none of several benches explains no other either.
  var isExhausted: Bool { vain >= 8 }

  /// Takes that no set of three explains a bench, or a quantity of it.
  func foundNothing() { vain += 1 }

  /// Prepares the comparison.
  package init(_ benches: [Bench]) {
    searches = benches.map { (Search($0.evidence, $0.observations), $0.isPlain) }
  }

  /// Whether no bench contradicts some defects.
  ///
  /// A correction may be of any amount, and would explain anything: it is for those to tell who compare all benches.
  package func allows(_ defects: [Defect]) -> Bool {
    guard !defects.contains(where: \.isFitted) else { return false }
    let set = Set(defects)
    if let known = known[set] { return known }
    let base = base
    let isAllowed = !searches.indices.contains { index in
      searches[index].search.contradicts(defects, base, isPlain: searches[index].isPlain)
    }
    known[set] = isAllowed
    if isAllowed, defects.count > 2 { larger.append(defects) }
    return isAllowed
  }
}

extension CrossCheck {
  /// Of explanations that are equally good on a bench those that explain the most others.
  package func commonest(_ explanations: [Explanation]) -> [Explanation] {
    guard explanations.count > 1 else { return explanations }
    let counts = explanations.map { explanation in
      searches.indices.count { searches[$0].search.isExplained(by: explanation.defects) }
    }
    return zip(explanations, counts).filter { $0.1 == counts.max() }.map(\.0)
  }
}

extension Search {
  /// Whether what was shown contradicts some defects: they would have changed what is right, or they do not give what is
  /// wrong on a plain bench, or what those that explain that one give.
  mutating func contradicts(_ some: [Defect], _ base: [Defect], isPlain: Bool) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let (set, always) = (mask(some), mask(base))
    return quantities.contains { quantity in
      guard relevant(set, quantity) != 0, !given(quantity, set).isWhole else { return false }
      return isPlain || given(quantity, 0).isWhole || given(quantity, always).isWhole
    }
  }

  /// Whether some defects give anything that is wrong.
  mutating func isExplained(by some: [Defect]) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let set = mask(some)
    return quantities.contains { quantity in
      relevant(set, quantity) != 0 && !given(quantity, 0).isWhole && given(quantity, set).isWhole
    }
  }
}
