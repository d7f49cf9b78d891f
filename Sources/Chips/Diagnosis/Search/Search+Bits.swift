import BME280Model

extension Search {
  /// Adds to each explanation the share of random tables that this search explains as simply.
  ///
  /// The bits of evidence are -log2 of this share.
  ///
  /// A random table is the observed table with shifted values: the smallest value is shifted by one random amount, the
  /// largest by another, and values in between proportionally. Readings in constant air therefore count as one number,
  /// readings in changing air as two. The share is not sampled. Instead, each set of at most as many defects as the
  /// explanation has is taken to explain the tables that lie within the digits of its own values, and the shares of
  /// these tables are added. The sum is an upper bound of the share, so its bits are a lower bound of the evidence.
  mutating func weighed(_ explanations: [Explanation]) -> [Explanation] {
    // Equally good explanations have the same alternatives.
    var known: [[String]: Double?] = [:]
    return explanations.map { explanation in
      let key =
        ["\(explanation.defects.count) \(explanation.reliesOnLimits)"]
        + explanation.unexplainedQuantities
        + explanation.amounts
      let chance = known[key] ?? self.chance(of: explanation)
      known[key] = chance
      return explanation.with(chance: chance)
    }
  }

  /// Returns the share of random tables for which the search finds an explanation as simple as the given one, or `nil`
  /// for a correct program or if the only wrong values are missing ones.
  private mutating func chance(of explanation: Explanation) -> Double? {
    guard !explanation.defects.isEmpty else { return nil }
    guard !explanation.reliesOnLimits else { return 1 }
    let open = explanation.unexplainedQuantities
    let explained = quantities.filter { quantity in
      !QuantitySet.named.contains { $0.quantity == quantity && open.contains($0.name) }
    }
    let tables = explained.filter { !correctMatch($0).isWhole }
      .compactMap { RandomTable($0, shownIn: alignment) }
    guard !tables.isEmpty else { return nil }
    let share =
      explanation.amounts.isEmpty
      ? share(of: tables, upTo: min(explanation.defects.count, 3))
      : correctedShare(of: tables, explanation)
    return min(share, 1)
  }

