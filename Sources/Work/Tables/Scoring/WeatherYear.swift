import Barometry
import Parts
import Quantities
package import Support

/// An hourly table of weather for scoring forecasts.
package struct WeatherYear {
  package struct Hour {
    /// The time in nanoseconds since 1970.
    package let time: Int64
    /// The pressure at sea level in Pa; gaps of up to three hours are interpolated.
    package var pressure: Double?
    /// The direction from which the wind blows, in degrees.
    package let wind: Double?
    /// The precipitation in the table's unit; `nil` if it was not measured.
    package let precipitation: Double?
  }

  /// The longest gap in the pressure that is interpolated linearly.
  package static let longestGap = 3 * TimeSpan.hour

  /// The hours, in order.
  private(set) var hours: [Hour] = []

  /// Reads the columns time_hour, pressure (hPa), wind_dir and precip of a file or a built-in
  /// table.
  ///
  /// - Throws: `Failure` for a missing table or wrong columns.
  package init(_ word: String) throws(Failure) {
    let path = try NamedInput(word, .weather).path
    do {
      let bytes = try TextFile.bytes(NamedInput.open(path))
      try read(CSV(bytes, CSV.Form(hasComments: true)))
    } catch let problem as CSV.FormatError {
      throw problem.failure(in: NamedInput.title(path))
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.inputOutput, "\(NamedInput.title(path)): \(error)")
    }
    bridge()
  }

  private mutating func read(_ table: CSV) throws {
    var table = table
    guard try table.nextRow() else { throw CSV.FormatError(line: 1, message: "the table is empty") }
    let header = try table.texts()
    func column(_ name: String) throws -> Int {
      guard let index = header.firstIndex(of: name) else {
        throw CSV.FormatError(
          line: 1, message: "no column '\(name)'" + NearestWord.hint(name, among: header))
      }
      return index
    }
    let (time, pressure) = (try column("time_hour"), try column("pressure"))
    let (wind, rain) = (try column("wind_dir"), try column("precip"))
    while try table.nextRow() {
      guard table.fields.count == header.count, let moment = UTCTime.parse(try table.text(time))
      else {
        throw CSV.FormatError(
          line: table.line,
          message: "invalid row; expected a time, a pressure, a wind direction and precipitation")
      }
      hours.append(
        Hour(
          time: moment,
          pressure: try Self.number(pressure, in: 1...2000, table).map(
            PressureUnit.hectopascal.unit.kept),
          wind: try Self.number(wind, in: 0...360, table),
          precipitation: try Self.number(rain, in: 0...100_000, table)))
    }
  }

  /// Parses a number in a row; returns `nil` for a missing value, such as an empty field, `NA`,
  /// `nan` or `inf`.
  private static func number(
    _ column: Int, in range: ClosedRange<Double>, _ table: CSV
  ) throws(CSV.FormatError) -> Double? {
    let text = try table.text(column)
    guard let number = Double(text), number.isFinite else { return nil }
    guard range.contains(number) else {
      throw table.problem(
        column,
        "\(text.clipped) is out of range; accepted: \(Decimal.shortest(range.lowerBound)) to "
          + Decimal.shortest(range.upperBound))
    }
    return number
  }

  private mutating func bridge() {
    var last: Int?
    for index in hours.indices where hours[index].pressure != nil {
      defer { last = index }
      guard let before = last, index - before > 1, let start = hours[before].pressure,
        let end = hours[index].pressure, hours[index].time - hours[before].time <= Self.longestGap
      else { continue }
      let span = Double(hours[index].time - hours[before].time)
      for between in (before + 1)..<index {
        let share = Double(hours[between].time - hours[before].time) / span
        hours[between].pressure = start + (end - start) * share
      }
    }
  }

  /// Returns the entry that is `offset` hours after the entry at an index, or before it if `offset`
  /// is negative; `nil` if the table has no such entry.
  package func hour(_ index: Int, plus offset: Int) -> Hour? {
    let time = hours[index].time + Int64(offset) * TimeSpan.hour
    let near = (index - abs(offset))...(index + abs(offset))
    return near.clamped(to: 0...(hours.count - 1)).lazy.map { hours[$0] }.first { $0.time == time }
  }

  /// Returns `true` if precipitation followed within six hours; `nil` if the precipitation of one
  /// of these hours is unknown.
  package func rainFollows(_ index: Int) -> Bool? {
    var falls = false
    for offset in 1...6 {
      guard let amount = hour(index, plus: offset)?.precipitation else { return nil }
      if amount > 0 { falls = true }
    }
    return falls
  }
}
