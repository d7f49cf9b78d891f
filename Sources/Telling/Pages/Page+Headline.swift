import Barometry
import DriverDefects
import Parts
import Quantities
import Runs
import Text

extension Page {
  /// What a crew must know first: where the leak is, and whether to leave.
  var headline: String {
    var sentences: [String] = []
    if let module = record.leaking.first {
      sentences.append(
        record.leaking.count == 1
          ? "The leak is in \(module)."
          : "The leak is in one of \(record.leaking.joined(separator: ", ")).")
    }
    if let haven = record.haven {
      sentences.append("The safe haven was called at \(clock(Double(haven) / 1e9)).")
    }
    if let level = record.level, let words = level.assessment.level.words {
      sentences.append("\(words) from \(clock(Double(level.time) / 1e9)) on.")
    }
    if let (wrong, right) = worstPressure, abs(wrong - right) > 0.1 {
      sentences.append(
        "The program with defects shows \(Decimal.fixed(wrong, 1)) hPa where "
          + "\(Decimal.fixed(right, 1)) hPa are right.")
    }
    guard !sentences.isEmpty else { return "" }
    return "<p class=\"headline bad\">\(XML.escaped(sentences.joined(separator: " ")))</p>\n"
  }

  /// The pressure of the program with defects that is furthest from the right one, in hPa, and the right one.
  private var worstPressure: (wrong: Double, right: Double)? {
    let means: [(wrong: Double?, right: Double?)] = record.comparedAverages.map {
      ($0.compared?.shown.pressure, $0.means.pressure?.measured)
    }
    let single: [(wrong: Double?, right: Double?)] = record.compared.map {
      ($0.shown?.values.pressure, $0.reading.sample.pascals)
    }
    let pairs = (means.count > 1 ? means : single).compactMap { pair in
      pair.wrong.flatMap { wrong in
        pair.right.map { (Quantity.pressure.shown(wrong), Quantity.pressure.shown($0)) }
      }
    }
    return pairs.max { abs($0.0 - $0.1) < abs($1.0 - $1.1) }
  }
}
