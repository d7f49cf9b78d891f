package import BME280
package import DriverDefects
import Text

/// An explanation of a table of wrong pressures, or a near miss.
package struct TableExplanation: Sendable {
  /// A program, starting at a row.
  package struct Step: Hashable, Sendable {
    /// The first row.
    package let row: Int
    /// The defects of the program.
    package let defects: [Defect]
    /// `true` if the same program is restarted here.
    package let isRestart: Bool
    /// The number of pressures missing from the sum of five.
    package let lost: Int
  }

  /// The name of the calibration; `nil` if it was fitted.
  package let part: String?
  /// The calibration.
  package let calibration: Calibration
  /// The name of the formula.
  package let formula: String
  /// The changes from row to row; rows without a step continue the previous one.
  package let steps: [Step]
  /// The value of each row, in Pa.
  package let values: [Double]
  /// The description length in bits.
  package let bits: Double
  /// The largest distance of a row, in tolerances; at most 1 for an explanation.
  package let distance: Double

  /// The defects of all its programs, without duplicates, in order of appearance.
  package var defects: [Defect] {
    var all: [Defect] = []
    for defect in steps.flatMap(\.defects) where !all.contains(defect) { all.append(defect) }
    return all
  }

  /// The score of a near miss, lower is better: description length plus the cost of the remaining distance.
  var promise: Double { bits + RowCost.missed(by: distance, in: values.count) }

  /// The number of changes between the rows.
  package var changes: Int { steps.count - 1 }
}

/// The cost in bits of describing the changes from row to row.
///
/// No change is likely; everything else costs more. The probabilities are assumptions, defined only here.
enum RowCost {
  /// The same program continues: three of four.
  static let same = 0.415
  /// The program is restarted: one of eight.
  static let restart = 3.0
  /// Another program, one of eight; the choice of the program costs extra.
  static let other = 3.0
  /// No reading is lost: seven of eight.
  static let whole = 0.193
  /// One to four readings are lost, equally likely: one of eight in total.
  static let lost = 5.0

  /// Returns the cost of describing the rows exactly, if they are known up to a distance in tolerances: each value is
  /// one of as many as the distance has tolerances.
  static func missed(by distance: Double, in rows: Int) -> Double {
    Double(rows) * Logarithm.base2(max(distance, 1))
  }

  /// Returns the cost of a number of lost readings.
  static func lost(_ count: Int) -> Double { count == 0 ? whole : lost }
}

extension TableExplanation {
  /// The device with this calibration, as an entry of the device list of a rig.
  package var device: String {
    let nvm = calibration.bytes
    let digits = nvm.indices.map { Hexadecimal.digits(nvm[$0]) }
    let lower = digits.prefix(Calibration.lowerLength).joined()
    let upper = digits.dropFirst(Calibration.lowerLength).joined()
    return "{address: 0x76, model: bme280, calibration: {0x88: \"\(lower)\", 0xE1: \"\(upper)\"}}"
  }
}

/// The values that a program showed at some times, with the true values.
package struct ShownTable: Hashable, Sendable {
  /// A row, in Pa, C and seconds.
  package struct Row: Hashable, Sendable {
    /// The time in seconds since the first row.
    package let time: Double
    /// The pressure shown, and half of its last digit.
    package let shown: Double, shownHalf: Double
    /// The true pressure, and half of its last digit.
    package let right: Double, rightHalf: Double
    /// The temperature shown; correct as far as is known.
    package let celsius: Double

    /// Creates a row.
    package init(
      time: Double, shown: Double, shownHalf: Double = 50, right: Double, rightHalf: Double = 50,
      celsius: Double
    ) {
      (self.time, self.shown, self.shownHalf) = (time, shown, shownHalf)
      (self.right, self.rightHalf, self.celsius) = (right, rightHalf, celsius)
    }

    /// The allowed difference between a computed value and the value shown: both numbers are rounded.
    package var tolerance: Double { shownHalf + rightHalf * max(shown / right, 1) }

    /// Returns the row with another pressure shown.
    func showing(_ pressure: Double) -> Row {
      Row(
        time: time, shown: pressure, shownHalf: shownHalf, right: right, rightHalf: rightHalf,
        celsius: celsius)
    }
  }

  /// The rows, in order of time.
  package let rows: [Row]

  /// Creates a table.
  package init(_ rows: [Row]) { self.rows = rows }

  /// The information of its pressures in bits, if a wrong decoding may show anything from 300 to 3300 hPa.
  package var bits: Double {
    rows.reduce(0) { $0 + Logarithm.base2(300_000 / (2 * $1.tolerance)) }
  }

  /// Returns a table of the same true values with random pressures shown, log-uniformly distributed.
  func random(_ chance: inout some RandomNumberGenerator) -> ShownTable {
    ShownTable(
      rows.map { row in
        // 500 to 4000 hPa: three octaves.
        let doublings = Double.random(in: 0..<3, using: &chance)
        let whole = Double(1 << Int(doublings))
        let value = 50_000 * whole * (1 + (doublings - doublings.rounded(.down)))
        let digit = 2 * row.shownHalf
        return row.showing((value / digit).rounded() * digit)
      })
  }
}
