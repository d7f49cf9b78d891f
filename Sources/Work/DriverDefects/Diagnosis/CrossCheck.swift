/// What one program showed on several benches: an explanation for one of them must not contradict the others.
///
/// A wrong way of decoding is always there. Where it would have changed values that came out right, the program
/// does not have it, however well it gives the wrong values of another bench.
public final class CrossCheck {
  /// One bench: what was recorded there, and what the program showed.
  public struct Bench {
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
    public init(_ evidence: Evidence, _ observations: [Observation], isPlain: Bool) {
      self.evidence = evidence
      self.observations = observations
      self.isPlain = isPlain
    }
  }

  private var searches: [(search: Search, isPlain: Bool)]
  private var known: [Set<Defect>: Bool] = [:]

  /// Prepares the comparison.
  public init(_ benches: [Bench]) {
    searches = benches.map { (Search($0.evidence, $0.observations), $0.isPlain) }
  }

  /// Whether no bench contradicts some defects.
  ///
  /// A correction may be of any amount, and would explain anything: it is for those to tell who compare all benches.
  public func allows(_ defects: [Defect]) -> Bool {
    guard !defects.contains(where: \.isFitted) else { return false }
    let set = Set(defects)
    if let known = known[set] { return known }
    let isAllowed = !searches.indices.contains { index in
      searches[index].search.contradicts(defects, isPlain: searches[index].isPlain)
    }
    known[set] = isAllowed
    return isAllowed
  }
}

extension Search {
  /// Whether what was shown contradicts some defects: they would have changed what is right, or on a plain bench they
  /// do not give what is wrong.
  mutating func contradicts(_ some: [Defect], isPlain: Bool) -> Bool {
    guard observed > 0, !data.isEmpty, calibration != nil else { return false }
    let set = defects.indices.reduce(DefectMask(0)) { set, index in
      some.contains(defects[index]) ? set | 1 << DefectMask(index) : set
    }
    return quantities.contains { quantity in
      guard relevant(set, quantity) != 0 else { return false }
      return (isPlain || match(quantity, 0).isWhole) && !match(quantity, set).isWhole
    }
  }
}
