/// A time zone, with its offsets to UTC over time.
///
/// It is parsed from a file of the system's time zone database (TZif, RFC 8536), version 2 or
/// later, which has 64-bit times.
package struct Zone: Sendable {
  /// The name of the time zone, such as `Europe/Lisbon`.
  package let name: String
  /// The times at which the offset changes, ascending, each with the offset to UTC in seconds that
  /// applies from then on.
  private let changes: [(moment: Int, offset: Int)]
  /// The offset to UTC before the first change, in seconds.
  private let first: Int
  /// The rule that applies after the last change; `nil` if the file contains none.
  private let rule: ZoneRule?

  /// Creates a time zone in which one rule applies at all times.
  init(name: String, rule: ZoneRule) {
    (self.name, self.rule, changes, first) = (name, rule, [], rule.standard)
  }

  /// Parses a time zone file; the result is `nil` if the file is invalid.
  package init?(name: String, bytes: [UInt8]) {
    var reader = ZoneBytes(bytes)
    guard let old = reader.header(), old.version >= 2 else { return nil }
    // The first part of the file, with 32-bit times, is for old programs and is skipped.
    guard reader.skip(old.length(timeSize: 4)), let counts = reader.header() else { return nil }
    guard let moments = reader.numbers(counts.times, size: 8),
      let kinds = reader.numbers(counts.times, size: 1),
      let types = reader.types(counts.types), !types.isEmpty,
      kinds.allSatisfy({ types.indices.contains($0 & 255) })
    else { return nil }
    guard reader.skip(counts.letters + counts.leaps * 12 + counts.standards + counts.universals)
    else { return nil }
    self.name = name
    changes = zip(moments, kinds).map { ($0, types[$1 & 255]) }
    first = types[0]
    rule = ZoneRule(reader.footer())
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.moment < $1.moment }) else {
      return nil
    }
  }

  /// Returns the offset to UTC in seconds at a time in seconds since 1970.
  package func offset(at moment: Int) -> Int {
    guard let last = changes.last else { return rule?.offset(at: moment) ?? first }
    if moment >= last.moment { return rule?.offset(at: moment) ?? last.offset }
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].moment <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : changes[low - 1].offset
  }
}

/// A sequential reader of a time zone file.
struct ZoneBytes {
  /// The counts in a header.
  struct Counts {
    let version: Int
    let universals, standards, leaps, times, types, letters: Int

    /// Returns the number of bytes after the header that the counts describe.
    func length(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4) + standards
        + universals
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Reads a header; returns `nil` if there is none at the current position.
  mutating func header() -> Counts? {
    guard rest.starts(with: Array("TZif".utf8)), rest.count >= 44 else { return nil }
    let version = Int(rest[rest.startIndex + 4]) - 48
    rest = rest.dropFirst(20)
    guard let counts = numbers(6, size: 4), counts.allSatisfy({ (0...100_000).contains($0) }) else {
      return nil
    }
    return Counts(
      version: version, universals: counts[0], standards: counts[1], leaps: counts[2],
      times: counts[3], types: counts[4], letters: counts[5])
  }

  /// Skips a number of bytes.
  ///
  /// - Returns: `true` if there were enough bytes.
  mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  /// Reads signed big-endian numbers with a given size in bytes.
  mutating func numbers(_ count: Int, size: Int) -> [Int]? {
    guard rest.count >= count * size else { return nil }
    defer { rest = rest.dropFirst(count * size) }
    return (0..<count).map { index in
      let begin = rest.startIndex + index * size
      let bits = rest[begin..<begin + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let empty = 64 - 8 * size
      return Int(Int64(bitPattern: bits << UInt64(empty)) >> Int64(empty))
    }
  }

  /// Reads the offsets to UTC of the local time types, in seconds.
  mutating func types(_ count: Int) -> [Int]? {
    var offsets: [Int] = []
    for _ in 0..<count {
      guard let offset = numbers(1, size: 4), skip(2) else { return nil }
      offsets += offset
    }
    return offsets
  }

  /// Reads the text between two line feeds.
  func footer() -> String {
    guard rest.first == 10 else { return "" }
    return String(decoding: rest.dropFirst().prefix { $0 != 10 }, as: UTF8.self)
  }
}
