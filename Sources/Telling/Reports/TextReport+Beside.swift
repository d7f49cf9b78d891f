import DriverDefects
import Environment
import Parts
import Quantities
import Runs
import Text

extension TextReport {
  /// What is compared with the results, as a table: the thesis's Tables 4.1 and 4.2 side by side.
  package func besideTable() -> [String] {
    guard let first = besides.first else { return [] }
    let most = 12
    let step = max((besides.count + most - 1) / most, 1)
    func pair(_ celsius: Double?, _ pascals: Double?) -> (String, String) {
      (
        celsius.map { Decimal.fixed($0, 2) + " C" } ?? "-",
        pascals.map { Decimal.fixed(Quantity.pressure.shown($0), 2) + " hPa" } ?? "-"
      )
    }
    var lines = [
      "",
      "".right(11) + "  " + "temperature".padded(13 * (first.board == nil ? 2 : 3)) + "pressure",
      "time".right(11) + "  " + "right".padded(13) + "defects".padded(13)
        + (first.board == nil ? "" : "board".padded(13)) + "right".padded(14)
        + "defects".padded(14) + "reference",
    ]
    for index in stride(from: 0, to: besides.count, by: step) {
      let beside = besides[index]
      let measured = beside.reading.sample
      let right = pair(measured.celsius, measured.pascals)
      let wrong = pair(
        beside.shown?.values.temperature, beside.shown?.values.pressure)
      let air = pair(nil, beside.reading.air?.pressure)
      let trap = beside.shown?.wouldTrap == true ? style(.red, "  would have crashed in Swift") : ""
      lines.append(
        clock(beside.reading.time) + "  " + right.0.padded(13) + wrong.0.padded(13)
          + (beside.board.map { pair($0, nil).0.padded(13) } ?? "") + right.1.padded(14)
          + style(.red, wrong.1.padded(14)) + air.1 + trap)
    }
    return lines
  }
}

extension String {
  /// The text with blanks behind it up to a width.
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
