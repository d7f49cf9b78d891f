/// What a program prints on a terminal, as plain lines.
struct PlainText {
  private var rest: [UInt8] = []
  /// How many bytes of a line are kept: no reading is longer.
  private static let longest = 16_384

  /// Takes bytes.
  ///
  /// - Returns: the lines that they end, without colours and carriage returns.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
    rest += bytes
    var lines: [String] = []
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      lines.append(Self.plain(rest[..<min(end, Self.longest)]))
      rest.removeSubrange(...end)
    }
    // The end of a line that is too long is lost, whenever it comes.
    if rest.count > Self.longest { rest.removeSubrange(Self.longest...) }
    return lines.filter { !$0.isEmpty }
  }

  /// The last line, which nothing ended.
  mutating func finish() -> [String] {
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
