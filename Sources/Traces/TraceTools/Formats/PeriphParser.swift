import I2C
import I2CTrace

/// A parser of the transfers in a Go literal of type `i2ctest.Playback`.
///
/// An example is
/// `i2ctest.Playback{Ops: []i2ctest.IO{{Addr: 0x76, W: []byte{0xd0}, R: []byte{0x60}}}}`.
///
/// It does not parse Go in general, but only number literals in braces with the fields `Addr`, `W`
/// and `R`.
struct PeriphParser: CaptureParser {
  /// The transfer being parsed.
  private struct Entry {
    var address: I2CAddress
    var written: [UInt8] = []
    var read: [UInt8] = []
    /// The field to which the next bytes belong: `W` or `R`.
    var field: Character?
    var isInBytes = false
  }

  private let bus: Int
  private var entry: Entry?
  private var isAddress = false

  init(_ options: CaptureReader.Options) { bus = options.bus }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let code = String(decoding: line, as: UTF8.self)
    let end = code.firstRange(of: "//")?.lowerBound ?? code.endIndex
    var rest = code[..<end]
    while let first = rest.first {
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
      rest = rest.dropFirst(max(word.count, 1))
      if word.isEmpty {
        try mark(first, &sink)
      } else {
        try take(word: word, followedByColon: rest.drop { $0 == " " }.first == ":", sink.line)
      }
    }
  }

  mutating func finish(_ sink: inout CaptureSink) {
    if entry != nil { sink.omit(.cutOffTransfer) }
  }

  private mutating func take(
    word: Substring, followedByColon: Bool, _ line: Int
  ) throws(TraceError) {
    if followedByColon {
      isAddress = word == "Addr"
      if entry != nil { entry?.field = word == "W" || word == "R" ? word.first : nil }
      return
    }
    if isAddress {
      isAddress = false
      guard let address = CaptureText.integer(word).flatMap(CaptureText.address) else {
        throw TraceError(line: line, "'\(word)' is not a numeric address")
      }
      entry = Entry(address: address)
      return
    }
    guard let open = entry, open.isInBytes, let field = open.field else { return }
    guard let byte = CaptureText.integer(word).flatMap(UInt8.init(exactly:)) else {
      throw TraceError(line: line, "'\(word)' is not a numeric byte")
    }
    if field == "W" { entry?.written.append(byte) } else { entry?.read.append(byte) }
  }

  private mutating func mark(_ mark: Character, _ sink: inout CaptureSink) throws(TraceError) {
    guard let open = entry else { return }
    switch mark {
    case "{": entry?.isInBytes = true
    case "}" where open.isInBytes: entry?.isInBytes = false
    case "}":
      entry = nil
      var messages: [TracedMessage] = []
      if !open.written.isEmpty || open.read.isEmpty {
        messages.append(
          TracedMessage(.write(open.written.count, to: open.address), open.written))
      }
      if !open.read.isEmpty {
        messages.append(TracedMessage(.read(open.read.count, from: open.address), open.read))
      }
      try sink.emit(messages, bus: bus)
    default: break
    }
  }
}
