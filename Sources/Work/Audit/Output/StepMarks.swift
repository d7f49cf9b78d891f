import Runs

/// Takes the marks out of what a program prints.
struct StepMarks {
  /// The beginning of a mark whose end has not come yet.
  private var begun: ArraySlice<UInt8> = []
  /// Whether a mark has come that nobody has answered.
  private(set) var isAsking = false
  /// The virtual time of the last mark, in seconds since power came on.
  private(set) var seconds = 0.0

  /// Takes bytes.
  ///
  /// - Returns: what the program printed of them.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var printed: [UInt8] = []
    for byte in bytes {
      begun.append(byte)
      while !Self.isBeginning(begun) { printed.append(begun.removeFirst()) }
      guard begun.count > StepMark.prefix.count, begun.suffix(2).elementsEqual(StepMark.suffix)
      else { continue }
      seconds = Self.seconds(begun)
      begun = []
      isAsking = true
    }
    return printed
  }

  /// Whether some bytes are the beginning of a mark, or a whole one.
  private static func isBeginning(_ bytes: ArraySlice<UInt8>) -> Bool {
    let prefix = StepMark.prefix
    guard bytes.count > prefix.count else { return prefix.starts(with: bytes) }
    let rest = bytes.dropFirst(prefix.count)
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return bytes.starts(with: prefix) && digits.count <= 20
      && StepMark.suffix.starts(with: rest.dropFirst(digits.count))
  }

  /// The time of a whole mark, in seconds.
  private static func seconds(_ mark: ArraySlice<UInt8>) -> Double {
    mark.dropFirst(StepMark.prefix.count).dropLast(StepMark.suffix.count)
      .reduce(0) { $0 * 10 + Double($1 - UInt8(ascii: "0")) } / 1e9
  }

  /// What looked like a mark and was none, at the end.
  mutating func finish() -> [UInt8] {
    defer { begun = [] }
    return Array(begun)
  }

  /// Takes the question as answered.
  mutating func answer() { isAsking = false }
}
