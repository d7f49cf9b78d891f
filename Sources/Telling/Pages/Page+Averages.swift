import DriverDefects
import Quantities
import Rigs
import Runs
import Text

extension Page {
  /// What is wrong with the program that is compared, build by build.
  var defects: String {
    guard let program = rig.pipeline?.comparedProgram else { return "" }
    var rows: [String] = []
    for (index, build) in program.builds.enumerated() {
      let next = index + 1 < program.builds.count ? program.builds[index + 1].start : nil
      let isOnly = program.builds.count == 1
      let time =
        isOnly ? nil : clock(Double(build.start) / 1e9) + (next == nil ? " on" : "")
      for defect in build.decoder.defects {
        rows.append(row(time, defect.title, defect.defectClass?.title, defect.defectClass?.fix))
      }
      if build.lost > 0 {
        rows.append(
          row(time, "", "\(build.lost) of the pressures of each average are missing", nil))
      }
      if build.decoder.defects.isEmpty, build.lost == 0 {
        rows.append(row(time, "none", nil, nil))
      }
    }
    return section(
      "What is wrong with the program",
      table(
        (program.builds.count == 1 ? [] : ["from"]) + ["defect", "what it does", "instead"],
        rows.joined(separator: "\n")))
  }

  /// A row of it; without a time where there is one build only.
  private func row(_ time: String?, _ cells: String?...) -> String {
    let all = (time.map { [$0] } ?? []) + cells.map { $0 ?? "" }
    return "<tr>" + all.map { "<td>\(XML.escaped($0))</td>" }.joined() + "</tr>"
  }

  /// The averages of each quantity next to what the board, the program with defects and the station say.
  var averageTables: String {
    let all = record.comparedAverages
    let hasShown = all.contains { $0.compared?.shown.pressure != nil }
    let hasBoard = all.contains { $0.compared?.board != nil }
    let step = max((all.count + 23) / 24, 1)
    let shown = stride(from: 0, to: all.count, by: step).map { all[$0] }
    func cell(_ value: Double?, insteadOf right: Double? = nil) -> String {
      let isWrong = value.flatMap { value in right.map { abs(value - $0) > 0.1 } } ?? false
      let text = value.map { Decimal.fixed($0, 2) } ?? "-"
      return "<td class=\"number\(isWrong ? " bad" : "")\">\(text)</td>"
    }
    func rows(_ cells: (RunEvent.Average) -> String) -> String {
      shown.map { "<tr><td>\(clock(Double($0.start) / 1e9))</td>\(cells($0))</tr>" }
        .joined(separator: "\n")
    }
    let temperatures = rows { average in
      let right = average.means.temperature?.measured
      return (hasBoard ? cell(average.compared?.board) : "") + cell(right)
        + (hasShown ? cell(average.compared?.shown.temperature, insteadOf: right) : "")
        + cell(average.means.temperature?.air)
    }
    let pressures = rows { average in
      let right = average.means.pressure.map { Quantity.pressure.shown($0.measured) }
      let wrong = average.compared?.shown.pressure.map(Quantity.pressure.shown)
      return cell(right) + (hasShown ? cell(wrong, insteadOf: right) : "")
        + cell(average.means.pressure.map { Quantity.pressure.shown($0.air) })
    }
    let others = hasShown ? ["with defects"] : []
    return section(
      "Averages of temperature, °C",
      table(
        ["time"] + (hasBoard ? ["the board's own"] : []) + ["sensor"] + others + ["station"],
        temperatures, isOfNumbers: true))
      + section(
        "Averages of pressure, hPa",
        table(["time", "sensor"] + others + ["station"], pressures, isOfNumbers: true))
  }
}
