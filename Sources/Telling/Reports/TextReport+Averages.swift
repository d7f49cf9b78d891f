import Quantities
import Rigs
import Runs
import Text

extension TextReport {
  /// The averages with what is compared with them, a table for each quantity: the thesis's Tables 4.1 and 4.2.
  package func averageTables() -> [String] {
    guard comparedAverages.count > 1 else { return [] }
    let hasShown = comparedAverages.contains { $0.compared?.shown.pressure != nil }
    let samples = rig?.pipeline?.samples ?? 0
    let others = hasShown ? ["with defects"] : []
    var lines: [String] = []
    if comparedAverages.contains(where: { $0.compared?.board != nil }) || hasShown {
      lines += table(
        "temperature, °C: averages of \(samples) samples",
        ["board", "sensor"] + others + ["station"]
      ) { average in
        [average.compared?.board, average.means.temperature?.measured]
          + (hasShown ? [average.compared?.shown.temperature] : [])
          + [average.means.temperature?.air]
      }
    }
    lines += table(
      "pressure, hPa: averages of \(samples) samples", ["sensor"] + others + ["station"]
    ) { average in
      let shown: [Double?] = hasShown ? [average.compared?.shown.pressure] : []
      return ([average.means.pressure?.measured] + shown + [average.means.pressure?.air]).map {
        $0.map(Quantity.pressure.shown)
      }
    }
    return lines
  }

  private func table(
    _ title: String, _ heads: [String], _ values: (RunEvent.Average) -> [Double?]
  ) -> [String] {
    let most = 24
    let step = max((comparedAverages.count + most - 1) / most, 1)
    func cell(_ value: Double?) -> String { (value.map { Decimal.fixed($0, 2) } ?? "-").right(14) }
    var lines = [
      "", style(.faint, title),
      style(.faint, "begun at".right(11) + heads.map { $0.right(14) }.joined()),
    ]
    for index in stride(from: 0, to: comparedAverages.count, by: step) {
      let average = comparedAverages[index]
      let trap =
        average.compared?.wouldTrap == true ? style(.red, "  would have crashed in Swift") : ""
      lines.append(clock(average.start) + values(average).map(cell).joined() + trap)
    }
    if step > 1 {
      lines.append(
        style(.faint, "every \(Decimal.ordinal(step)) of \(comparedAverages.count) averages"))
    }
    return lines
  }
}
