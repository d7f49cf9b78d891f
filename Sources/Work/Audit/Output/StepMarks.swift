import Runs

/// Takes the marks out of what a program prints.
struct StepMarks {
  /// The beginning of a mark whose end has not come yet.
  private var begun: ArraySlice<UInt8> = []
  /// Whether a mark has come that nobody has answered.
  private(set) var isAsking = false

  /// Takes bytes.
  ///
  /// - Returns: what the program printed of them.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var printed: [UInt8] = []
    for byte in bytes {
      begun.append(byte)
      while !StepMark.bytes.starts(with: begun) { printed.append(begun.removeFirst()) }
      guard begun.count == StepMark.bytes.count else { continue }
      begun = []
      isAsking = true
    }
    return printed
  }

  /// What looked like a mark and was none, at the end.
  mutating func finish() -> [UInt8] {
    defer { begun = [] }
    return Array(begun)
  }

  /// Takes the question as answered.
  mutating func answer() { isAsking = false }
}
