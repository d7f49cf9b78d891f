import I2C
import I2CTrace
import TestSupport
import Testing
import TraceTools

/// Every damaged capture is rejected with a line or becomes a readable trace.
struct CaptureFuzzTests {
  @Test(
    "damaged captures are rejected or imported as valid traces", arguments: CaptureTests.Sample.all)
  func damage(_ sample: CaptureTests.Sample) throws {
    var generator = Seeded("damaged \(sample.file)")
    var options = CaptureReader.Options()
    options.sampleRate = sample.sampleRate
    let text = Array(try sample.text.utf8)
    var refused = 0
    for _ in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(text, using: &generator)
      do {
        let imported = try CaptureTests.imported(bytes, sample.kind, options, chunk: 97)
        #expect(try Self.writtenAndRead(imported) == imported.transfers)
      } catch let error as TraceError {
        #expect(error.line >= 1)
        refused += 1
      }
    }
    // Each reader rejects some damaged captures, although it ignores lines that it does not
    // recognize.
    #expect(refused > 0)
    #expect(refused < Repetitions.mutations)
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

  @Test(
    "a capture with a line beyond the maximum length is rejected", arguments: CaptureKind.allCases)
  func longLine(_ kind: CaptureKind) throws {
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: TraceReader.longestLine + 1000)
    let error = #expect(throws: TraceError.self) {
      try CaptureTests.imported(line, kind, chunk: 1 << 20)
    }
    #expect(error?.message.contains("longer than") == true)
  }
}
