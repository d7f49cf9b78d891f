package import Diagnosis
import Quantities
package import Support

extension TableStudy {
  /// The text report.
  package var text: String {
    var lines = [
      "\(table.rows.count) rows contain about \(Decimal.fixed(table.bits, 0)) bits; seed \(seed); "
        + "\(outcome.programs) programs, \(outcome.parts) parts, "
        + "\(outcome.controls.count) random tables"
    ]
    lines.append("")
    lines += verdict
    for (index, answer) in answers.enumerated() {
      lines += ["", "\(index + 1). " + Self.head(answer.explanation)]
      lines += rows(of: answer.explanation)
    }
    if unconfirmed > 0 {
      lines += ["", "\(unconfirmed) more were found but not confirmed by a run"]
    }
    if let nearest {
      lines += [
        "", "nearest without changes between rows: " + Self.head(nearest.explanation),
      ]
      lines += rows(of: nearest.explanation)
    }
    if let near = nearestWithLosses {
      lines += ["", "nearest with lost readings: " + Self.head(near.explanation)]
      lines += rows(of: near.explanation)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The conclusion in a few sentences.
  private var verdict: [String] {
    guard let best = answers.first?.explanation else {
      return ["No explanation was found for this table."]
    }
    let cheap = outcome.controls.count { $0 <= best.bits }
    let others =
      "\(cheap) of \(outcome.controls.count) random tables have an equally short explanation"
    guard isExplained else {
      return [
        "No significant explanation: the shortest sequence takes \(Decimal.fixed(best.bits, 1)) bits,",
        "and \(others).",
      ]
    }
    return [
      "Explained with \(Decimal.fixed(best.bits, 1)) bits; \(others).",
      best.bits > table.bits
        ? "That is more than the table contains: plausible, but not proven."
        : "That is less than the table contains.",
    ]
  }

  private static func head(_ explanation: TableExplanation) -> String {
    let part = explanation.part ?? "a fitted part"
    let changes = explanation.changes
    return "\(Decimal.fixed(explanation.bits, 1)) bits: \(part), \(explanation.formula), "
      + (changes == 0 ? "no changes" : changes == 1 ? "1 change" : "\(changes) changes")
  }

  /// The lines of an explanation, one per row.
  private func rows(of explanation: TableExplanation) -> [String] {
    table.rows.indices.map { index in
      let row = table.rows[index]
      func hectopascals(_ value: Double) -> String {
        Decimal.fixed(Quantity.pressure.shown(value), 1).right(8)
      }
      var text =
        "   +\(Decimal.duration(UInt64(row.time * 1e9)))".right(10)
        + hectopascals(explanation.values[index]) + " hPa, displayed" + hectopascals(row.shown)
      if let step = explanation.steps.first(where: { $0.row == index }) {
        let names = step.defects.map(\.title).joined(separator: ", ")
        let isNew = index == 0 || step.isRestart || step.defects != before(index, explanation)
        if isNew { text += "  \(names.isEmpty ? "no defect" : names)" }
        if step.isRestart { text += ", restarted" }
        if step.lost > 0 { text += "  \(step.lost) of 5 pressures missing from the sum" }
      }
      return text
    }
  }

  /// Returns the defects of the program in the row before a row; `nil` if there is no earlier row.
  private func before(_ row: Int, _ explanation: TableExplanation) -> [Defect]? {
    explanation.steps.last { $0.row < row }?.defects
  }
}

extension TableStudy {
  /// The result as one JSON object.
  package var json: JSONValue {
    .object([
      ("explained", .bool(isExplained)), ("bits_of_table", .decimal(table.bits)),
      ("seed", .integer(Int(clamping: seed))), ("programs", .integer(outcome.programs)),
      ("parts", .integer(outcome.parts)),
      (
        "bits_of_random_tables",
        .array(outcome.controls.map { $0.isFinite ? .decimal($0) : .null })
      ),
      ("explanations", .array(answers.map(object))),
      ("nearest", nearest.map(object) ?? .null),
      ("nearest_with_losses", nearestWithLosses.map(object) ?? .null),
    ])
  }

  private func object(_ answer: Answer) -> JSONValue {
    let found = answer.explanation
    return .object([
      ("file", .string(answer.file)), ("bits", .decimal(found.bits)),
      ("part", found.part.map { .string($0) } ?? .null), ("formula", .string(found.formula)),
      ("pressures_pa", .array(found.values.map { .decimal($0) })),
      ("distance", .decimal(found.distance)),
      (
        "steps",
        .array(
          found.steps.map { step in
            .object([
              ("row", .integer(step.row)),
              ("defects", .array(step.defects.map { .string($0.name) })),
              ("begun_anew", .bool(step.isRestart)), ("lost", .integer(step.lost)),
            ])
          })
      ),
    ])
  }
}

/// Reads a table of displayed and reference values: CSV with a header.
package enum TableFile {
  /// The columns, for help and messages.
  package static let columns = [
    "t_h", "shown_hpa", "right_hpa", "temperature_c",
  ]

  /// The maximum number of rows.
  static let most = 12

  /// The minimum time between two rows in seconds: five readings ten seconds apart must fit.
  static let shortest = 60.0

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - path: the file; `-` for standard input.
  ///   - within: the uncertainty of the reference pressures beyond their digits, in Pa.
  /// - Returns: the table.
  /// - Throws: `Failure` with the line number.
  package static func read(_ path: String, within: Double = 0) throws(Failure) -> ShownTable {
    let text = try InputFile(path).text()
    do {
      return try parsed(text, within: within)
    } catch let problem as CSV.FormatError {
      throw problem.failure(in: path)
    } catch {
      throw Failure(.badContent, "\(path): \(error)")
    }
  }

  /// Parses a table.
  ///
  /// - Throws: `CSV.FormatError`.
  package static func parsed(_ text: String, within: Double) throws -> ShownTable {
    var table = CSV(Array(text.utf8), CSV.Form(hasComments: true, isPadded: true))
    guard try table.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty; a header is required")
    }
    let header = try table.texts()
    let places = try columns.map { name in
      guard let place = header.firstIndex(of: name) else {
        let known = header.filter { !columns.contains($0) }
        let near = known.first { NearestWord.hint($0, among: [name]) != "" }
        throw CSV.FormatError(
          line: table.line,
          message: "no column '\(name)'" + (near.map { "; did you mean '\($0.clipped)'?" } ?? "")
            + " (required: \(columns.joined(separator: ", ")))")
      }
      return place
    }
    var rows: [ShownTable.Row] = []
    while try table.nextRow() {
      guard rows.count < most else {
        throw CSV.FormatError(
          line: table.line, message: "more than \(most) rows; the maximum is \(most)")
      }
      rows.append(try row(table, places, header.count, after: rows.last, within))
    }
    guard rows.count > 1 else {
      throw CSV.FormatError(
        line: table.line, message: "at least two rows are required to identify a cause")
    }
    return ShownTable(rows)
  }

  private static func row(
    _ table: CSV, _ places: [Int], _ count: Int, after last: ShownTable.Row?, _ within: Double
  ) throws -> ShownTable.Row {
    let cells = try table.texts()
    guard cells.count == count else {
      throw CSV.FormatError(
        line: table.line, message: "\(cells.count) cells, but the header has \(count)")
    }
    func number(_ column: Int, _ range: ClosedRange<Double>) throws -> (Double, half: Double) {
      let cell = cells[places[column]]
      // The digits after the decimal point determine the precision, so exponents are not accepted.
      let isPlain = cell.utf8.allSatisfy { "+-.0123456789".utf8.contains($0) }
      guard isPlain, let value = Double(cell), range.contains(value) else {
        let (low, high) = (Decimal.shortest(range.lowerBound), Decimal.shortest(range.upperBound))
        throw table.problem(
          places[column],
          "'\(cell.clipped)' is not a valid \(columns[column]); accepted: \(low) to \(high)")
      }
      let decimals = cell.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first
      var half = 0.5
      for _ in 0..<min(decimals?.count ?? 0, 9) { half *= 0.1 }
      return (value, half)
    }
    let hours = try number(0, 0...1000).0
    let shown = try number(1, 1...10_000)
    let right = try number(2, 300...1100)
    let celsius = try number(3, -40...85).0
    let time = hours * 3600
    if let last, time < last.time + shortest {
      throw table.problem(places[0], "rows must be at least one minute apart")
    }
    return ShownTable.Row(
      time: time, shown: shown.0 * hectopascal, shownHalf: shown.half * hectopascal,
      right: right.0 * hectopascal, rightHalf: right.half * hectopascal + within,
      celsius: celsius)
  }

  private static let hectopascal = 100.0
}
