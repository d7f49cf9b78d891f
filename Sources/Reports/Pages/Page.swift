import Barometry
import Diagnosis
import Environment
import I2CTrace
import Parts
import Quantities
package import Rigs
package import Runs
package import Support
import TraceTools
import VirtualI2C

/// The self-contained HTML page of a run, which needs no network access and contains no scripts.
package struct Page {
  package let record: PageRecorder
  package let rig: Rig
  package let verdict: Verdict
  /// The transfers around each failed expectation, as lines of text.
  package let evidence: [(title: String, lines: [String])]
  package let plots: [Plot]
  /// The plots of each sensor, which are written to separate files.
  private let files: [Plot]

  /// Creates the page of a finished run; returns `nil` if the run has no rig or no verdict yet.
  ///
  /// - Parameters:
  ///   - record: the recorded events.
  ///   - trace: the path of the run's trace, from which the transfers around failures are read.
  /// - Throws: `Failure` if the trace cannot be read.
  package init?(_ record: PageRecorder, trace: String?) throws(Failure) {
    guard let rig = record.rig, let verdict = record.verdict else { return nil }
    self.record = record
    self.rig = rig
    self.verdict = verdict
    let pictures = PagePlots(record, rig)
    (plots, files) = (pictures.shown, pictures.all)
    evidence = try trace.map { path throws(Failure) in try Self.evidence(verdict, path) } ?? []
  }

  /// Returns the five transfers before and after the time of each failed expectation.
  private static func evidence(
    _ verdict: Verdict, _ path: String
  ) throws(Failure) -> [(title: String, lines: [String])] {
    let failed = verdict.findings.filter { !$0.passed }
    var around = failed.map { (finding: $0, before: [String](), after: [String]()) }
    guard around.contains(where: { $0.finding.time != nil }) else { return [] }
    var input = try TraceInput(path)
    var registers = RegisterText()
    while let transfer = try input.nextWhole() {
      // Interpret each transfer, because the meaning of registers depends on earlier writes.
      let meaning = registers.meaning(of: transfer)
      var line: String?
      for index in around.indices {
        guard let time = around[index].finding.time else { continue }
        let isBefore = transfer.time <= time
        if !isBefore, around[index].after.count >= 5 { continue }
        let text =
          line
          ?? "\(Decimal.fixed(Double(transfer.time) / 1e9, 6)) \(transfer)"
          + (meaning.map { "   \($0)" } ?? "")
        line = text
        if isBefore {
          around[index].before.append(text)
          if around[index].before.count > 5 { around[index].before.removeFirst() }
        } else {
          around[index].after.append(text)
        }
      }
    }
    return around.filter { $0.finding.time != nil }
      .map { ($0.finding.expectation.title, $0.before + $0.after) }
  }

  /// The text of the page.
  package var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <title>\(escaped(rig.name)): \(verdict.passed ? "passed" : "failed")</title>
    <style>\(PageStyle.page)</style></head>
    <body><main>
    \(head)\(findings)\(defects)\(comparison)\(boards)\(faults)\(cabin)\(pictures)\(reserveChart)\(forecasters)\(story)\(transfers)
    <footer>aneroid \(Version.text), rig SHA-256 \(rig.digest.prefix(16))…</footer>
    </main></body></html>

    """
  }

  /// The plots as separate pictures, each with a file name and SVG text.
  package var pictureFiles: [(name: String, svg: String)] {
    files.map { ($0.name, $0.svg(isAlone: true, of: rig.name)) }
  }

  private func escaped(_ text: String) -> String { XML.escaped(text) }

  /// Formats a sentence with typographic characters.
  private func sentence(_ text: String) -> String { escaped(PageText.typeset(text)) }

  /// A line for each sensor of the rig, and one for a fleet.
  private var sensors: [String] {
    func text(_ sensor: String, calibration: String?, module: String?) -> String {
      var text = sensor
      if let calibration { text += ", calibration \(calibration)" }
      if let module { text += ", in \(module)" }
      return text
    }
    var sensors: [String] = []
    for bus in rig.describedBuses {
      for device in bus.devices {
        sensors.append(
          text(
            "\(device.part.model.name) at \(device.address) on bus \(bus.number)",
            calibration: device.part.calibration, module: device.module))
      }
    }
    if let fleet = rig.fleet {
      sensors.append(
        text(
          "\(fleet.count) times \(fleet.part.model.name) at \(fleet.addressText) on bus \(fleet.busText)",
          calibration: fleet.part.calibration, module: fleet.module))
    }
    return sensors
  }

  private var head: String {
    let met = verdict.findings.count(where: \.passed)
    let word = verdict.passed ? "passed" : "failed"
    let count = verdict.findings.isEmpty ? "" : ", \(met) of \(verdict.findings.count)"
    let look = verdict.passed ? "ok" : "bad"
    let summary = "<p>\(sentence(rig.summary))</p>"
    let errors = record.errors == 0 ? "" : ", \(record.errors) errors"
    var facts: [(String, String)] = [
      ("time", "\(Decimal.duration(rig.duration ?? 0)), \(rig.clock.rawValue)"),
      ("seed", "\(rig.seed)"),
      ("sensors", sensors.isEmpty ? "from the trace" : sensors.joined(separator: "; ")),
      ("readings", "\(record.readings)\(errors)"),
    ]
    if record.startMoment != 0 {
      facts.insert(("start", UTCTime.text(record.startMoment) + " UTC"), at: 0)
    }
    let list = facts.map { "<dt>\($0.0)</dt><dd>\(escaped($0.1))</dd>" }.joined()
    return """
      <p><span class="verdict \(look)">\(word)\(count)</span></p><h1>\(escaped(rig.name))</h1>
      \(headline)\(summary)<dl>\(list)</dl>

      """
  }

  private var findings: String {
    guard !verdict.findings.isEmpty else { return "" }
    // Failed expectations come first.
    let sorted = verdict.findings.filter { !$0.passed } + verdict.findings.filter(\.passed)
    let rows = sorted.map { finding in
      let (look, word) = finding.passed ? ("ok", "met") : ("bad", "not met")
      return "<tr><td class=\"\(look)\">\(word)</td><td>\(sentence(finding.expectation.title))</td>"
        + "<td class=\"soft\">\(sentence(finding.detail))</td></tr>"
    }
    return section(
      "Expectations",
      table(["", "expected", "actual"], rows.joined(separator: "\n")))
  }

  /// The HTML section about the boards through which the program accesses the I2C adapter.
  private var boards: String {
    guard !record.boards.isEmpty else { return "" }
    let lines = record.boards.flatMap(\.sentences).map { "<p>\(sentence($0))</p>" }
    return section(record.boards.count == 1 ? "The board" : "The boards", lines.joined())
  }

  private var faults: String {
    guard !record.faults.isEmpty else { return "" }
    let rows = record.faults.map { report in
      let look = report.fault.hasFired ? "ok" : "bad"
      let place =
        "bus \(report.fault.bus)" + (report.fault.plan.address.map { ", \($0)" } ?? "")
      let times = [report.fault.plan.span?.first, report.fault.plan.span?.last].map { time in
        time.map { clock(Double($0) / 1e9) } ?? "-"
      }
      return "<tr><td>\(times[0])</td><td>\(times[1])</td><td>\(place)</td><td class=\"\(look)\">"
        + "\(escaped(report.fault.firings()))</td></tr>"
    }
    return section(
      "Faults", table(["first", "last", "location", "fault"], rows.joined(separator: "\n")))
  }

  /// The HTML table that compares the forecasters, with a column for each forecaster and a row for
  /// each time at which a forecast changes.
  private var forecasters: String {
    var changes: [(time: UInt64, method: Pipeline.Forecaster, text: String)] = []
    for (method, otherForecasts) in record.otherForecasts {
      changes += otherForecasts.map {
        ($0.time, method, $0.marked($0.text.isEmpty ? $0.word : "\($0.word) \($0.text)"))
      }
    }
    guard !changes.isEmpty else { return "" }
    changes += record.trends.map { ($0.time, .thesis, $0.trend.map { "\($0.name)" } ?? "-") }
    changes = changes.inOrder { $0.time < $1.time }
    let methods = Pipeline.Forecaster.allCases.filter { method in
      changes.contains { $0.method == method }
    }
    var current: [Pipeline.Forecaster: String] = [:]
    var rows: [String] = []
    for (index, change) in changes.enumerated() {
      current[change.method] = change.text
      let isLastOfItsTime = index + 1 == changes.count || changes[index + 1].time > change.time
      guard isLastOfItsTime, rows.count < 60 else { continue }
      let cells = methods.map { "<td>\(escaped(current[$0] ?? "-"))</td>" }.joined()
      rows.append("<tr><td>\(escaped(clock(Double(change.time) / 1e9)))</td>\(cells)</tr>")
    }
    return section(
      "Forecasters side by side",
      table(["time"] + methods.map(\.rawValue), rows.joined(separator: "\n")))
  }

  private var story: String {
    let entries = record.story.prefix(60)
    guard !entries.isEmpty else { return "" }
    let rows = entries.map { entry in
      "<tr><td>\(escaped(clock(Double(entry.time) / 1e9)))</td>"
        + "<td\(entry.isAlarm ? " class=\"bad\"" : "")>\(sentence(entry.text))</td></tr>"
    }
    let more = record.story.count - entries.count
    let rest = more > 0 ? "<p class=\"soft\">and \(more) more</p>" : ""
    return section("Events", table(["time", ""], rows.joined(separator: "\n")) + rest)
  }

  private var pictures: String {
    let figures = plots.map { plot in
      let notes = plot.notes.map { "<li>\(sentence($0))</li>" }.joined()
      let list = notes.isEmpty ? "" : "<ul class=\"notes soft\">\(notes)</ul>"
      return
        "<figure><figcaption>\(escaped(plot.title))</figcaption>\n\(plot.svg())\(list)</figure>\n"
    }
    guard !figures.isEmpty else { return "" }
    return section("Over time", "<div class=\"figures\">\n\(figures.joined())</div>\n")
  }

  private var transfers: String {
    evidence.map { title, lines in
      section(
        "Transfers around: \(title)", "<pre>\(escapedLines(lines))</pre>")
    }.joined()
  }

  private func escapedLines(_ lines: [String]) -> String {
    lines.map(escaped).joined(separator: "\n")
  }

  package func section(_ title: String, _ content: String) -> String {
    "<section><h2>\(escaped(title))</h2>\n\(content)</section>\n"
  }

  package func table(_ heads: [String], _ rows: String, isOfNumbers: Bool = false) -> String {
    let head = heads.map { "<th>\(escaped($0))</th>" }.joined()
    let look = isOfNumbers ? " class=\"numbers\"" : ""
    let rows = isOfNumbers ? labelled(rows, by: heads) : rows
    return
      "<div class=\"scroll\"><table\(look)><thead><tr>\(head)</tr></thead><tbody>\n\(rows)\n</tbody></table></div>\n"
  }

  /// Adds the column names to the cells, because a narrow screen displays the cells of a row below
  /// each other.
  private func labelled(_ rows: String, by heads: [String]) -> String {
    rows.split(separator: "<tr", omittingEmptySubsequences: false).map { row in
      let cells = row.split(separator: "<td", omittingEmptySubsequences: false)
      let labelled = cells.dropFirst().enumerated().map { index, cell in
        let head = heads.indices.contains(index) ? heads[index] : ""
        return "<td data-label=\"\(escaped(head))\"\(cell)"
      }
      return (cells.first ?? "") + labelled.joined()
    }.joined(separator: "<tr")
  }

  package func clock(_ seconds: Double) -> String { PagePlots.clock(seconds, record.startMoment) }
}

extension Page {
  /// The headline, which reports the most important results, such as the location of a leak or a
  /// safe-haven call.
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
        "The program with defects displays \(Decimal.fixed(wrong, 1)) hPa instead of "
          + "\(Decimal.fixed(right, 1)) hPa.")
    }
    guard !sentences.isEmpty else { return "" }
    return "<p class=\"headline bad\">\(XML.escaped(sentences.joined(separator: " ")))</p>\n"
  }

  /// The displayed pressure that differs most from the correct pressure, and the correct pressure,
  /// in hPa.
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

extension Page {
  /// The HTML table of the defects in each build of the program that the run compares with the
  /// correct formulas.
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
      "Defects of the program",
      table(
        (program.builds.count == 1 ? [] : ["from"]) + ["defect", "effect", "correct behavior"],
        rows.joined(separator: "\n")))
  }

  /// Returns a row of the defects table; `time` is `nil` if the table has no time column, because
  /// there is only one build.
  private func row(_ time: String?, _ cells: String?...) -> String {
    let all = (time.map { [$0] } ?? []) + cells.map { $0 ?? "" }
    return "<tr>" + all.map { "<td>\(XML.escaped($0))</td>" }.joined() + "</tr>"
  }

  /// The HTML tables of the average temperatures and pressures, with columns for the sensor, the
  /// program with defects and the reference station and, for temperatures, the board's own sensor.
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

extension Page {
  /// The HTML table that compares the results of the program with defects, the results of the
  /// correct formulas and the reference values; with more than one average, `averageTables`
  /// instead.
  package var comparison: String {
    if record.comparedAverages.count > 1 { return averageTables }
    let all = record.compared
    guard let first = all.first else { return "" }
    let hasWrong = first.shown != nil
    let hasBoard = first.board != nil
    func cell(_ value: Double?, _ unit: String, insteadOf right: Double? = nil) -> String {
      // The results of different correct formulas differ by less than 0.1.
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
      "Correct, defective and reference values",
      table(heads, rows.joined(separator: "\n"), isOfNumbers: true))
  }
}

/// Conversion of terminal text for the page.
enum PageText {
  /// Replaces plain characters with ±, °C and m³.
  static func typeset(_ text: String) -> String {
    text.replacing("+-", with: "±").replacing(/(?<number>\d) C\b/) { "\($0.number) °C" }
      .replacing(/\bm3\b/, with: "m³")
  }

  /// Splits a camel-case name into words: `goodWeather` becomes "good weather".
  static func words(_ name: String) -> String {
    name.reduce(into: "") { words, letter in
      words += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
    }
  }
}

/// The style sheet of a page, in light and dark colours, for screens of any width and for print.
package enum PageStyle {
  /// The style of the whole page.
  package static let page =
    PlotStyle.plots + """
      *{box-sizing:border-box}
      body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
      main{max-width:88rem;margin:0 auto;padding:1.5rem 1rem 4rem}
      h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
      h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
      p{margin:.4rem 0}.soft{color:var(--soft)}
      .verdict{display:inline-block;padding:.15rem .7rem;border-radius:999px;font-weight:600;\
      border:2px solid currentColor}
      .ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}
      dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0;padding:1rem;\
      background:var(--card);border:1px solid var(--line);border-radius:.6rem}
      dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
      .scroll{overflow-x:auto}
      table{border-collapse:collapse;width:100%}
      th,td{text-align:left;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
      th{color:var(--soft);font-weight:600}
      td:first-child,.number{white-space:nowrap;font-variant-numeric:tabular-nums}
      .numbers{width:auto}.numbers th,.numbers td{padding:.35rem 0 .35rem 1.5rem;text-align:right;white-space:nowrap}
      .numbers th:first-child,.numbers td:first-child{padding-left:0;text-align:left}
      p,dl,.scroll{max-width:60rem}.scroll:has(.numbers){max-width:none}
      .headline{font-size:1.3rem;font-weight:600}
      .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,36rem),1fr));gap:1.4rem 1.6rem}
      figure{margin:0;min-width:0}figcaption{font-weight:600;margin-bottom:.3rem}
      .notes{list-style:none;margin:.4rem 0 0;padding:0}
      figure .plot{width:100%;height:auto;display:block;border:1px solid var(--line);border-radius:.6rem;padding:.4rem}
      pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem;overflow-x:auto;\
      font:13px/1.45 ui-monospace,monospace}
      footer{margin-top:3rem;color:var(--soft);font-size:.9rem}
      @media(max-width:30rem){h1{font-size:1.5rem}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}\
      .plot text{font-size:21px}td:first-child{white-space:normal}th,td{overflow-wrap:break-word}\
      .numbers thead{display:none}.numbers,.numbers tbody{display:block;width:100%}\
      .numbers tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.1rem 1.2rem;\
      padding:.5rem 0;border-bottom:1px solid var(--line)}\
      .numbers td{display:flex;justify-content:space-between;border:0;padding:0}\
      .numbers td:empty{display:none}.numbers td::before{content:attr(data-label);color:var(--soft);padding-right:.5rem}\
      .numbers td:first-child{grid-column:1/-1;justify-content:start;font-weight:600;padding:0}}
      @media print{main{max-width:none}figure,pre,tr{break-inside:avoid}h2{break-after:avoid}}

      """
}
