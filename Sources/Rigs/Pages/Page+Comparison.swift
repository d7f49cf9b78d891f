import BME280Driver
import DriverDefects
import VirtualSensors

extension Page {
  /// What a program with defects shows of the same bytes, next to the right result and the reference.
  var comparison: String {
    let all = record.compared
    guard let first = all.first else { return "" }
    let hasWrong = first.shown != nil
    let hasBoard = first.board != nil
    func cell(_ value: Double?, _ digits: Int, _ unit: String, _ look: String = "") -> String {
      "<td\(look)>\(value.map { "\(Decimal.fixed($0, digits)) \(unit)" } ?? "-")</td>"
    }
    let step = max((all.count + 11) / 12, 1)
    let rows = stride(from: 0, to: all.count, by: step).map { index in
      let (reading, shown) = (all[index].reading, all[index].shown)
      let trap = shown?.wouldTrap == true ? "would have crashed in Swift" : ""
      let bad = " class=\"bad\""
      var cells = "<td>\(clock(Double(reading.time) / 1e9))</td>"
      cells += cell(reading.measurement.celsius, 2, "C")
      if hasWrong { cells += cell(shown?.temperature, 2, "C", bad) }
      if hasBoard { cells += cell(all[index].board, 2, "C") }
      cells += cell(reading.air?.temperature, 2, "C")
      cells += cell(reading.measurement.pascals.map { $0 / 100 }, 2, "hPa")
      if hasWrong { cells += cell(shown?.pressure.map { $0 / 100 }, 2, "hPa", bad) }
      cells += cell(reading.air.map { $0.pressure / 100 }, 2, "hPa")
      return "<tr>\(cells)<td class=\"bad\">\(trap)</td></tr>"
    }
    let heads =
      ["time", "temperature, right"] + (hasWrong ? ["with defects"] : [])
      + (hasBoard ? ["the board's own"] : []) + ["reference", "pressure, right"]
      + (hasWrong ? ["with defects"] : []) + ["reference", ""]
    return section("Right, wrong and reference", table(heads, rows.joined(separator: "\n")))
  }
}
