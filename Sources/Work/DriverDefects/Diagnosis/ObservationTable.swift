/// A table of what a program showed: CSV with a header.
public enum ObservationTable {
  /// A table that cannot be read.
  public struct Mistake: Error, Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// What is wrong.
    public let message: String
  }

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
  /// - Throws: ``Mistake`` that names the line.
  public static func read(_ text: String) throws(Mistake) -> [Observation] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let header = lines.first, !header.isEmpty else {
      throw Mistake(line: 1, message: "the table is empty; it needs a header")
    }
    let columns = header.split(separator: ",", omittingEmptySubsequences: false).map(column)
    guard columns.contains(where: { if case .other = $0 { false } else { true } }) else {
      throw Mistake(
        line: 1,
        message: "no column is one of t, temperature_c, pressure_hpa, pressure_pa, humidity_rh")
    }
    var observations: [Observation] = []
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      guard cells.count == columns.count else {
        throw Mistake(
          line: index + 1, message: "\(cells.count) cells where the header has \(columns.count)")
      }
      var observation = Observation()
      for (column, cell) in zip(columns, cells) {
        try take(cell, column, &observation, index + 1)
      }
      observations.append(observation)
    }
    guard !observations.isEmpty else { throw Mistake(line: 2, message: "the table has no rows") }
    return observations
  }

  private static func column(_ name: Substring) -> Column {
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
    _ cell: Substring, _ column: Column, _ observation: inout Observation, _ line: Int
  ) throws(Mistake) {
    let isNothing = ["", "nan", "-", "null", "none"].contains(cell.lowercased())
    func wrong(_ what: String) -> Mistake {
      Mistake(line: line, message: "'\(cell)' is no \(what)")
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
