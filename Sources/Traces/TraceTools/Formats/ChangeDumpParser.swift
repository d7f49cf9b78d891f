import I2CTrace

/// A parser of Value Change Dumps of SDA and SCL (IEEE 1364, section 18).
struct ChangeDumpParser: CaptureParser {
  private let sda: String?, scl: String?
  private var header = ChangeDumpHeader()
  private var lines: (sda: [UInt8], scl: [UInt8])?
  private var decoder: WireDecoder
  private var time: Int64 = 0
  private var next = (sda: true, scl: true)
  /// Whether the parser is inside `$comment … $end`, after the definitions.
  private var isComment = false

  init(_ options: CaptureReader.Options) {
    (sda, scl) = (options.sda, options.scl)
    decoder = WireDecoder(bus: options.bus)
  }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    guard let lines else {
      if try header.take(line, sink.line) {
        self.lines = try header.lines(sda: sda, scl: scl, sink.line)
      }
      return
    }
    var rest = line.drop(while: Self.isSpace)
    while let first = rest.first {
      let word = rest.prefix { !Self.isSpace($0) }
      rest = rest[word.endIndex...].drop(while: Self.isSpace)
      if isComment {
        isComment = !word.elementsEqual("$end".utf8)
      } else if first == UInt8(ascii: "$") {
        isComment = word.elementsEqual("$comment".utf8)
      } else if first == UInt8(ascii: "#") {
        try advance(to: word.dropFirst(), &sink)
      } else if "01xXzZ".utf8.contains(first) {
        change(word.dropFirst(), to: first != UInt8(ascii: "0"), lines)
      } else if "bBrR".utf8.contains(first) {
        let name = rest.prefix { !Self.isSpace($0) }
        rest = rest[name.endIndex...].drop(while: Self.isSpace)
        change(name, to: word.last != UInt8(ascii: "0"), lines)
      } else {
        throw TraceError(
          line: sink.line, "'\(String(decoding: word, as: UTF8.self))' is not a value change")
      }
    }
  }

  mutating func finish(_ sink: inout CaptureSink) throws(TraceError) {
    guard lines != nil else {
      throw TraceError(line: max(sink.line, 1), "the definitions do not end ($enddefinitions)")
    }
    try decoder.step(sda: next.sda, scl: next.scl, at: time, &sink)
    decoder.finish(&sink)
  }

  /// Applies all level changes of the previous time at once, whatever their order in the dump, and
  /// then advances to a new time.
  private mutating func advance(
    to digits: ArraySlice<UInt8>, _ sink: inout CaptureSink
  ) throws(TraceError) {
    try decoder.step(sda: next.sda, scl: next.scl, at: time, &sink)
    guard let ticks = Int64(String(decoding: digits, as: UTF8.self)), ticks >= 0,
      let nanoseconds = header.nanoseconds(ticks)
    else {
      throw TraceError(
        line: sink.line, "'#\(String(decoding: digits, as: UTF8.self))' is not a time")
    }
    guard nanoseconds >= time else { throw TraceError(line: sink.line, "the time decreases") }
    time = nanoseconds
  }

  /// Sets the next level of a signal.
  ///
  /// Unknown and undriven levels count as high because of the pull-ups.
  private mutating func change(
    _ name: ArraySlice<UInt8>, to value: Bool, _ lines: (sda: [UInt8], scl: [UInt8])
  ) {
    if name.elementsEqual(lines.sda) { next.sda = value }
    if name.elementsEqual(lines.scl) { next.scl = value }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

/// The definitions of a Value Change Dump: its time unit and its signals.
struct ChangeDumpHeader {
  private var words: [String] = []
  private var scopes: [String] = []
  private var signals: [(name: String, path: String, code: [UInt8])] = []
  private var unit: (multiplier: Int64, divisor: Int64) = (1, 1)

  /// Parses a line; returns whether the definitions end in this line.
  mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) throws(TraceError) -> Bool {
    // libsigrok 0.5.2 writes this line before the VCD header.
    if number == 1, line.starts(with: "META ".utf8) { return false }
    for word in String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
      if words.isEmpty, !word.hasPrefix("$") {
        throw TraceError(line: number, "this line is not a definition; is this a VCD file?")
      }
      words.append(String(word))
      guard word == "$end" else {
        guard words.count < 1000 else {
          throw TraceError(line: number, "\(words[0]) has no $end")
        }
        continue
      }
      if words[0] == "$enddefinitions" { return true }
      try define(number)
      words = []
    }
    return false
  }

  private mutating func define(_ line: Int) throws(TraceError) {
    switch words[0] {
    case "$scope" where words.count >= 4: scopes.append(words[2])
    case "$upscope": _ = scopes.popLast()
    case "$var":
      guard words.count >= 6 else {
        throw TraceError(line: line, "a $var needs its type, size, code and name")
      }
      let name = words[4]
      signals.append((name, (scopes + [name]).joined(separator: "."), Array(words[3].utf8)))
    case "$timescale":
      let text = words.dropFirst().dropLast().joined()
      let units: [(String, (Int64, Int64))] = [
        ("fs", (1, 1_000_000)), ("ps", (1, 1000)), ("ns", (1, 1)), ("us", (1000, 1)),
        ("ms", (1_000_000, 1)), ("s", (1_000_000_000, 1)),
      ]
      guard let (name, factor) = units.first(where: { text.hasSuffix($0.0) }),
        let count = Int64(text.dropLast(name.count)), [1, 10, 100].contains(count)
      else { throw TraceError(line: line, "'\(text)' is not a time scale such as 1 ns") }
      unit = (factor.0 * count, factor.1)
    default: break
    }
  }

  /// Converts a time in ticks to nanoseconds; returns `nil` on overflow.
  func nanoseconds(_ ticks: Int64) -> Int64? {
    let (product, overflow) = ticks.multipliedReportingOverflow(by: unit.multiplier)
    return overflow ? nil : product / unit.divisor
  }

  /// Returns the codes of SDA and SCL, found by the given names or, without them, by names that
  /// contain SDA and SCL.
  func lines(
    sda: String?, scl: String?, _ line: Int
  ) throws(TraceError) -> (sda: [UInt8], scl: [UInt8]) {
    (try code(of: "sda", given: sda, line), try code(of: "scl", given: scl, line))
  }

  private func code(of kind: String, given: String?, _ line: Int) throws(TraceError) -> [UInt8] {
    let found = signals.filter { signal in
      if let given { return signal.name == given || signal.path == given }
      return signal.name.lowercased().contains(kind)
    }
    let codes = Set(found.map(\.code))
    if let code = codes.first, codes.count == 1 { return code }
    let names = (found.isEmpty ? signals : found).prefix(20).map(\.path).joined(separator: ", ")
    throw TraceError(
      line: line,
      "no unique signal for \(kind.uppercased()); use --\(kind) NAME (signals: "
        + (names.isEmpty ? "none)" : names + ")"))
  }
}
