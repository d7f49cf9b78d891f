import I2C
import Testing

/// Each convenience method sends the expected messages.
struct TransferExtensionTests {
  /// An adapter that records its requests and returns counting bytes.
  final class Notebook: I2CAdapter {
    var segments: [I2CSegment] = []
    var written: [UInt8] = []
    var functionality: I2CFunctionality { .standard }
    var quirks: I2CQuirks { .none }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      self.segments = segments.indices.map { segments[$0] }
      written = writing.indices.map { writing[$0] }
      for index in reading.indices { reading[index] = UInt8(index + 1) }
    }
  }

  @Test("a probe is an empty write")
  func probe() throws {
    let adapter = Notebook()
    try adapter.probe(0x76)
    #expect(adapter.segments == [.write(0, to: 0x76)])
    #expect(adapter.written.isEmpty)
  }

  @Test("a register write is one message of two bytes")
  func writeRegister() throws {
    let adapter = Notebook()
    try adapter.writeRegister(0xF4, 0x25, at: 0x77)
    #expect(adapter.segments == [.write(2, to: 0x77)])
    #expect(adapter.written == [0xF4, 0x25])
  }

  @Test("a register read is a write of its address and a read, joined by a repeated start")
  func readRegister() throws {
    let adapter = Notebook()
    #expect(try adapter.readRegister(0xD0, at: 0x76) == 1)
    #expect(adapter.segments == [.write(1, to: 0x76), .read(1, from: 0x76)])
    #expect(adapter.written == [0xD0])
  }

  @Test("a plain read fills its buffer")
  func read() throws {
    let adapter = Notebook()
    var bytes: [UInt8] = [0, 0, 0]
    var buffer = bytes.mutableSpan
    try adapter.read(into: &buffer, from: 0x76)
    #expect(adapter.segments == [.read(3, from: 0x76)])
    #expect(bytes == [1, 2, 3])
  }
}
