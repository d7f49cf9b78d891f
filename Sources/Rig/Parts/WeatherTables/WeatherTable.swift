package import Environment
import Glibc
package import Quantities
package import Schema
package import Support
import Synchronization

/// A weather table: the path of a CSV file, and the columns and the time span to read from it.
package struct WeatherTable: Equatable, Sendable {
  /// A column: its name in the header and the unit of its numbers.
  package struct Column: Equatable, Sendable {
    package let name: String
    package let quantity: QuantityKind
    package let unit: QuantityUnit

    package init(name: String, quantity: QuantityKind, unit: QuantityUnit) {
      (self.name, self.quantity, self.unit) = (name, quantity, unit)
    }

    package static func == (one: Column, other: Column) -> Bool {
      one.name == other.name && one.quantity == other.quantity
        && (one.unit.zero, one.unit.factor, one.unit.divisor)
          == (other.unit.zero, other.unit.factor, other.unit.divisor)
    }
  }

  /// The path of the file.
  package let path: String
  /// The name of the column with the times.
  package let time: String
  /// The date at the start of the run, in nanoseconds since 1970; `nil` for the date of the first
  /// row.
  package let start: Int64?
  /// The length of the run in nanoseconds; `nil` for the end of the table.
  package let duration: Int64?
  /// The columns of the quantities; a quantity without a column has the value of standard air.
  package let columns: [Column]
  /// The text that marks a missing value; `nil` if no value is missing.
  package let missing: String?
  /// The longest gap to interpolate, in nanoseconds; `nil` for none.
  package let longestGap: Int64?

  package init(
    path: String, time: String, start: Int64?, duration: Int64?, columns: [Column],
    missing: String?,
    longestGap: Int64?
  ) {
    (self.path, self.time) = (path, time)
    (self.start, self.duration) = (start, duration)
    (self.columns, self.missing, self.longestGap) = (columns, missing, longestGap)
  }
}

/// The air of a time span, from a weather table.
package struct WeatherSeries: Sendable {
  /// The date at the start of the run, in nanoseconds since 1970.
  package let start: Int64
  /// The date of the last row, in nanoseconds since 1970.
  package let end: Int64
  /// The pressure in Pa over the time since the start.
  package let pressure: Profile
  /// The temperature in °C over the time since the start.
  package let temperature: Profile
  /// The relative humidity in % over the time since the start.
  package let humidity: Profile
}

extension WeatherTable {
  /// A value of a column with its line and its time (ns since 1970).
  private struct Sample {
    let line: Int
    let time: Int64
    let value: Double
  }

  /// The last series that was read, because a campaign reads the same one for each run.
  private static let last = Mutex<(table: WeatherTable, file: [Int], series: WeatherSeries)?>(nil)

  /// Reads the part of the table that the run needs.
  ///
  /// - Throws: `Failure` of kind missing input, or of kind bad content with the line of a missing column, a
  ///   value out of range, a row out of order, or a gap that is too long.
  package func read() throws(Failure) -> WeatherSeries {
    let file = TextFile.stamp(path)
    // A pipe can be read once, so its series is not kept.
    let isKept = !file.isEmpty || NamedInput.isBuiltIn(path: path)
    if isKept,
      let series = Self.last.withLock({ $0.flatMap { $0 == self && $1 == file ? $2 : nil } })
    {
      return series
    }
    let series = try readFile()
    if isKept { Self.last.withLock { $0 = (self, file, series) } }
    return series
  }

