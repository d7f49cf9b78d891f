import DriverDefects
package import Files
import Text

/// A table of what a program showed: CSV with a header.
package enum ObservationTable {
  private enum Column {
    case time
    case temperature(unit: String)
    case pressure(unit: String)
    case humidity
    case other
  }

  /// Reads a table.
  ///
  /// Columns: `t` in seconds, `temperature` (`_c`, `_f`), `pressure` (`_pa`, `_hpa`) and `humidity` (`_rh`), as
  /// `aneroid read --format csv` names them; others are passed over. An empty cell, `nan` or `-` means that the
  /// program showed nothing.
  ///
  /// - Throws: `CSV.FormatError` that names the line and the column.
  package static func read(_ text: String) throws(CSV.FormatError) -> [Observation] {
    do {
      return try read(CSV(Array(text.utf8), CSV.Form(hasComments: true, isPadded: true)))
    } catch let problem as CSV.FormatError {
      throw problem
    } catch {
      throw CSV.FormatError(line: 1, message: "\(error)")
    }
  }

  private static func read(_ table: CSV) throws -> [Observation] {
    var table = table
    guard try table.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty; it needs a header")
    }
    let columns = try table.texts().map(column)
    guard columns.contains(where: { if case .other = $0 { false } else { true } }) else {
      throw CSV.FormatError(
        line: table.line,
        message: "no column is one of t, temperature_c, pressure_hpa, pressure_pa, humidity_rh")
    }
    var observations: [Observation] = []
    while try table.nextRow() {
      let cells = try table.texts()
      guard cells.count == columns.count else {
        throw CSV.FormatError(
          line: table.line, message: "\(cells.count) cells where the header has \(columns.count)")
      }
      var observation = Observation()
      for (index, cell) in cells.enumerated() {
        try take(cell, columns[index], &observation) { table.problem(index, $0) }
      }
      observations.append(observation)
    }
    guard !observations.isEmpty else {
      throw CSV.FormatError(line: 2, message: "the table has no rows")
    }
    return observations
  }

  private static func column(_ name: String) -> Column {
    let parts = name.lowercased().split(separator: "_", maxSplits: 1).map(String.init)
    let unit = parts.count > 1 ? parts[1] : nil
    switch parts.first {
    case "t", "time": return .time
    case "temperature": return .temperature(unit: unit == "f" ? "F" : unit == "k" ? "K" : "C")
    case "pressure":
      return .pressure(unit: unit == "pa" ? "Pa" : unit == "kpa" ? "kPa" : "hPa")
    case "humidity": return .humidity
    default: return .other
    }
  }

  private static func take(
    _ cell: String, _ column: Column, _ observation: inout Observation,
    _ problem: (String) -> CSV.FormatError
  ) throws(CSV.FormatError) {
    let isNothing = ["", "nan", "-", "null", "none"].contains(cell.lowercased())
    func wrong(_ what: String) -> CSV.FormatError {
      problem("'\(cell.clipped)' is no \(what)")
    }
    switch column {
    case .other: break
    case .time:
      guard let time = Double(cell), time >= 0, time.isFinite else {
        throw wrong("time in seconds")
      }
      observation.time = time
    case .temperature(let unit):
      observation.temperature = .temperature("\(cell)\(unit)")
      if isNothing { observation.absent.insert(.temperature) }
      guard isNothing || observation.temperature != nil else { throw wrong("temperature") }
    case .pressure(let unit):
      observation.pressure = .pressure("\(cell)\(unit)")
      if isNothing { observation.absent.insert(.pressure) }
      guard isNothing || observation.pressure != nil else { throw wrong("pressure") }
    case .humidity:
      observation.humidity = .humidity("\(cell)%")
      if isNothing { observation.absent.insert(.humidity) }
      guard isNothing || observation.humidity != nil else { throw wrong("humidity") }
    }
  }
}
