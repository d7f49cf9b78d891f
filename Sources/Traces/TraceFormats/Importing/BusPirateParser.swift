import I2CTrace

/// What the I2C sniffer of the Bus Pirate prints: `[0xEC+0xD0+[0xED+0x60-]`.
struct BusPirateParser: CaptureParser {
  private var assembler: WireAssembler
  private var pending: UInt8?

  init(_ options: CaptureReader.Options) { assembler = WireAssembler(bus: options.bus) }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    var rest = text.drop { $0.isWhitespace }
    // The lines of the terminal's dialogue lie between.
    guard rest.first.map({ "[]+-".contains($0) }) == true || rest.hasPrefix("0x") else { return }
    while let character = rest.first {
      switch character {
      case "[", "]":
        guard pending == nil else { throw unanswered(sink.line) }
        if character == "[" {
          try assembler.start(at: nil, &sink)
        } else {
          try assembler.stop(at: nil, &sink)
        }
        rest.removeFirst()
      case "+", "-":
        guard let byte = pending else {
          throw TraceError(line: sink.line, "'\(character)' answers no byte")
        }
        assembler.byte(byte, acknowledged: character == "+", &sink)
        pending = nil
        rest.removeFirst()
      case _ where character.isWhitespace: rest.removeFirst()
      default:
        guard pending == nil else { throw unanswered(sink.line) }
        guard rest.hasPrefix("0x"), let byte = CaptureText.byte(rest.prefix(4)),
          rest.prefix(4).count == 4
        else {
          throw TraceError(
            line: sink.line, "'\(rest.prefix(4))' is neither a byte such as 0xEC nor one of [ ] + -"
          )
        }
        pending = byte
        rest = rest.dropFirst(4)
      }
    }
  }

  mutating func finish(_ sink: inout CaptureSink) { assembler.finish(&sink) }

  private func unanswered(_ line: Int) -> TraceError {
    TraceError(line: line, "a byte lacks its + or -")
  }
}
