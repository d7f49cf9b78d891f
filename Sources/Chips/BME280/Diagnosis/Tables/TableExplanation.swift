package import BME280
package import DriverDefects

/// What explains a table of wrong pressures, or comes near.
package struct TableExplanation: Sendable {
  /// A program from a row on.
  package struct Step: Hashable, Sendable {
    /// The row from which it holds.
    package let row: Int
    /// What is wrong with the program.
    package let defects: [Defect]
    /// Whether it is begun anew here without being another one.
    package let isRestart: Bool
    /// How many pressures are missing from the sum of five.
    package let lost: Int
  }

  /// The name of the calibration; `nil` where it was fitted.
  package let part: String?
  /// The calibration.
  package let calibration: Calibration
  /// The name of the formula.
  package let formula: String
  /// What changes from row to row; a row that is not named is as the one before.
  package let steps: [Step]
  /// What it gives for each row, in Pa.
  package let values: [Double]
  /// How many bits it takes to say it.
  package let bits: Double
  /// The largest distance of a row, in tolerances; up to 1 it explains the table.
  package let distance: Double

  /// The defects that any of its programs has, in the order of the first.
  package var defects: [Defect] {
    var all: [Defect] = []
    for defect in steps.flatMap(\.defects) where !all.contains(defect) { all.append(defect) }
    return all
  }

  /// How much it promises as a near miss, less being more: few bits, and little that is missed.
  var promise: Double { bits + RowCost.missed(by: distance, in: values.count) }

  /// How many things must have changed between the rows.
  package var changes: Int { steps.count - 1 }
}

/// What it costs in bits to say what happened from row to row.
///
/// That nothing happened is likely; all else has to be paid for. The shares are an assumption, stated once here.
enum RowCost {
  /// The program goes on as before: three of four.
  static let same = 0.415
  /// It is begun anew: one of eight.
  static let restart = 3.0
  /// It is another one, one of eight; which one comes on top.
  static let other = 3.0
  /// No reading is lost: seven of eight.
  static let whole = 0.193
  /// One to four readings are lost, each as likely as the others: one of eight for all.
  static let lost = 5.0

  /// What it costs to say the rows after all, once they are known up to a distance in tolerances: in each row the
  /// value is one of as many as the distance has tolerances.
  static func missed(by distance: Double, in rows: Int) -> Double {
    Double(rows) * Logarithm.base2(max(distance, 1))
  }

  /// The cost of a number of lost readings.
  static func lost(_ count: Int) -> Double { count == 0 ? whole : lost }
}
