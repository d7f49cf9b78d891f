import DriverDefects

/// What a program showed at some times, next to what was true.
package struct ShownTable: Hashable, Sendable {
  /// One row, in Pa, C and seconds.
  package struct Row: Hashable, Sendable {
    /// When, in seconds since the first row.
    package let time: Double
    /// The pressure that was shown, and half of its last digit.
    package let shown: Double, shownHalf: Double
    /// The true pressure, and half of its last digit.
    package let right: Double, rightHalf: Double
    /// The temperature that was shown; right as far as anybody knows.
    package let celsius: Double

    /// Creates a row.
    package init(
      time: Double, shown: Double, shownHalf: Double = 50, right: Double, rightHalf: Double = 50,
      celsius: Double
    ) {
      (self.time, self.shown, self.shownHalf) = (time, shown, shownHalf)
      (self.right, self.rightHalf, self.celsius) = (right, rightHalf, celsius)
    }

    /// By how much a computed value may differ from the one shown: both numbers were rounded.
    package var tolerance: Double { shownHalf + rightHalf * max(shown / right, 1) }

    /// The same truth, with another pressure shown.
    func showing(_ pressure: Double) -> Row {
      Row(
        time: time, shown: pressure, shownHalf: shownHalf, right: right, rightHalf: rightHalf,
        celsius: celsius)
    }
  }

  /// The rows, in order of their times.
  package let rows: [Row]

  /// Creates a table.
  package init(_ rows: [Row]) { self.rows = rows }

  /// How many bits its pressures say, where anything from 300 to 3300 hPa was to be expected of a wrong decoding.
  package var bits: Double {
    rows.reduce(0) { $0 + Logarithm.base2(300_000 / (2 * $1.tolerance)) }
  }

  /// A table of the same truth in which any pressures were shown, each as likely as its half.
  func random(_ chance: inout some RandomNumberGenerator) -> ShownTable {
    ShownTable(
      rows.map { row in
        // 500 to 4000 hPa: three doublings.
        let doublings = Double.random(in: 0..<3, using: &chance)
        let whole = Double(1 << Int(doublings))
        let value = 50_000 * whole * (1 + (doublings - doublings.rounded(.down)))
        let digit = 2 * row.shownHalf
        return row.showing((value / digit).rounded() * digit)
      })
  }
}
