/// Reads the bytes of a file of the time zone database in their order.
struct ZoneBytes {
  /// What a header counts.
  struct Counts {
    let version: Int
    let universals, standards, leaps, times, types, letters: Int

    /// How many bytes follow the header.
    func length(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4) + standards
        + universals
    }
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The header; `nil` where none stands here.
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

  /// Skips bytes; whether there were as many.
  mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  /// Numbers of some bytes each, the highest first, with a sign.
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

  /// The seconds ahead of UTC of each kind of local time.
  mutating func types(_ count: Int) -> [Int]? {
    var offsets: [Int] = []
    for _ in 0..<count {
      guard let offset = numbers(1, size: 4), skip(2) else { return nil }
      offsets += offset
    }
    return offsets
  }

  /// The text between two ends of line.
  func footer() -> String {
    guard rest.first == 10 else { return "" }
    return String(decoding: rest.dropFirst().prefix { $0 != 10 }, as: UTF8.self)
  }
}
