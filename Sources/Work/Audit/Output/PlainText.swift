import Runs

/// Converts a program's terminal output to plain lines.
package struct PlainText {
  private var rest: [UInt8] = []
  /// The maximum length of a line in bytes; the rest is dropped.
  private static let longest = 16_384

  /// Creates an empty text.
  package init() {}

  /// Appends bytes.
  ///
  /// - Returns: the completed lines, without colours and carriage returns.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
    rest += bytes
    var lines: [String] = []
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      lines.append(Self.plain(rest[..<min(end, Self.longest)]))
      rest.removeSubrange(...end)
    }
    // The end of a line that is too long is dropped.
    if rest.count > Self.longest { rest.removeSubrange(Self.longest...) }
    return lines.filter { !$0.isEmpty }
  }

  /// Returns the last line if the output ends without a newline.
  package mutating func finish() -> [String] {
    defer { rest = [] }
    let line = Self.plain(rest[...])
    return line.isEmpty ? [] : [line]
  }

  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.replacing(/\u{1B}(\[[0-9;?]*[A-Za-z]|\][^\u{07}]*\u{07}|[()][A-Z0-9])/, with: "")
      .filter { $0 == "\t" || !$0.isASCII || ($0.asciiValue ?? 0) >= 0x20 }
  }
}

/// Removes the time marks, which `aneroid exec --steps` inserts, from a program's output.
struct StepMarks {
  /// The bytes received so far of an incomplete time mark.
  private var begun: ArraySlice<UInt8> = []
  /// `true` if a time mark has been received and not yet acknowledged; until then, the program
  /// waits.
  package private(set) var isAsking = false
  /// The virtual time in the last time mark, in seconds since power-on.
  package private(set) var seconds = 0.0

  /// Appends bytes.
  ///
  /// - Returns: the bytes printed by the program.
  package mutating func take(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
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

  /// Returns `true` if bytes are a complete time mark or the start of one.
  private static func isBeginning(_ bytes: ArraySlice<UInt8>) -> Bool {
    let prefix = StepMark.prefix
    guard bytes.count > prefix.count else { return prefix.starts(with: bytes) }
    let rest = bytes.dropFirst(prefix.count)
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return bytes.starts(with: prefix) && digits.count <= 20
      && StepMark.suffix.starts(with: rest.dropFirst(digits.count))
  }

  /// Returns the time in a complete time mark, in seconds.
  private static func seconds(_ mark: ArraySlice<UInt8>) -> Double {
    mark.dropFirst(StepMark.prefix.count).dropLast(StepMark.suffix.count)
      .reduce(0) { $0 * 10 + Double($1 - UInt8(ascii: "0")) } / 1e9
  }

  /// Returns the bytes at the end of the output that could have been the start of a time mark.
  package mutating func finish() -> [UInt8] {
    defer { begun = [] }
    return Array(begun)
  }

  /// Notes that the last time mark has been acknowledged.
  package mutating func answer() { isAsking = false }
}
