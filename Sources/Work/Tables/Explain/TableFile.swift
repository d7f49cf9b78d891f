package import Diagnosis
package import Support

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
  static func parsed(_ text: String, within: Double) throws -> ShownTable {
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
