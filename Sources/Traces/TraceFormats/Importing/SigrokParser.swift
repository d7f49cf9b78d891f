import I2C
import I2CTrace
import Text

/// What `sigrok-cli -P i2c -A i2c` prints, with or without the places of samples.
struct SigrokParser: CaptureParser {
  private let sampleRate: Double?
  private var buses: [Int: Bus] = [:]

  /// One decoder of the session, with the byte whose answer is still to come.
  private struct Bus {
    var assembler: WireAssembler
    var pending: UInt8?
  }

  init(_ options: CaptureReader.Options) { sampleRate = options.sampleRate }

  mutating func take(_ line: ArraySlice<UInt8>, _ sink: inout CaptureSink) throws(TraceError) {
    let text = String(decoding: line, as: UTF8.self)
    guard let colon = text.firstRange(of: ": ") else {
      guard text.allSatisfy(\.isWhitespace) else {
        throw TraceError(line: sink.line, "this is no line of sigrok's I2C decoder")
      }
      return
    }
    let place = text[..<colon.lowerBound].split(separator: " ")
    guard let name = place.last, name.hasPrefix("i2c-"), let number = Int(name.dropFirst(4)),
      (0...255).contains(number)
    else { throw TraceError(line: sink.line, "this is no line of sigrok's I2C decoder") }
    let time = try time(place.count > 1 ? place[0] : nil, sink.line)
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
    else { throw TraceError(line: line, "'\(samples)' is no range of samples") }
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
        throw TraceError(line: sink.line, "\(annotation) answers no byte")
      }
      bus.pending = nil
      bus.assembler.byte(byte, acknowledged: annotation == "ACK", &sink)
    case "Read", "Write", "0", "1": break
    default:
      let words = annotation.split(separator: " ")
      guard words.count == 3, let value = CaptureText.byte(words[2]) else {
        throw TraceError(line: sink.line, "'\(annotation)' is no annotation of the I2C decoder")
      }
      switch (words[0], words[1]) {
      case ("Address", "write:") where value < 0x80: bus.pending = value << 1
      case ("Address", "read:") where value < 0x80: bus.pending = value << 1 | 1
      case ("Address", _):
        throw TraceError(
          line: sink.line, "\(words[2]) is no address of seven bits; use address_format=shifted")
      case ("Data", _): bus.pending = value
      default:
        throw TraceError(line: sink.line, "'\(annotation)' is no annotation of the I2C decoder")
      }
    }
  }
}
