package import DriverDefects

/// Which formula a program has, by the last digits of what it shows on several benches.
///
/// Right formulas differ among each other, and a defect that changes less than that passes for right, value by value. A
/// program that prints more digits than that tells nevertheless: where no right formula, of any precision and however
/// rounded, gives what it shows, and one defect gives all that it shows, to the last digit and on every bench, it has
/// that defect. Where several defects do, all are named.
package struct LastDigits {
  /// One bench: what was recorded there, and what the program showed of the quantities that are not wrong there.
  package struct Bench {
    let evidence: Evidence
    let observations: [Observation]

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - evidence: what was recorded.
    ///   - observations: what the program showed, in its order; the bounds are half a digit off its numbers.
    package init(_ evidence: Evidence, _ observations: [Observation]) {
      self.evidence = evidence
      self.observations = observations
    }
  }

  /// A defect that is less than right formulas differ by.
  package struct Finding: Hashable, Sendable {
    /// A value that no right formula gives.
    package struct Value: Hashable, Sendable {
      /// The place of its bench.
      package let bench: Int
      /// What the program showed, and the nearest value of a right formula, in C, Pa or %RH.
      package let shown: Double, right: Double
    }

    /// The defects that give all that was shown; each of them alone does.
    package let defects: [Defect]
    /// The name of the quantity.
    package let quantity: String
    /// The values by which it is told, the first of each bench.
    package let values: [Value]
  }

  /// What was found, quantity by quantity.
  package let findings: [Finding]

  /// On how many different measurements it must be told from every right formula.
  private static let fewest = 3

  /// Compares.
  package init(_ benches: [Bench]) {
    let searches = benches.map { Search($0.evidence, $0.observations) }
    findings = QuantitySet.named.compactMap { quantity, name in
      let series = DigitSeries(quantity, searches)
      let telling = series.points.filter(series.isTelling)
      guard Set(telling.map(\.measurement)).count >= Self.fewest else { return nil }
      let defects = Trials.usual.filter { series.agrees(with: $0, searches) }
      guard !defects.isEmpty else { return nil }
      var seen: Set<Int> = []
      let first = telling.filter { seen.insert($0.bench).inserted }
      return Finding(
        defects: defects, quantity: name,
        values: first.map { Finding.Value(bench: $0.bench, shown: $0.shown, right: $0.nearest) })
    }
  }
}
