import DriverDefects

extension Search {
  /// Explanations with the share of random tables that this search explains as simply, of which -log2 are the bits of evidence.
  ///
  /// A random table is the one that was shown, moved: its smallest values by a random amount, its largest by another one, and what
  /// lies between in proportion. So readings in air that did not change count as one number, and of changing air two numbers
  /// count. The share is not sampled: each set of defects up to the size of the explanation explains the tables that lie
  /// within the digits of its own values, and these shares add up. It is therefore an upper bound, and the bits are a lower one.
  mutating func weighed(_ explanations: [Explanation]) -> [Explanation] {
    // Explanations that are equally good have the same alternatives.
    var known: [[String]: Double?] = [:]
    return explanations.map { explanation in
      let key =
        ["\(explanation.defects.count) \(explanation.restsOnLimits)"] + explanation.leavesOpen
        + explanation.amounts
      let chance = known[key] ?? self.chance(of: explanation)
      known[key] = chance
      return explanation.with(chance: chance)
    }
  }

  /// The share of random tables that are explained as simply; `nil` for a right program, or if only missing values were shown.
  private mutating func chance(of explanation: Explanation) -> Double? {
    guard !explanation.defects.isEmpty else { return nil }
    guard !explanation.restsOnLimits else { return 1 }
    let open = explanation.leavesOpen
    let explained = quantities.filter { quantity in
      !QuantitySet.named.contains { $0.quantity == quantity && open.contains($0.name) }
    }
    let tables = explained.filter { !rightly($0).isWhole }
      .compactMap { RandomTable($0, shownIn: alignment) }
    guard !tables.isEmpty else { return nil }
    let share =
      explanation.amounts.isEmpty
      ? share(of: tables, upTo: min(explanation.defects.count, 3))
      : correctedShare(of: tables, explanation)
    return min(share, 1)
  }

  /// The share of random tables that some set of defects explains, up to a size.
  private mutating func share(of tables: [RandomTable], upTo size: Int) -> Double {
    let wrong = tables.reduce(QuantitySet()) { $0.union($1.quantity) }
    let right = quantities.filter { !wrong.contains($0) }
    var seen: Set<[Int]> = []
    var known: [Reached: [RandomTable.Reach]] = [:]
    var share = 0.0
    for size in 1...max(size, 1) {
      for set in sets(size) where relevant(set, wrong) == set {
        var reached: [[RandomTable.Reach]] = []
        for table in tables {
          let key = Reached(quantity: table.quantity.rawValue, set: relevant(set, table.quantity))
          let found = known[key] ?? (key.set == 0 ? [] : reaches(of: table, key.set))
          known[key] = found
          reached.append(found)
          if found.isEmpty { break }
        }
        guard !reached.contains(where: \.isEmpty) else { continue }
        // What would have changed a quantity that is right explains no table.
        let isPossible = right.allSatisfy { relevant(set, $0) == 0 || given($0, set).isWhole }
        guard isPossible else { continue }
        for way in RandomTable.combined(reached) where seen.insert(way.values).inserted {
          share += way.share
        }
      }
    }
    return share
  }

  /// The share for a correction that is built in: only how much its amount varies from reading to reading tells of it.
  private func correctedShare(of tables: [RandomTable], _ explanation: Explanation) -> Double {
    let isAlone = explanation.defects.allSatisfy(\.isFitted)
    let varied = tables.map(\.variation).min() ?? 1
    return varied * (isAlone ? 1 : Double(sets(1).count))
  }

  /// The values of a set of defects near a table, with the share of random tables that each gives.
  private func reaches(of table: RandomTable, _ set: DefectMask) -> [RandomTable.Reach] {
    let defects = named(set)
    var found: [RandomTable.Reach] = []
    for route in Route.all(table.quantity)
    where defects.allSatisfy({ route.allows($0, for: table.quantity) }) {
      let decoding = decoding(defects, route)
      let (words, unknown) = decoding.words.words(registers)
      guard !unknown.contains(table.quantity) else { continue }
      let reach = table.reach { places, shown in
        places.compactMap { decoding.value(table.quantity, at: $0, of: data, words).value }
          .min { abs($0 - shown) < abs($1 - shown) }
      }
      if let reach, !found.contains(where: { $0.values == reach.values }) { found.append(reach) }
    }
    return found
  }

  private struct Reached: Hashable {
    let quantity: UInt8
    let set: DefectMask
  }
}
