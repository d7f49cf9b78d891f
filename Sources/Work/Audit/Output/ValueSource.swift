import Glibc
import Support

/// Extracts values from the output of a program.
package protocol ValueSource: AnyObject {
  /// Returns the values in a line, in order; empty for other lines.
  func values(in line: String) -> [ShownValue]
  /// The quantities that the source extracts.
  var quantities: Set<Measurand> { get }
  /// The error that stopped the extraction, if any.
  var error: OutputError? { get }
}

extension ValueSource {
  package var error: OutputError? { nil }
}

/// An error in the interpretation of a program's output.
package struct OutputError: Error, Hashable, Sendable {
  /// The message, which also names the options to use.
  package let message: String
}

/// The format of a program's values, as given by the user.
package enum OutputForm: Hashable, Sendable {
  /// Regular expressions with the named groups temperature, pressure and humidity.
  case patterns([String])
  /// The output is JSON, on one or several lines. The string assigns a path to each quantity name.
  case json(String)
  /// Columns, with assignments of quantity names to column headers or numbers.
  case csv(String)

  /// Creates the value source.
  ///
  /// - Parameter known: what the values can be. Default: the quantities of the air.
  /// - Throws: `OutputError` if the format is invalid.
  /// - Returns: the source.
  package func source(of known: [Measurand] = Measurand.air) throws(OutputError) -> any ValueSource
  {
    switch self {
    case .patterns(let patterns): try PatternSource(patterns, of: known)
    case .json(let names): JSONSource(try Assignment.list(names, of: known, option: "--json"))
    case .csv(let names): CSVSource(try Assignment.list(names, of: known, option: "--csv"))
    }
  }

  /// Creates the value source with a time limit per line, because a regular expression may not
  /// terminate.
  ///
  /// - Throws: `OutputError` if the format is invalid.
  package func source(
    of known: [Measurand], secondsPerLine: Double
  ) throws(OutputError) -> any ValueSource {
    let source = try source(of: known)
    guard case .patterns(let patterns) = self else { return source }
    return BoundedSource(source, seconds: secondsPerLine, name: patterns.joined(separator: "', '"))
  }

  /// Returns the quantities of the format.
  func quantities(among known: [Measurand]) -> Set<Measurand> {
    (try? source(of: known))?.quantities ?? []
  }

  /// Checks the format before the audit starts.
  ///
  /// - Parameter known: what the values can be. Default: the quantities of the air.
  /// - Throws: `OutputError` if the format is invalid.
  package func check(among known: [Measurand] = Measurand.air) throws(OutputError) {
    _ = try source(of: known)
  }
}

/// A quantity name with its unit, and the value's position in the output, such as
/// `pressure_hpa=main.pressure`.
struct Assignment {
  let unit: SpelledUnit
  let place: String

  static func list(
    _ text: String, of known: [Measurand], option: String
  ) throws(OutputError) -> [Assignment] {
    var list: [Assignment] = []
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
      guard sides.count == 2, let unit = known.unit(named: sides[0]) else {
        throw OutputError(
          message:
            "\(option): invalid assignment '\(part)'; expected NAME=VALUE with NAME one of \(known.fieldNames)"
        )
      }
      list.append(Assignment(unit: unit, place: sides[1]))
    }
    guard !list.isEmpty else {
      throw OutputError(message: "\(option) requires at least one assignment")
    }
    return list
  }
}

/// Extracts values from columns separated by commas, semicolons or tabs.
final class CSVSource: ValueSource {
  private static let form = CSV.Form(separators: ",;\t", isPadded: true)
  private let assignments: [Assignment]
  /// The column index of each assignment; `nil` until the header has been read.
  private var columns: [Int]?

  init(_ assignments: [Assignment]) {
    self.assignments = assignments
    let numbers = assignments.compactMap { Int($0.place) }
    if numbers.count == assignments.count { columns = numbers.map { $0 - 1 } }
  }

  var quantities: Set<Measurand> { Set(assignments.map(\.unit.measurand)) }

  func values(in line: String) -> [ShownValue] {
    guard let fields = CSV.fields(of: line.utf8, Self.form) else { return [] }
    guard let columns else {
      let found = assignments.compactMap { fields.firstIndex(of: $0.place) }
      if found.count == assignments.count { self.columns = found }
      return []
    }
    return zip(columns, assignments).compactMap { column, assignment in
      guard fields.indices.contains(column) else { return nil }
      let value = ShownValue(fields[column], assignment.unit)
      return value.value == nil && !["nan", "NaN", ""].contains(fields[column]) ? nil : value
    }
  }
}

/// Extracts values from JSON with one object per line, or with one object over several lines.
final class JSONSource: ValueSource {
  private let assignments: [Assignment]
  private var unfinished = ""

  init(_ assignments: [Assignment]) { self.assignments = assignments }

  var quantities: Set<Measurand> { Set(assignments.map(\.unit.measurand)) }

  func values(in line: String) -> [ShownValue] {
    for text in [line, unfinished + line] {
      // A bare number or string is not a reading.
      guard let value = JSONValue(reading: text.utf8), value.isContainer else { continue }
      unfinished = ""
      return assignments.compactMap { assignment in
        Self.number(at: assignment.place, in: value).map { ShownValue($0, assignment.unit) }
      }
    }
    // Text that is not complete within 1 MiB is not JSON.
    unfinished = unfinished.utf8.count < 1 << 20 ? unfinished + line + "\n" : ""
    return []
  }

