import BuiltIn
import Environment
package import Files
import Quantities
import Schema
import Text

extension WeatherTable {
  /// A value of one column, the line on which it stands and its time (ns since 1970).
  private struct Sample {
    let line: Int
    let time: Int64
    let value: Double
  }

  /// Reads the part of the table that the run needs.
  ///
  /// - Throws: `Failure`: missing input; bad content with the line of a missing column, a
  ///   value out of range, a row out of order, or a gap that is not allowed.
  package func read() throws(Failure) -> WeatherSeries {
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
        2, "the table counts seconds from its own start: leave out 'start', which is a date")
    }
    let start = start ?? first
    let end = duration.map { start + $0 } ?? last
    guard start >= first else {
      throw failure(2, "the table begins at \(UTCTime.text(first)), after the start of the run")
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
    // Seconds from the start of the table are no date.
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

  /// Takes the rows of a table.
  ///
  /// - Returns: the line of the last of them.
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
          message: "\(csv.fields.count) fields where the header has \(header.count)")
      }
      let time = try times.take(try csv.text(timeIndex)) { csv.problem(timeIndex, $0) }
      lastLine = csv.line
      for (position, column) in columns.enumerated() {
        let text = try csv.text(indices[position])
        guard text != missing else { continue }
        // Where semicolons part the columns, a comma may be the decimal point.
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

  /// The usual distance between two rows: the median.
  private static func usualStep(_ times: [Int64]) -> Int64 {
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }.inOrder()
    return steps.isEmpty ? 0 : steps[steps.count / 2]
  }

  /// The course of one column over the run, its gaps bridged or refused.
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
        longestGap.map { "gaps of up to \(Decimal.shortest(Double($0) / 3.6e12)) h are bridged" }
        ?? "no gaps are allowed; 'gaps: {interpolate: 3h}' would bridge some"
      throw failure(
        next.line,
        "the column '\(column.name)' has a gap of \(gap) h after line \(sample.line); \(allowed)")
    }
    return Profile(
      samples[before...after].map { Profile.Point(time: $0.time - start, value: $0.value) })
  }
}

extension WeatherTable.Column {
  /// A number of the column, in the kept unit.
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
            ? "; if it marks a missing value, say 'missing: \(mark)' in the rig" : ""))
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
