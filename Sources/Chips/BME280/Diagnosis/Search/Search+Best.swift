import DriverDefects

extension Search {
  /// The best explanations, all equally good: as much explained as possible with as few defects as possible.
  ///
  /// - Parameter check: what other benches allow; small sets that they contradict give way to larger ones.
  /// - Returns: the explanations.
  mutating func best(_ check: CrossCheck? = nil) -> [Explanation] {
    guard observed > 0, !data.isEmpty else { return [] }
    var right: [UInt8: Match] = [:]
    for quantity in quantities {
      let match = rightly(quantity)
      if match.isWhole { right[quantity.rawValue] = match }
    }
    let wrong = quantities.filter { right[$0.rawValue] == nil }
    if wrong.isEmpty {
      let whole = explanation([], quantities.compactMap { right[$0.rawValue] })
      if whole.isWhole { return [whole] }
    }
    var found: [Explanation] = []
    for size in 0...2 where found.isEmpty {
      found = explanations(of: self.sets(size), right, check)
    }
    // What explains another bench is tried before all that could be.
    if found.isEmpty { found = explanations(of: check?.larger.map(mask) ?? [], right, check) }
    let triesThrees = observed > 1 && check?.isExhausted != true
    if found.isEmpty, triesThrees {
      found = explanations(of: self.sets(3), right, check)
      if found.isEmpty { check?.foundNothing() }
    }
    if found.isEmpty { found = partly(wrong, right, upTo: triesThrees ? 3 : 2) }
    return unique(found)
  }

  /// The same defects under several formulas are one explanation.
  private func unique(_ explanations: [Explanation]) -> [Explanation] {
    var seen: Set<[Defect]> = []
    return explanations.filter { seen.insert($0.defects).inserted }
  }

  /// Those of some sets that give everything, and that no other bench contradicts.
  private mutating func explanations(
    of sets: [DefectMask], _ right: [UInt8: Match], _ check: CrossCheck?
  ) -> [Explanation] {
    var found: [Explanation] = []
    for set in sets {
      guard let whole = whole(set, right) else { continue }
      if whole.defects.isEmpty || check?.allows(whole.defects) != false { found.append(whole) }
    }
    return found
  }

  /// What a set of defects gives, where that is everything.
  private mutating func whole(_ set: DefectMask, _ right: [UInt8: Match]) -> Explanation? {
    var matches: [Match] = []
    for quantity in quantities {
      let match = match(quantity, set)
      if match.isWhole {
        matches.append(match)
      } else if relevant(set, quantity) == 0, let right = right[quantity.rawValue] {
        matches.append(right)
      } else {
        return nil
      }
    }
    let explanation = explanation(named(set), matches)
    return explanation.isWhole ? explanation : nil
  }

  /// What explains each quantity for itself, where nothing explains all of them.
  private mutating func partly(
    _ wrong: [QuantitySet], _ right: [UInt8: Match], upTo most: Int
  ) -> [Explanation] {
    var sets: DefectMask = 0
    var isCorrected = false
    var matches: [Match] = []
    for quantity in quantities {
      if !wrong.contains(quantity), let match = right[quantity.rawValue] {
        matches.append(match)
        continue
      }
      var best = match(quantity, 0)
      var bestSet: DefectMask = 0
      for size in 1...most where !best.isWhole && (size == 1 || observations(of: quantity) > 1) {
        for set in self.sets(size) where relevant(set, quantity) == set && !best.isWhole {
          let match = match(quantity, set)
          if match.count > best.count, match.isWhole || size == 1 {
            (best, bestSet) = (match, set)
          }
        }
      }
      if !best.isWhole, let corrected = corrected(quantity) {
        (bestSet, best) = corrected
        isCorrected = true
      }
      sets |= bestSet
      matches.append(best)
    }
    let fitted = isCorrected ? Defect.decodings.filter(\.isFitted) : []
    return [explanation(named(sets) + fitted, matches)]
  }

  private func observations(of quantity: QuantitySet) -> Int {
    alignment.pairs.count { $0.observation.quantities.contains(quantity) }
  }
}
