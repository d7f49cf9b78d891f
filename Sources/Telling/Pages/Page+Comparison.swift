import DriverDefects
import Environment
import Parts
import Quantities
import Runs
import Text

extension Page {
  /// What a program with defects shows of the same bytes, next to the right result and the reference.
  package var comparison: String {
    if record.comparedAverages.count > 1 { return averageTables }
    let all = record.compared
    guard let first = all.first else { return "" }
    let hasWrong = first.shown != nil
    let hasBoard = first.board != nil
    func cell(_ value: Double?, _ unit: String, insteadOf right: Double? = nil) -> String {
      // Two right formulas differ by less than a tenth.
      let isWrong = value.flatMap { value in right.map { abs(value - $0) > 0.1 } } ?? false
      let text = value.map { "\(Decimal.fixed($0, 2)) \(unit)" } ?? "-"
      return "<td class=\"number\(isWrong ? " bad" : "")\">\(text)</td>"
    }
    let step = max((all.count + 11) / 12, 1)
    let rows = stride(from: 0, to: all.count, by: step).map { index in
      let (reading, shown) = (all[index].reading, all[index].shown)
      let trap = shown?.wouldTrap == true ? "would have crashed in Swift" : ""
      var cells = "<td>\(clock(Double(reading.time) / 1e9))</td>"
      let celsius = reading.sample.celsius
      let hectopascals = reading.sample.pascals.map(Quantity.pressure.shown)
      cells += cell(celsius, "C")
      if hasWrong { cells += cell(shown?.values.temperature, "C", insteadOf: celsius) }
      if hasBoard { cells += cell(all[index].board, "C") }
      cells += cell(reading.air?.temperature, "C")
      cells += cell(hectopascals, "hPa")
      if hasWrong {
        cells += cell(
          shown?.values.pressure.map(Quantity.pressure.shown), "hPa", insteadOf: hectopascals)
      }
      cells += cell(reading.air.map { Quantity.pressure.shown($0.pressure) }, "hPa")
      return "<tr>\(cells)<td class=\"bad\">\(trap)</td></tr>"
    }
    let heads =
      ["time", "temperature, right"] + (hasWrong ? ["with defects"] : [])
      + (hasBoard ? ["the board's own"] : []) + ["reference", "pressure, right"]
      + (hasWrong ? ["with defects"] : []) + ["reference", ""]
    return section(
      "Right, wrong and reference", table(heads, rows.joined(separator: "\n"), isOfNumbers: true))
  }
}
