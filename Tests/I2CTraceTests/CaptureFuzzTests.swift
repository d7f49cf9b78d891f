import I2C
import I2CTrace
import TestSupport
import Testing

/// Whatever a capture holds, it is refused with a line or becomes a trace that can be read.
struct CaptureFuzzTests {
  /// Damages a text: bytes, lines, the end.
  static func damaged(_ text: [UInt8], _ generator: inout Seeded) -> [UInt8] {
    var bytes = text
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard !bytes.isEmpty else { break }
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(place..<min(place + 20, bytes.count))
      case 2: bytes.removeLast(bytes.count - place)
      case 3: bytes.insert(contentsOf: bytes[place..<min(place + 60, bytes.count)], at: 0)
      case 4:
        bytes[place] = "0123456789-+[]xXzZ#$ ,:\"\n".utf8.randomElement(using: &generator) ?? 0
      case 5:
        let numbers = ["-9223372036854775808", "99999999999999999999", "1e300", "-1", "nan", "0x"]
        bytes.insert(contentsOf: (numbers.randomElement(using: &generator) ?? "").utf8, at: place)
      default:
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        lines.swapAt(
          Int.random(in: lines.indices, using: &generator),
          Int.random(in: lines.indices, using: &generator))
        bytes = Array(lines.joined(separator: [10]))
      }
    }
    return bytes
  }

  @Test("damaged captures", arguments: CaptureTests.Sample.all)
  func damage(_ sample: CaptureTests.Sample) throws {
    var generator = Seeded("damaged \(sample.file)")
    var options = CaptureReader.Options()
    options.sampleRate = sample.sampleRate
    let text = Array(try sample.text.utf8)
    var refused = 0
    for _ in 0..<1500 {
      let bytes = Self.damaged(text, &generator)
      do {
        let imported = try CaptureTests.imported(bytes, sample.kind, options, chunk: 97)
        #expect(try Self.writtenAndRead(imported) == imported.transfers)
      } catch let error as TraceError {
        #expect(error.line >= 1)
        refused += 1
      }
    }
    // Each reader finds fault with some of them, but for what it passes over as not its own.
    #expect(refused > 0)
    #expect(refused < 1500)
  }

  static func writtenAndRead(_ imported: CaptureTests.Imported) throws -> [TracedTransfer] {
    let header = TraceHeader(
      generator: "test", clock: "real",
      buses: imported.summary.buses.map { TraceHeader.Bus(number: $0) })
    var text: [UInt8] = []
    var writer = TraceWriter(header, isBuffered: true) { text += $0 }
    for transfer in imported.transfers { writer.write(transfer) }
    writer.flush()
    var reader = try TraceReader {
      defer { text = [] }
      return text.isEmpty ? nil : text
    }
    var transfers: [TracedTransfer] = []
    while let transfer = try reader.next() { transfers.append(transfer) }
    return transfers
  }

  @Test("a line without end is refused", arguments: CaptureKind.allCases)
  func longLine(_ kind: CaptureKind) throws {
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: TraceReader.longestLine + 1000)
    let error = #expect(throws: TraceError.self) {
      try CaptureTests.imported(line, kind, chunk: 1 << 20)
    }
    #expect(error?.message.contains("longer than") == true)
  }
}