  /// Returns the number at a path of keys and indices, in its shortest form.
  private static func number(at path: String, in value: JSONValue) -> String? {
    var place = value
    for key in path.split(separator: ".") {
      if let value = place[String(key)] {
        place = value
      } else if let list = place.array, let index = Int(key), list.indices.contains(index) {
        place = list[index]
      } else {
        return nil
      }
    }
    switch place {
    case .number: return place.double?.description
    case .string(let text): return text
    case .null: return "nan"
    default: return nil
    }
  }
}

/// Extracts values with regular expressions.
package final class PatternSource: ValueSource {
  private let patterns:
    [(regex: Regex<AnyRegexOutput>, groups: [(name: String, unit: SpelledUnit)])]

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - texts: the expressions.
  ///   - known: what their groups can be. Default: the quantities of the air.
  /// - Throws: `OutputError` for an invalid expression, or one without a known group.
  package init(_ texts: [String], of known: [Measurand] = Measurand.air) throws(OutputError) {
    var patterns: [(Regex<AnyRegexOutput>, [(name: String, unit: SpelledUnit)])] = []
    for text in texts {
      let regex: Regex<AnyRegexOutput>
      do {
        regex = try Regex(text)
      } catch {
        throw OutputError(message: "--match '\(text)' is not a valid regular expression: \(error)")
      }
      var groups: [(name: String, unit: SpelledUnit)] = []
      for name in Self.names(in: text) {
        guard let unit = known.unit(named: name) else {
          throw OutputError(
            message:
              "--match: unknown group '\(name)'; accepted: \(known.fieldNames), also without the unit"
          )
        }
        groups.append((name, unit))
      }
      guard !groups.isEmpty else {
        throw OutputError(
          message: "--match '\(text)' has no named group such as (?<pressure_hpa>[0-9.]+)")
      }
      patterns.append((regex, groups))
    }
    self.patterns = patterns
  }

  /// Returns the names of the groups of an expression.
  private static func names(in pattern: String) -> [String] {
    pattern.matches(of: /\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/).map { String($0.output.1) }
  }

  package var quantities: Set<Measurand> {
    Set(patterns.flatMap { $0.groups.map(\.unit.measurand) })
  }

  /// Returns a line with brackets around its values; `nil` if it contains none.
  func marked(_ line: String) -> String? {
    let ranges = patterns.flatMap { pattern in
      line.matches(of: pattern.regex).flatMap { match in
        pattern.groups.compactMap { match.output[$0.name]?.range }
      }
    }
    guard !ranges.isEmpty else { return nil }
    var (text, end) = ("", line.startIndex)
    for range in ranges.inOrder(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= end
    {
      text += "\(line[end..<range.lowerBound])[\(line[range])]"
      end = range.upperBound
    }
    return text + line[end...]
  }

  package func values(in line: String) -> [ShownValue] {
    patterns.flatMap { pattern in
      line.matches(of: pattern.regex).flatMap { match in
        pattern.groups.compactMap { group in
          match.output[group.name]?.substring.map { ShownValue($0, group.unit) }
        }
      }
    }
  }
}

/// Limits the time that a wrapped source may take per line.
///
/// A user's expression can take exponential time (`(a+)+$`) and cannot be cancelled. After the
/// timeout, the thread that evaluates the expression is abandoned, and the audit ends.
final class BoundedSource: ValueSource {
  private let source: any ValueSource
  private let seconds: Double
  private let name: String
  package private(set) var error: OutputError?

  init(_ source: any ValueSource, seconds: Double, name: String) {
    self.source = source
    self.seconds = seconds
    self.name = name
  }

  var quantities: Set<Measurand> { source.quantities }

  func values(in line: String) -> [ShownValue] {
    guard error == nil else { return [] }
    if let values = Search(source, line).values(within: seconds) { return values }
    error = OutputError(
      message:
        "--match '\(name)': timed out after \(seconds) s on '\(line.prefix(60))'; the expression "
        + "backtracks exponentially, make the text between the values more specific"
    )
    return []
  }
}

/// The search for values in one line of output, on a thread of its own.
private final class Search: @unchecked Sendable {
  private let source: any ValueSource
  private let line: String
  /// The result; guarded by the mutex.
  private var values: [ShownValue]?
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ source: any ValueSource, _ line: String) {
    self.source = source
    self.line = line
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A step of the wall clock must not end the wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Starts the thread and waits for its result.
  ///
  /// - Parameter seconds: the longest wait.
  /// - Returns: the values; `nil` if they were not found in time. The thread then continues alone.
  func values(within seconds: Double) -> [ShownValue]? {
    var thread = pthread_t()
    let reason = pthread_create(
      &thread, nil,
      { search in
        guard let search else { return nil }
        Unmanaged<Search>.fromOpaque(search).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(
      reason == 0, "cannot start a thread for a search: \(String(cString: strerror(reason)))")
    pthread_detach(thread)
    let end = MachineTime.monotonic() + UInt64(seconds * 1e9)
    var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while values == nil {
      guard pthread_cond_timedwait(condition, mutex, &moment) == 0 else { break }
    }
    return values
  }

  private func run() {
    let found = source.values(in: line)
    pthread_mutex_lock(mutex)
    values = found
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}
