/// A check of explanations against all benches on which a program was run, such as virtual sensors under different
/// conditions.
///
/// An explanation for one bench must not contradict the other benches.
///
/// A decoding defect is always present. If it would have changed values that are correct, the program does not have
/// it, even if it reproduces the wrong values of another bench.
package final class CrossCheck {
  /// The recording from a bench, and the values that the program displayed there.
  package struct Bench {
    let evidence: Evidence
    let observations: [Observation]
    /// `true` if an explanation must also reproduce these values, because they are wrong although the bench has no
    /// special conditions.
    let isPlain: Bool

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - evidence: the recording.
    ///   - observations: the values that the program showed, in order.
    ///   - isPlain: `true` if the bench has no special conditions, and all these values are wrong.
    package init(_ evidence: Evidence, _ observations: [Observation], isPlain: Bool) {
      self.evidence = evidence
      self.observations = observations
      self.isPlain = isPlain
    }
  }

  private var searches: [(search: Search, isPlain: Bool)]
  private var known: [Set<Defect>: Bool] = [:]
  /// The sets of more than two defects that no bench contradicts; they are tried as explanations on other benches too.
  package private(set) var larger: [[Defect]] = []

  /// The defects that explain the bench without special conditions, if this explanation is unique; they are present on
  /// the other benches too.
  private lazy var base: [Defect] = {
    guard let index = searches.firstIndex(where: \.isPlain) else { return [] }
    let found = searches[index].search.best().filter(\.isWhole)
    return found.count == 1 && found[0].defects.allSatisfy { !$0.isFitted } ? found[0].defects : []
  }()
  /// The number of searches over all sets of three defects that found no explanation.
  private var failures = 0

  /// `true` if sets of three defects are no longer tried because they failed to explain several benches.
  var isExhausted: Bool { failures >= 8 }

  /// Records that no set of three defects explains a bench or one of its quantities.
  func recordFailure() { failures += 1 }

  /// Creates a check against some benches.
  package init(_ benches: [Bench]) {
    searches = benches.map { (Search($0.evidence, $0.observations), $0.isPlain) }
  }

  /// Returns `true` if no bench contradicts a set of defects.
  ///
  /// Sets with a built-in correction are never allowed: a correction may have any amount and would explain anything,
  /// so callers must compare its amount over all benches themselves.
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
  /// Filters equally good explanations of a bench; returns those that explain the most other benches.
  package func mostExplaining(_ explanations: [Explanation]) -> [Explanation] {
    guard explanations.count > 1 else { return explanations }
    let counts = explanations.map { explanation in
      searches.indices.count { searches[$0].search.isExplained(by: explanation.defects) }
    }
    return zip(explanations, counts).filter { $0.1 == counts.max() }.map(\.0)
  }
}

extension Search {
  /// Returns `true` if the observations show that the program does not have some defects.
  ///
  /// That is so if the defects would have changed correct values, or if they do not reproduce the wrong values of a
  /// bench without special conditions or values that the defects in `base` reproduce.
  mutating func contradicts(_ some: [Defect], _ base: [Defect], isPlain: Bool) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let (set, always) = (mask(some), mask(base))
    return quantities.contains { quantity in
      guard relevant(set, quantity) != 0, !given(quantity, set).isWhole else { return false }
      return isPlain || given(quantity, 0).isWhole || given(quantity, always).isWhole
    }
  }

  /// Returns `true` if some defects reproduce all values of a quantity that is displayed wrong.
  mutating func isExplained(by some: [Defect]) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let set = mask(some)
    return quantities.contains { quantity in
      relevant(set, quantity) != 0 && !given(quantity, 0).isWhole && given(quantity, set).isWhole
    }
  }
}
