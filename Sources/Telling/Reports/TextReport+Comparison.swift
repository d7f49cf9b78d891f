import DriverDefects
import Environment
import Parts
import Quantities
import Runs
import Text

extension TextReport {
  /// What is compared with the results, as a table: the thesis's Tables 4.1 and 4.2 side by side.
  package func comparisonTable() -> [String] {
    guard let first = comparisons.first else { return [] }
    let most = 12
    let step = max((comparisons.count + most - 1) / most, 1)
    let hasBoard = first.board != nil && (columns ?? 80) >= 67
    func celsius(_ value: Double?) -> String {
      (value.map { Decimal.fixed($0, 2) } ?? "-").right(8)
    }
    func pressure(_ pascals: Double?) -> String {
      (pascals.map { Decimal.fixed(Quantity.pressure.shown($0), 2) } ?? "-").right(10)
    }
    func heads(_ names: [String], _ width: Int) -> String {
      names.map { $0.right(width) }.joined()
    }
    let temperatures = ["right", "defects"] + (hasBoard ? ["board"] : [])
    var lines = [
      "",
      style(
        .faint,
        "".right(11) + "temperature, °C".right(8 * temperatures.count)
          + "pressure, hPa".right(30)),
      style(
        .faint,
        "time".right(11) + heads(temperatures, 8) + heads(["right", "defects", "reference"], 10)),
    ]
    for index in stride(from: 0, to: comparisons.count, by: step) {
      let comparison = comparisons[index]
      let (measured, shown) = (comparison.reading.sample, comparison.shown?.values)
      let trap =
        comparison.shown?.wouldTrap == true ? style(.red, "  would have crashed in Swift") : ""
      lines.append(
        clock(comparison.reading.time) + celsius(measured.celsius) + celsius(shown?.temperature)
          + (hasBoard ? celsius(comparison.board) : "") + pressure(measured.pascals)
          + style(.red, pressure(shown?.pressure)) + pressure(comparison.reading.air?.pressure)
          + trap)
    }
    if step * comparisonsStep > 1 {
      lines.append(
        style(
          .faint, "every \(Decimal.ordinal(step * comparisonsStep)) of \(comparisonsSeen) results"))
    }
    return lines
  }
}
