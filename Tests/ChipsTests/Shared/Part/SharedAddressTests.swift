import Chips
import I2C
import I2CTrace
import Parts
import Testing
import TraceTools
import VirtualI2C

/// Tests the decoding of transfers at an address that several families share.
struct SharedAddressTests {
  /// Returns the decoded transfers of a trace without a known model, and those of the model.
  static func decoded(
    _ model: any PartModel, _ transfers: [TracedTransfer]
  ) -> [(decoded: String?, own: String?)] {
    var (registers, text) = (RegisterText(), model.text)
    return transfers.map { (registers.meaning(of: $0), text.meaning(of: $0)) }
  }

  @Test("transfers to an SHT21 at 0x40 are decoded as SHT21 transfers")
  func sht21() throws {
    let bench = try SHT21Bench()
    let transfers = try PartCheck.transfers(bench.adapter, bench.clock) { adapter in
      let driver = SHT21Driver(adapter: adapter, clock: bench.clock)
      try driver.start(.humidity8Temperature12)
      _ = try driver.measureRaw(.humidity)
      _ = try driver.readSerialNumber()
    }
    for (decoded, own) in Self.decoded(SHT21Part(), transfers) {
      #expect(decoded == own)
      #expect(own != nil)
    }
  }

  @Test(
    "transfers to an HDC1000 are decoded as such, even if the first is an SHT21 command"
  )
  func hdc1000() throws {
    let bench = try HDC1000Bench()
    let transfers = try PartCheck.transfers(bench.adapter, bench.clock) { adapter in
      let driver = HDC1000Driver(adapter: adapter, clock: bench.clock)
      _ = try adapter.readRegister(0xFE, at: 0x40)
      try driver.start()
      _ = try driver.measure()
      try adapter.write([0xFE].span, to: 0x40)
    }
    for (decoded, own) in Self.decoded(HDC1000Part(), transfers) {
      #expect(decoded == own)
      #expect(own != nil)
    }
  }

  @Test(
    "transfers that fit neither an SHT21 nor an HDC1000 are not decoded",
    arguments: [[0x55], [0x10, 0x20]] as [[UInt8]])
  func unknown(_ bytes: [UInt8]) {
    let write = TracedTransfer(
      time: 0, duration: 1, bus: 1,
      messages: [
        TracedMessage(.write(bytes.count, to: 0x40), bytes)
      ])
    let read = TracedTransfer(
      time: 0, duration: 1, bus: 1,
      messages: [TracedMessage(.read(2, from: 0x40), [0, 0])])
    var registers = RegisterText()
    #expect(registers.meaning(of: read) == nil)
    #expect(registers.meaning(of: write) == nil)
    #expect(registers.meaning(of: read) == nil)
  }
}