  /// Returns the share of random tables that are explained by any set of at most `size` defects.
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
        // A set that would have changed a correct quantity does not explain a table.
        let isPossible = right.allSatisfy { relevant(set, $0) == 0 || given($0, set).isWhole }
        guard isPossible else { continue }
        for way in RandomTable.combined(reached) where seen.insert(way.values).inserted {
          share += way.share
        }
      }
    }
    return share
  }

  /// Returns the share of random tables for an explanation with a built-in correction.
  ///
  /// The only evidence for a correction is how little its amount varies from reading to reading.
  private func correctedShare(of tables: [RandomTable], _ explanation: Explanation) -> Double {
    let isAlone = explanation.defects.allSatisfy(\.isFitted)
    let varied = tables.map(\.variation).min() ?? 1
    return varied * (isAlone ? 1 : Double(sets(1).count))
  }

  /// Returns the results that a set of defects can produce near the displayed values, each with the share of random
  /// tables that it explains.
  private func reaches(of table: RandomTable, _ set: DefectMask) -> [RandomTable.Reach] {
    let defects = named(set)
    var found: [RandomTable.Reach] = []
    for route in Route.all(table.quantity)
    where defects.allSatisfy({ route.allows($0, for: table.quantity) }) {
      let decoding = decoding(defects, route)
      let (words, unknown) = decoding.words.words(registers)
      guard !unknown.contains(table.quantity) else { continue }
      let reach = table.reach { measurements, shown in
        measurements.compactMap { decoding.value(table.quantity, at: $0, of: data, words).value }
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

/// The displayed values of one quantity, and the random tables derived from them.
struct RandomTable {
  /// The values that one decoding produces, and the share of random tables that it explains.
  struct Reach {
    /// The differences from the smallest and from the largest displayed value, rounded to whole units of the last
    /// displayed digit.
    var values: [Int]
    /// The share of random tables that the decoding explains.
    var share: Double
  }

  private struct Row {
    let middle: Double, half: Double
    let measurements: [Int]
    /// The position of the row's value between the smallest value of the table (0) and the largest (1).
    var position = 0.0
  }

  let quantity: QuantitySet
  private let rows: [Row]
  private let lowest: Row, highest: Row
  /// `window` is the maximum shift of the smallest value, and `span` the maximum additional shift of the largest.
  private let window: Double, span: Double

  /// Creates the table of one quantity, or `nil` if none of its values is a number.
  init?(_ quantity: QuantitySet, shownIn alignment: Alignment) {
    let rows = alignment.pairs.compactMap { pair in
      pair.observation.band(of: quantity).map { band in
        Row(
          middle: (band.high + band.low) / 2, half: (band.high - band.low) / 2,
          measurements: pair.measurements(of: quantity))
      }
    }
    guard let lowest = rows.min(by: { $0.middle < $1.middle }),
      let highest = rows.max(by: { $0.middle < $1.middle }), lowest.half > 0
    else { return nil }
    (self.quantity, self.lowest, self.highest) = (quantity, lowest, highest)
    let span = highest.middle - lowest.middle
    self.span = span
    self.rows = rows.map { row in
      var row = row
      row.position = span > 0 ? (row.middle - lowest.middle) / span : 0
      return row
    }
    // Wide enough to count tables, but narrow enough to stay near these values.
    window = max(200 * lowest.half, abs(lowest.middle) * 0.02)
  }

  /// The share of random tables in which the smallest and the largest value are shifted by the same amount, apart from
  /// the rounding of the displayed digits.
  var variation: Double { span > 0 ? min((lowest.half + highest.half) / span, 1) : 1 }

  /// Returns the result of a decoding, if its values are those of a possible random table.
  ///
  /// - Parameter value: returns the decoded value nearest to the displayed one, from the measurements to which a row
  ///   may belong.
  /// - Returns: the values at both ends and the share of random tables that the decoding explains, or `nil` if its
  ///   values are too far from the table's.
  func reach(_ value: (_ measurements: [Int], _ shown: Double) -> Double?) -> Reach? {
    guard let low = value(lowest.measurements, lowest.middle), abs(low - lowest.middle) <= window,
      let high = value(highest.measurements, highest.middle)
    else { return nil }
    let (first, last) = (low - lowest.middle, high - highest.middle)
    let slack = 2 * (lowest.half + highest.half)
    guard abs(last - first) <= span + slack else { return nil }
    if rows.count > 2 {
      for row in rows {
        let moved = row.middle + first + (last - first) * row.position
        guard let value = value(row.measurements, moved), abs(value - moved) <= row.half + slack
        else {
          return nil
        }
      }
    }
    // The digits of several values may have been truncated instead of rounded.
    let forms = rows.count > 1 ? 2.0 : 1
    func digits(_ difference: Double, _ row: Row) -> Int {
      // Values in reach are few digits away; digits finer than doubles do not exist.
      Int(max(min((difference / (2 * row.half)).rounded(), 1e15), -1e15))
    }
    return Reach(
      values: [digits(first, lowest), digits(last, highest)],
      share: min(forms * lowest.half / window, 1) * variation)
  }

  /// Returns all combinations of one result for each quantity.
  static func combined(_ reaches: [[Reach]]) -> [Reach] {
    reaches.reduce([Reach(values: [], share: 1)]) { ways, next in
      ways.flatMap { way in
        next.map { Reach(values: way.values + $0.values, share: way.share * $0.share) }
      }
    }
  }
}

/// Logarithms without a library.
package enum Logarithm {
  /// Returns the logarithm to base 2 of a positive number; 0 for other values.
  package static func base2(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 0 }
    // ln((1 + y) / (1 - y)) = 2 (y + y³/3 + ...), of a significand from 1 to 2.
    let y = (value.significand - 1) / (value.significand + 1)
    var (sum, power) = (0.0, y)
    for odd in stride(from: 1, through: 29, by: 2) {
      sum += power / Double(odd)
      power *= y * y
    }
    return Double(value.exponent) + 2 * sum * 1.4426950408889634
  }
}