  private func readFile() throws(Failure) -> WeatherSeries {
    let bytes = try TextFile.bytes(NamedInput.open(path))
    var samples: [[Sample]] = columns.map { _ in [] }
    var times = TableTimes()
    var lastLine = 1
    do {
      lastLine = try collect(
        CSV(
          bytes,
          CSV.Form(separators: ",;", isSeparatorRecognized: true, hasComments: true)),
        into: &samples, times: &times)
    } catch let problem as CSV.FormatError {
      throw problem.failure(in: NamedInput.title(path))
    } catch {
      throw Failure(.inputOutput, "\(NamedInput.title(path)): \(error)")
    }
    guard let first = times.all.first, let last = times.all.last else {
      throw failure(1, "the table has no rows")
    }
    guard start == nil || !times.areElapsed else {
      throw failure(
        2, "the times of the table are seconds from its start: remove 'start', which is a date")
    }
    let start = start ?? first
    let end = duration.map { start + $0 } ?? last
    guard start >= first else {
      throw failure(2, "the table starts at \(UTCTime.text(first)), after the start of the run")
    }
    guard start <= last, duration == nil || end <= last else {
      throw failure(
        lastLine,
        "the table ends at \(UTCTime.text(last)), before the end of the run at "
          + UTCTime.text(max(start, end)))
    }
    let step = Self.usualStep(times.all)
    var tracks: [QuantityKind: Profile] = [:]
    for (column, samples) in zip(columns, samples) {
      tracks[column.quantity] = try track(column, samples, from: start, to: end, step: step)
    }
    func profile(_ quantity: QuantityKind, _ otherwise: Double) -> Profile {
      tracks[quantity] ?? Profile([Profile.Point(time: 0, value: otherwise)])
    }
    // Seconds from the start of the table are not a date.
    let origin = times.areElapsed ? start : 0
    return WeatherSeries(
      start: start - origin, end: last - origin,
      pressure: profile(.pressure, Air.standard.pressure),
      temperature: profile(.temperature, Air.standard.temperature),
      humidity: profile(.humidity, Air.standard.humidity))
  }

  private func failure(_ line: Int, _ message: String) -> Failure {
    CSV.FormatError(line: line, message: message).failure(in: NamedInput.title(path))
  }

  /// Reads the rows of a table.
  ///
  /// - Returns: the line of the last row.
  private func collect(
    _ csv: CSV, into samples: inout [[Sample]], times: inout TableTimes
  ) throws -> Int {
    var csv = csv
    var lastLine = 1
    guard try csv.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty")
    }
    let header = try csv.texts()
    let timeIndex = try index(of: time, in: header)
    var indices: [Int] = []
    for column in columns { indices.append(try index(of: column.name, in: header)) }
    while try csv.nextRow() {
      guard csv.fields.count == header.count else {
        throw CSV.FormatError(
          line: csv.line,
          message: "\(csv.fields.count) fields, but the header has \(header.count)")
      }
      let time = try times.take(try csv.text(timeIndex)) { csv.problem(timeIndex, $0) }
      lastLine = csv.line
      for (position, column) in columns.enumerated() {
        let text = try csv.text(indices[position])
        guard text != missing else { continue }
        // If columns are separated by semicolons, a comma may be the decimal separator.
        let number =
          csv.separator == UInt8(ascii: ";") ? text.replacing(",", with: ".") : text
        let value = try column.parse(number, missing) { csv.problem(indices[position], $0) }
        samples[position].append(Sample(line: csv.line, time: time, value: value))
      }
    }
    return lastLine
  }

  private func index(of name: String, in header: [String]) throws(CSV.FormatError) -> Int {
    if let index = header.firstIndex(of: name) { return index }
    throw CSV.FormatError(
      line: 1,
      message: "no column '\(name)'"
        + NearestWord.hint(name, of: [time] + columns.map(\.name), inHeader: header))
  }

  /// Returns the median interval between consecutive rows.
  private static func usualStep(_ times: [Int64]) -> Int64 {
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }.inOrder()
    return steps.isEmpty ? 0 : steps[steps.count / 2]
  }

  /// Creates the profile of a column over the run; gaps are interpolated or rejected.
  private func track(
    _ column: Column, _ samples: [Sample], from start: Int64, to end: Int64, step: Int64
  ) throws(Failure) -> Profile {
    let before = samples.lastIndex { $0.time <= start }
    let after = samples.firstIndex { $0.time >= end }
    guard let before, let after else {
      let line = (before == nil ? samples.first : samples.last)?.line ?? 2
      throw failure(
        line,
        "the column '\(column.name)' has no value "
          + (before == nil ? "before the start of the run" : "after the end of the run"))
    }
    let longest = max(step, longestGap ?? 0)
    for (sample, next) in zip(samples[before...after], samples[before...after].dropFirst())
    where next.time - sample.time > longest {
      let gap = Decimal.shortest(Double(next.time - sample.time) / 3.6e12)
      let allowed =
        longestGap.map {
          "only gaps of up to \(Decimal.shortest(Double($0) / 3.6e12)) h are bridged"
        }
        ?? "gaps are not allowed; 'gaps: {interpolate: 3h}' bridges those of up to 3 h"
      throw failure(
        next.line,
        "the column '\(column.name)' has a gap of \(gap) h after line \(sample.line); \(allowed)")
    }
    return Profile(
      samples[before...after].map { Profile.Point(time: $0.time - start, value: $0.value) })
  }
}

