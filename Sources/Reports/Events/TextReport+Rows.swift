import Barometry
import Bridges
import Diagnosis
import Environment
import Parts
import Quantities
import Rigs
package import Runs
import Support

extension TextReport {
  private var hasRate: Bool { rig?.pipeline?.forecasters.contains(.thesis) == true }

  /// Prints a row for a measuring cycle if the forecast has changed or no row has been printed for
  /// a while.
  func row(_ sensorID: Rig.SensorID, word: String, rate: Double?, trend: PressureTrend? = nil) {
    guard let average = pending.removeValue(forKey: sensorID) else { return }
    // The rows of a fleet would hide everything else.
    if sensorID.part != nil { return }
    averages += 1
    let outside = average.outside.outsideNote
    let current = word + outside
    let isDue = average.time - (shown[sensorID]?.time ?? 0) >= longestPause
    guard shown[sensorID]?.word != current || isDue || shown[sensorID] == nil else { return }
    shown[sensorID] = (current, average.time)
    rows += 1
    if !hasHeads {
      hasHeads = true
      heads()
    }
    var text = clock(average.time) + label(sensorID).trimmedEnd
    text += cell(
      average.means.pressure.map { Quantity.pressure.shown($0.measured) }, 2, width: 10)
    if hasRate { text += cell(rate, 2, width: 8, isSigned: true) }
    text += cell(average.means.temperature?.measured, 2, width: 8)
    text += cell(average.means.humidity?.measured, 1, width: 7)
    let width = text.count + 2
    if !word.isEmpty { text += "  " + (trend.map { style($0.look, word) } ?? style(.faint, word)) }
    if !outside.isEmpty { text += "  " + style(.red, outside) }
    line(
      text,
      indent: (columns ?? 0) < 80 ? 13 : width)
  }

  /// The maximum time between two rows, in nanoseconds.
  private var longestPause: UInt64 { (rig?.duration ?? 0) / 8 }

  /// Prints the column names with their units.
  private func heads() {
    let labels = rig?.pipeline?.sensors.count ?? 0 > 1 ? "  sensor" : ""
    let units = ["hPa".right(10), hasRate ? "hPa/h".right(8) : "", "°C".right(8), "%".right(7)]
    line(
      style(
        .faint,
        "time".right(11) + labels + units.joined() + (hasRate ? "  forecast" : "")))
  }

  /// The note about omitted rows; empty if no rows were omitted.
  var rowsNote: [String] {
    guard rows > 0, rows < averages else { return [] }
    let pause = longestPause > 0 ? "at least every \(Decimal.duration(longestPause))" : ""
    let which = hasRate ? ["each new forecast", pause] : [pause]
    let text = which.filter { !$0.isEmpty }.joined(separator: ", and ")
    return [
      style(.faint, "\(rows) of \(averages) averages: \(text); use --format jsonl for all")
    ]
  }

  private func cell(
    _ value: Double?, _ decimals: Int, width: Int, isSigned: Bool = false
  ) -> String {
    guard let value else { return String(repeating: " ", count: width) }
    return (isSigned ? Decimal.signed(value, decimals) : Decimal.fixed(value, decimals))
      .right(width)
  }
}

extension String {
  /// The text with two blanks before it and without trailing blanks, because the number that
  /// follows has its own padding.
  fileprivate var trimmedEnd: String {
    isEmpty ? "" : "  " + String(reversed().drop { $0 == " " }.reversed())
  }
}

extension TextReport {
  /// Returns the averages with the compared values, in one table for each quantity, like Tables 4.1
  /// and 4.2 of the thesis.
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
      style(.faint, "start".right(11) + heads.map { $0.right(14) }.joined()),
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

extension TextReport {
  /// Returns the compared values in one table, like Tables 4.1 and 4.2 of the thesis side by side.
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

extension RunEvent.BoardReport {
  /// The sentences about the board's statistics, the reasons for failed connections and the battery
  /// life.
  package var sentences: [String] {
    var lines = [
      "board on bus \(bus): \(commands) commands (each blinks its LED), \(lost) "
        + "replies lost, \(refused) without a connection\(why), battery \(battery) %"
    ]
    if let radio {
      let failed = radio.failure.map { "; the stack failed: \($0)" } ?? ""
      lines.append(
        "over Bluetooth LE frames: \(radio.requests) requests through the stack, connected "
          + (radio.connections == 1 ? "once" : "\(radio.connections) times") + failed)
    }
    if let flatSince {
      let all =
        charge.map { " delivered its \(Decimal.shortest(($0 * 1e4).rounded() / 1e4)) mAh and" }
        ?? ""
      let since = flatSince == 0 ? "the start" : Decimal.elapsed(flatSince)
      lines.append("the battery\(all) has been flat since \(since)")
    }
    if let charge {
      if let life, let lifeAsleep {
        let gave = flatSince == nil ? "the battery delivered \(Decimal.fixed(charge, 2)) mAh; " : ""
        lines.append(
          gave + "at this rate it lasts \(Self.time(life)) with its "
            + "microcontroller awake, \(Self.time(lifeAsleep)) asleep between radio events"
        )
      }
      // The model of the power consumption is not configurable.
      lines.append(BoardPower().origin)
    }
    return lines
  }

  /// The message about operations that failed because the board had no connection; `nil` if there
  /// were none.
  var refusal: String? {
    refused == 0
      ? nil : "the board on bus \(bus): \("operation".counted(refused)) had no connection\(why)"
  }

  /// The reasons why the board had no connection, with the number of operations that failed for
  /// each reason.
  private var why: String {
    let reasons = SimulatedGATTLink.Absence.allCases.compactMap { absence in
      refusals[absence].map { "\($0) \(absence.rawValue)" }
    }
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
  }

  /// Formats a time in hours, as hours or days.
  private static func time(_ hours: Double) -> String {
    hours < 72 ? "\(Decimal.fixed(hours, 1)) h" : "\(Decimal.fixed(hours / 24, 1)) days"
  }
}
