package import BME280
import Support

/// An explanation of a table of wrong pressures, or a near miss, which does not reproduce all pressures.
package struct TableExplanation: Sendable {
  /// A row at which a program starts or is restarted, or at which the program or the number of lost readings changes.
  package struct Step: Hashable, Sendable {
    /// The first row to which the step applies.
    package let row: Int
    /// The defects of the program.
    package let defects: [Defect]
    /// `true` if the same program is restarted at this row.
    package let isRestart: Bool
    /// The number of readings that are missing from the sum of five pressures.
    package let lost: Int
  }

  /// The name of the calibration, or `nil` if it was fitted.
  package let part: String?
  package let calibration: Calibration
  /// The name of the formula.
  package let formula: String
  /// The changes from row to row; rows without a step continue the previous one.
  package let steps: [Step]
  /// The computed pressure of each row, in Pa.
  package let values: [Double]
  /// The description length of the explanation, in bits.
  package let bits: Double
  /// The largest difference between a computed and a displayed pressure, in units of the tolerance; at most 1 for an
  /// explanation.
  package let distance: Double

  /// The defects in all steps, without duplicates, in order of appearance.
  package var defects: [Defect] {
    var all: [Defect] = []
    for defect in steps.flatMap(\.defects) where !all.contains(defect) { all.append(defect) }
    return all
  }

  /// The score of a near miss: description length plus the cost of the remaining distance.
  ///
  /// A lower score is better.
  var promise: Double { bits + RowCost.missed(by: distance, in: values.count) }

  /// The number of changes between the rows.
  package var changes: Int { steps.count - 1 }
}

/// The costs in bits of describing the changes from row to row.
///
/// The most likely case is no change; everything else costs more. The probabilities are assumptions, which are defined
/// only here.
enum RowCost {
  /// The cost if the same program continues, which has a probability of 3/4.
  static let same = 0.415
  /// The cost if the program is restarted, which has a probability of 1/8.
  static let restart = 3.0
  /// The cost if a different program follows, which has a probability of 1/8.
  ///
  /// The choice of that program costs extra.
  static let other = 3.0
  /// The cost if no reading is lost, which has a probability of 7/8.
  static let whole = 0.193
  /// The cost if one to four readings are lost, which are equally likely and have a total probability of 1/8.
  static let lost = 5.0

  /// Returns the extra cost of describing all rows exactly if the computed values miss them by up to `distance`
  /// tolerances.
  ///
  /// The exact value of a row is then one of about `distance` candidates, which costs log2 of that number in bits.
  static func missed(by distance: Double, in rows: Int) -> Double {
    Double(rows) * Logarithm.base2(max(distance, 1))
  }

  /// Returns the cost of a number of lost readings.
  static func lost(_ count: Int) -> Double { count == 0 ? whole : lost }
}

extension TableExplanation {
  /// The device with this calibration, as an entry for the device list of a rig.
  package var device: String {
    let nvm = calibration.bytes
    let digits = nvm.indices.map { Hexadecimal.digits(nvm[$0]) }
    let lower = digits.prefix(Calibration.lowerLength).joined()
    let upper = digits.dropFirst(Calibration.lowerLength).joined()
    return "{address: 0x76, model: bme280, calibration: {0x88: \"\(lower)\", 0xE1: \"\(upper)\"}}"
  }
}

/// The pressures that a program displayed at some times, with the true pressures.
package struct ShownTable: Hashable, Sendable {
  /// A row of the table, in Pa, C and seconds.
  package struct Row: Hashable, Sendable {
    /// The time in seconds since the first row.
    package let time: Double
    /// The displayed pressure, and half of one unit of its last digit.
    package let shown: Double, shownHalf: Double
    /// The true pressure, and half of one unit of its last digit.
    package let right: Double, rightHalf: Double
    /// The displayed temperature, which is assumed to be correct.
    package let celsius: Double

    package init(
      time: Double, shown: Double, shownHalf: Double = 50, right: Double, rightHalf: Double = 50,
      celsius: Double
    ) {
      (self.time, self.shown, self.shownHalf) = (time, shown, shownHalf)
      (self.right, self.rightHalf, self.celsius) = (right, rightHalf, celsius)
    }

    /// The allowed difference between a computed and a displayed pressure, which arises because the displayed and the
    /// true pressure are both rounded.
    package var tolerance: Double { shownHalf + rightHalf * max(shown / right, 1) }

    /// Returns the row with a different displayed pressure.
    func showing(_ pressure: Double) -> Row {
      Row(
        time: time, shown: pressure, shownHalf: shownHalf, right: right, rightHalf: rightHalf,
        celsius: celsius)
    }
  }

  /// The rows, in order of time.
  package let rows: [Row]

  package init(_ rows: [Row]) { self.rows = rows }

  /// The information content of the displayed pressures in bits, if a wrong decoding may display anything from 300 to
  /// 3300 hPa.
  package var bits: Double {
    rows.reduce(0) { $0 + Logarithm.base2(300_000 / (2 * $1.tolerance)) }
  }

  /// Returns a table with the same true pressures and with random displayed pressures, distributed log-uniformly.
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
