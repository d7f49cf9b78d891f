import Files
import Text

/// The times of a table's rows: dates, Unix seconds, or seconds from the table's own start.
struct TableTimes {
  /// How the first row writes its time, and all others after it.
  private enum Kind {
    case date, unix, elapsed
  }

  /// The smallest number that is taken for Unix seconds (3 March 1973): smaller ones count from the table's own start.
  private static let firstUnix = 1e8
  /// The largest: the year 2199.
  private static let lastUnix = 7.258e9

  /// The times in nanoseconds: since 1970, or since the table's own start.
  private(set) var all: [Int64] = []
  private var kind = Kind.date

  /// Whether they are seconds from the table's own start.
  var areElapsed: Bool { kind == .elapsed }

  /// Takes the time of the next row.
  ///
  /// - Throws: `CSV.FormatError` if it is none, or not after the row before.
  mutating func take(
    _ text: String, _ problem: (String) -> CSV.FormatError
  ) throws(CSV.FormatError) -> Int64 {
    guard let (time, kind) = Self.parsed(text) else {
      throw problem(
        "'\(text.clipped)' is no moment such as 2013-01-01T06:00:00Z, 2013-01-01 07:00+01:00, "
          + "1357020000 (Unix seconds) or 60 (seconds from the start)")
    }
    if all.isEmpty { self.kind = kind }
    guard kind == self.kind else {
      throw problem("\(text.clipped) is not written as the times of the rows before")
    }
    if let last = all.last, time <= last {
      throw problem("\(text) is not after the row before")
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
