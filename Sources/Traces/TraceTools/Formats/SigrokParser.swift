import I2C
import I2CTrace
import Support

/// A parser of the output of `sigrok-cli -P i2c -A i2c`, with or without sample numbers.
struct SigrokParser: CaptureParser {
  private let sampleRate: Double?
  private var buses: [Int: Bus] = [:]

  /// The state of one I2C decoder in the session, with the byte whose acknowledge bit has not been
  /// read yet.
  private struct Bus {
    var assembler: WireAssembler
    var pending: UInt8?
  }

  init(_ options: CaptureReader.Options) { sampleRate = options.sampleRate }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    guard let colon = text.firstRange(of: ": ") else {
      guard text.allSatisfy(\.isWhitespace) else {
        throw TraceError(line: sink.line, "this is not a line of sigrok's I2C decoder")
      }
      return
    }
    let prefix = text[..<colon.lowerBound].split(separator: " ")
    guard let name = prefix.last, name.hasPrefix("i2c-"), let number = Int(name.dropFirst(4)),
      (0...255).contains(number)
    else { throw TraceError(line: sink.line, "this is not a line of sigrok's I2C decoder") }
    let time = try time(prefix.count > 1 ? prefix[0] : nil, sink.line)
    var bus = buses[number] ?? Bus(assembler: WireAssembler(bus: number))
    defer { buses[number] = bus }
    try Self.take(text[colon.upperBound...], at: time, &bus, &sink)
  }

  mutating func finish(_ sink: inout CaptureSink) {
    for number in buses.keys.inOrder() { buses[number]?.assembler.finish(&sink) }
  }

  private func time(_ samples: Substring?, _ line: Int) throws(TraceError) -> Int64? {
    guard let samples, let sampleRate else { return nil }
    guard let first = samples.split(separator: "-").first.flatMap({ Double($0) }),
      first / sampleRate < 4e9
    else { throw TraceError(line: line, "'\(samples)' is not a range of samples") }
    return Int64((first / sampleRate * 1e9).rounded())
  }

  private static func take(
    _ annotation: Substring, at time: Int64?, _ bus: inout Bus, _ sink: inout CaptureSink
  ) throws(TraceError) {
    switch annotation {
    case "Start", "Start repeat": try bus.assembler.start(at: time, &sink)
    case "Stop": try bus.assembler.stop(at: time, &sink)
    case "ACK", "NACK":
      guard let byte = bus.pending else {
        throw TraceError(line: sink.line, "\(annotation) does not follow a byte")
      }
      bus.pending = nil
      bus.assembler.byte(byte, acknowledged: annotation == "ACK", &sink)
    case "Read", "Write", "0", "1": break
    default:
      let words = annotation.split(separator: " ")
      guard words.count == 3, let value = CaptureText.byte(words[2]) else {
        throw TraceError(line: sink.line, "'\(annotation)' is not an annotation of the I2C decoder")
      }
      switch (words[0], words[1]) {
      case ("Address", "write:") where value < 0x80: bus.pending = value << 1
      case ("Address", "read:") where value < 0x80: bus.pending = value << 1 | 1
      case ("Address", _):
        throw TraceError(
          line: sink.line, "\(words[2]) is not a seven-bit address; use address_format=shifted")
      case ("Data", _): bus.pending = value
      default:
        throw TraceError(line: sink.line, "'\(annotation)' is not an annotation of the I2C decoder")
      }
    }
  }
}

/// A parser of the output of the Bus Pirate's I2C sniffer, such as `[0xEC+0xD0+[0xED+0x60-]`.
struct BusPirateParser: CaptureParser {
  private var assembler: WireAssembler
  private var pending: UInt8?

  init(_ options: CaptureReader.Options) { assembler = WireAssembler(bus: options.bus) }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    var rest = text.drop { $0.isWhitespace }
    // Ignore lines of the terminal dialogue.
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
          throw TraceError(line: sink.line, "'\(character)' does not follow a byte")
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
    TraceError(line: line, "a byte is not followed by + (ACK) or - (NACK)")
  }
}
