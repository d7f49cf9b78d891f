package import DriverDefects

/// A check of explanations against all benches on which one program was run: an explanation for one must not
/// contradict the others.
///
/// A decoding defect is always present. If it would have changed values that are correct, the program does not have
/// it, even if it reproduces the wrong values of another bench.
package final class CrossCheck {
  /// A bench: its recording, and the values that the program showed.
  package struct Bench {
    let evidence: Evidence
    let observations: [Observation]
    /// `true` if an explanation must also reproduce these values: they are wrong although the bench has no special
    /// conditions.
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
  /// The sets of more than two defects that explain a bench and are allowed.
  private(set) var larger: [[Defect]] = []

  /// The explanation of the plain bench, if it is unique: its defects are present on the others too.
  private lazy var base: [Defect] = {
    guard let index = searches.firstIndex(where: \.isPlain) else { return [] }
    let found = searches[index].search.best().filter(\.isWhole)
    return found.count == 1 && found[0].defects.allSatisfy { !$0.isFitted } ? found[0].defects : []
  }()
  /// The number of failed searches over all sets of three.
  private var failures = 0

  /// `true` if sets of three are no longer tried, after they failed to explain several benches.
  var isExhausted: Bool { failures >= 8 }

  /// Records that no set of three explains a bench, or a quantity of it.
  func recordFailure() { failures += 1 }

  /// Prepares the comparison.
  package init(_ benches: [Bench]) {
    searches = benches.map { (Search($0.evidence, $0.observations), $0.isPlain) }
  }

  /// Returns `true` if no bench contradicts a set of defects.
  ///
  /// A correction may have any amount and would explain anything; callers must compare it over all benches themselves.
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
  /// Returns, of equally good explanations of a bench, those that explain the most other benches.
  package func mostExplaining(_ explanations: [Explanation]) -> [Explanation] {
    guard explanations.count > 1 else { return explanations }
    let counts = explanations.map { explanation in
      searches.indices.count { searches[$0].search.isExplained(by: explanation.defects) }
    }
    return zip(explanations, counts).filter { $0.1 == counts.max() }.map(\.0)
  }
}

extension Search {
  /// Returns `true` if the observations contradict some defects: the defects would have changed correct values, or do
  /// not reproduce the wrong values of a plain bench, or those that `base` reproduces.
  mutating func contradicts(_ some: [Defect], _ base: [Defect], isPlain: Bool) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let (set, always) = (mask(some), mask(base))
    return quantities.contains { quantity in
      guard relevant(set, quantity) != 0, !given(quantity, set).isWhole else { return false }
      return isPlain || given(quantity, 0).isWhole || given(quantity, always).isWhole
    }
  }

  /// Returns `true` if some defects reproduce any wrong values.
  mutating func isExplained(by some: [Defect]) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let set = mask(some)
    return quantities.contains { quantity in
      relevant(set, quantity) != 0 && !given(quantity, 0).isWhole && given(quantity, set).isWhole
    }
  }
}
