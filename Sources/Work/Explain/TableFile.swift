package import DriverDiagnosis
package import Files
import Text

/// A table of what a program showed next to what was true: CSV with a header.
package enum TableFile {
  /// The columns, for help and messages.
  package static let columns = [
    "t_h", "shown_hpa", "right_hpa", "temperature_c",
  ]

  /// The most rows that are searched.
  static let most = 12

  /// The shortest time between two rows in seconds: five readings ten seconds apart have to fit.
  static let shortest = 60.0

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - within: how far the right pressures may be off beyond their digits, in Pa.
  /// - Returns: the table.
  /// - Throws: `Failure` that names the line.
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

  /// Reads the text of a table.
  ///
  /// - Throws: `CSV.FormatError`.
  static func parsed(_ text: String, within: Double) throws -> ShownTable {
    var table = CSV(Array(text.utf8), CSV.Form(hasComments: true, isPadded: true))
    guard try table.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty; it needs a header")
    }
    let header = try table.texts()
    let places = try columns.map { name in
      guard let place = header.firstIndex(of: name) else {
        let known = header.filter { !columns.contains($0) }
        let near = known.first { NearestWord.hint($0, among: [name]) != "" }
        throw CSV.FormatError(
          line: table.line,
          message: "no column '\(name)'" + (near.map { "; is '\($0.clipped)' meant?" } ?? "")
            + " (needed: \(columns.joined(separator: ", ")))")
      }
      return place
    }
    var rows: [ShownTable.Row] = []
    while try table.nextRow() {
      guard rows.count < most else {
        throw CSV.FormatError(
          line: table.line, message: "more than \(most) rows: the search takes no longer table")
      }
      rows.append(try row(table, places, header.count, after: rows.last, within))
    }
    guard rows.count > 1 else {
      throw CSV.FormatError(
        line: table.line, message: "two rows are needed: of one alone anything can be the cause")
    }
    return ShownTable(rows)
  }

  private static func row(
    _ table: CSV, _ places: [Int], _ count: Int, after last: ShownTable.Row?, _ within: Double
  ) throws -> ShownTable.Row {
    let cells = try table.texts()
    guard cells.count == count else {
      throw CSV.FormatError(
        line: table.line, message: "\(cells.count) cells where the header has \(count)")
    }
    func number(_ column: Int, _ range: ClosedRange<Double>) throws -> (Double, half: Double) {
      let cell = cells[places[column]]
      // The digits behind the point say how exact a number is: those of an exponent would not.
      let isPlain = cell.utf8.allSatisfy { "+-.0123456789".utf8.contains($0) }
      guard isPlain, let value = Double(cell), range.contains(value) else {
        let (low, high) = (Decimal.shortest(range.lowerBound), Decimal.shortest(range.upperBound))
        throw table.problem(
          places[column], "'\(cell.clipped)' is no \(columns[column]) from \(low) to \(high)")
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
      throw table.problem(places[0], "a row comes a minute at least after the one before")
    }
    return ShownTable.Row(
      time: time, shown: shown.0 * hectopascal, shownHalf: shown.half * hectopascal,
      right: right.0 * hectopascal, rightHalf: right.half * hectopascal + within,
      celsius: celsius)
  }

  private static let hectopascal = 100.0
}
