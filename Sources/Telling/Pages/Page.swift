import Barometry
package import Files
import I2CTrace
import Parts
package import Plots
import Reports
package import Rigs
package import Runs
import Text
import TraceTools
import VirtualI2C

/// A run as one page of HTML that needs nothing else: no network, no script.
package struct Page {
  package let record: PageRecorder
  package let rig: Rig
  package let verdict: Verdict
  /// The transfers around each failed expectation, as lines.
  package let evidence: [(title: String, lines: [String])]
  package let plots: [Plot]
  /// The plots of every sensor by itself, for files.
  private let files: [Plot]

  /// Creates the page of a run that is over.
  ///
  /// - Parameters:
  ///   - record: what was gathered of it.
  ///   - trace: the trace of the run, for the transfers around what failed.
  /// - Throws: `Failure` when the trace cannot be read.
  package init?(_ record: PageRecorder, trace: String?) throws(Failure) {
    guard let rig = record.rig, let verdict = record.verdict else { return nil }
    self.record = record
    self.rig = rig
    self.verdict = verdict
    let pictures = PagePlots(record, rig)
    (plots, files) = (pictures.shown, pictures.all)
    evidence = try trace.map { path throws(Failure) in try Self.evidence(verdict, path) } ?? []
  }

  /// The five transfers before and after each moment at which an expectation failed.
  private static func evidence(
    _ verdict: Verdict, _ path: String
  ) throws(Failure) -> [(title: String, lines: [String])] {
    let failed = verdict.findings.filter { !$0.passed }
    var around = failed.map { (finding: $0, before: [String](), after: [String]()) }
    guard around.contains(where: { $0.finding.time != nil }) else { return [] }
    var input = try TraceInput(path)
    var registers = RegisterText()
    while let transfer = try input.nextWhole() {
      // Also where no line is wanted, as the next one may read from here.
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

  /// The page.
  package var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <title>\(escaped(rig.name)): \(verdict.passed ? "passed" : "failed")</title>
    <style>\(PageStyle.page)</style></head>
    <body><main>
    \(head)\(findings)\(defects)\(comparison)\(boards)\(faults)\(pictures)\(reserveChart)\(forecasters)\(story)\(transfers)
    <footer>aneroid \(Version.text), rig SHA-256 \(rig.digest.prefix(16))…</footer>
    </main></body></html>

    """
  }

  /// The plots as pictures of their own: names for files, and SVG.
  package var pictureFiles: [(name: String, svg: String)] {
    files.map { ($0.name, $0.svg(isAlone: true, of: rig.name)) }
  }

  private func escaped(_ text: String) -> String { XML.escaped(text) }

  /// A sentence of a report, with the signs of print.
  private func sentence(_ text: String) -> String { escaped(PageText.typeset(text)) }

  private var head: String {
    let met = verdict.findings.count(where: \.passed)
    let word = verdict.passed ? "passed" : "failed"
    let count = verdict.findings.isEmpty ? "" : ", \(met) of \(verdict.findings.count)"
    let look = verdict.passed ? "ok" : "bad"
    let summary = "<p>\(sentence(rig.summary))</p>"
    var devices = rig.describedBuses.flatMap { bus in
      bus.devices.map {
        "\($0.part.model.name) at \($0.address) on bus \(bus.number)"
          + ($0.part.calibration.map { ", calibration \($0)" } ?? "")
          + ($0.module.map { ", in \($0)" } ?? "")
      }
    }
    if let fleet = rig.fleet {
      devices.append(
        "\(fleet.count) times \(fleet.part.model.name) at \(fleet.addressText) on bus \(fleet.busText)"
          + (fleet.part.calibration.map { ", calibration \($0)" } ?? "")
          + (fleet.module.map { ", in \($0)" } ?? ""))
    }
    var facts = [
      ("time", "\(Decimal.duration(rig.duration ?? 0)), \(rig.clock.rawValue)"),
      ("seed", "\(rig.seed)"),
      ("sensors", devices.isEmpty ? "those of the trace" : devices.joined(separator: "; ")),
      (
        "readings",
        "\(record.readings)" + (record.errors == 0 ? "" : ", \(record.errors) errors")
      ),
    ]
    if record.startMoment != 0 {
      facts.insert(("begins", UTCTime.text(record.startMoment) + " UTC"), at: 0)
    }
    let list = facts.map { "<dt>\($0.0)</dt><dd>\(escaped($0.1))</dd>" }.joined()
    return """
      <p><span class="verdict \(look)">\(word)\(count)</span></p><h1>\(escaped(rig.name))</h1>
      \(headline)\(summary)<dl>\(list)</dl>

      """
  }

  private var findings: String {
    guard !verdict.findings.isEmpty else { return "" }
    // What is not met is what somebody looks for.
    let sorted = verdict.findings.filter { !$0.passed } + verdict.findings.filter(\.passed)
    let rows = sorted.map { finding in
      let (look, word) = finding.passed ? ("ok", "met") : ("bad", "not met")
      return "<tr><td class=\"\(look)\">\(word)</td><td>\(sentence(finding.expectation.title))</td>"
        + "<td class=\"soft\">\(sentence(finding.detail))</td></tr>"
    }
    return section(
      "Expectations",
      table(["", "what was expected", "what was seen"], rows.joined(separator: "\n")))
  }

  /// What the boards between adapter and program did.
  private var boards: String {
    guard !record.boards.isEmpty else { return "" }
    let lines = record.boards.flatMap(\.sentences).map { "<p>\(sentence($0))</p>" }
    return section(record.boards.count == 1 ? "The board" : "The boards", lines.joined())
  }

  private var faults: String {
    guard !record.faults.isEmpty else { return "" }
    let rows = record.faults.map { report in
      let look = report.fault.hasFired(report.count) ? "ok" : "bad"
      let place =
        "bus \(report.fault.bus)" + (report.fault.plan.address.map { ", \($0)" } ?? "")
      let times = [report.span?.first, report.span?.last].map { time in
        time.map { clock(Double($0) / 1e9) } ?? "-"
      }
      return "<tr><td>\(times[0])</td><td>\(times[1])</td><td>\(place)</td><td class=\"\(look)\">"
        + "\(escaped(report.fault.firings(report.count)))</td></tr>"
    }
    return section(
      "Planned faults", table(["first", "last", "where", "fault"], rows.joined(separator: "\n")))
  }

  /// What the forecasters say, side by side: a row whenever one of them changes its mind.
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
    let told = record.story.prefix(60)
    guard !told.isEmpty else { return "" }
    let rows = told.map { entry in
      "<tr><td>\(escaped(clock(Double(entry.time) / 1e9)))</td>"
        + "<td\(entry.isAlarm ? " class=\"bad\"" : "")>\(sentence(entry.text))</td></tr>"
    }
    let more = record.story.count - told.count
    let rest = more > 0 ? "<p class=\"soft\">and \(more) more</p>" : ""
    return section("What happened", table(["time", ""], rows.joined(separator: "\n")) + rest)
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

  /// Rows whose cells name their columns: a narrow screen shows the cells of a row below each other.
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
