import TestSupport
import Testing

@testable import FirmwareRuns

/// Packets of GDB's remote serial protocol.
struct GDBPacketTests {
  private func items(_ text: String) -> [GDBPacketReader.Item] {
    var reader = GDBPacketReader()
    return text.utf8.compactMap { reader.take($0) }
  }

  @Test("packets, interrupts and damage are told apart")
  func kinds() {
    #expect(items("+$g#67") == [.packet(Array("g".utf8))])
    #expect(items("$g#68$g#6z") == [.damaged, .damaged])
    #expect(items("\u{3}") == [.interrupt])
    #expect(items("$a}\u{3}b#2") == [])
    #expect(items("$}\u{3}#80") == [.packet(Array("#".utf8))])
    #expect(items("$gar$g#67") == [.packet(Array("g".utf8))])
  }

  @Test("what is sent is read back, whatever is in it")
  func framed() {
    var reader = GDBPacketReader()
    let text = "a#b$c}d*e"
    #expect(
      GDBPacketReader.framed(text).compactMap { reader.take($0) } == [.packet(Array(text.utf8))])
  }

  @Test("any bytes are borne, and long ones fill no memory")
  func hostile() {
    var generator = Seeded("packets of GDB")
    var reader = GDBPacketReader()
    var count = 0
    for _ in 0..<200_000 {
      let byte = UInt8.random(in: 0...255, using: &generator)
      if reader.take(byte % 11 == 1 ? 0x24 : byte) != nil { count += 1 }
    }
    #expect(count > 0)
    let endless = "$" + String(repeating: "a", count: 3 * GDBPacketReader.longest)
    #expect(items(endless + "#00$g#67") == [.packet(Array("g".utf8))])
  }
}