extension WeatherTable.Column {
  /// Parses a number in the column and converts it to the stored unit.
  fileprivate func parse(
    _ text: String, _ missing: String?, _ problem: (String) -> CSV.FormatError
  ) throws(CSV.FormatError) -> Double {
    guard let number = Double(text), number.isFinite else {
      let what =
        text.isEmpty
        ? "a cell in the column '\(name)' is empty"
        : "'\(text.clipped)' in the column '\(name)' is not a number"
      let mark = text.isEmpty ? "\"\"" : text.clipped
      let isValue = text.first.map { $0.isNumber || "+-.".contains($0) } ?? false
      throw problem(
        what
          + (missing == nil && !isValue
            ? "; if it marks a missing value, set 'missing: \(mark)' in the rig" : ""))
    }
    let value = unit.kept(number)
    guard quantity.range.contains(value) else {
      throw problem(
        "\(text) \(unit.symbol) in the column '\(name)' is out of range for a "
          + quantity.rawValue)
    }
    return value
  }
}

/// The times of the rows of a table: dates, Unix seconds, or seconds from the start of the table.
struct TableTimes {
  /// The format of the times, set by the first row.
  private enum Kind {
    case date, unix, elapsed
  }

  /// The smallest number of Unix seconds (3 March 1973); smaller numbers are seconds from the start of the table.
  private static let firstUnix = 1e8
  /// The largest number of Unix seconds: the year 2199.
  private static let lastUnix = 7.258e9

  /// The times in nanoseconds: since 1970, or since the start of the table.
  private(set) var all: [Int64] = []
  private var kind = Kind.date

  /// `true` if the times are seconds from the start of the table.
  var areElapsed: Bool { kind == .elapsed }

  /// Adds the time of the next row.
  ///
  /// - Throws: `CSV.FormatError` if the text is not a valid time, or the time is not after that of
  ///   the previous row.
  mutating func take(
    _ text: String, _ problem: (String) -> CSV.FormatError
  ) throws(CSV.FormatError) -> Int64 {
    guard let (time, kind) = Self.parsed(text) else {
      throw problem(
        "'\(text.clipped)' is not a valid time (accepted: 2013-01-01T06:00:00Z, 2013-01-01 07:00+01:00, "
          + "1357020000 as Unix seconds, or 60 as seconds from the start)")
    }
    if all.isEmpty { self.kind = kind }
    guard kind == self.kind else {
      throw problem("'\(text.clipped)' has a different format from the times in previous rows")
    }
    if let last = all.last, time <= last {
      throw problem("\(text) is not after the previous row")
    }
    all.append(time)
    return time
  }

  private static func parsed(_ text: String) -> (time: Int64, kind: Kind)? {
    if let date = UTCTime.parse(text) ?? UTCTime.parseLoosely(text) { return (date, .date) }
    guard let seconds = Double(text), seconds >= 0, seconds <= lastUnix else { return nil }
    return (Int64((seconds * 1e9).rounded()), seconds < firstUnix ? .elapsed : .unix)
  }
}
