import I2C
import I2CTrace
import TestSupport
import Testing
import TraceTools

/// Traces in the formats of other tools.
struct ExportTests {
  static let header = TraceHeader(
    generator: "test", clock: "virtual", buses: [TraceHeader.Bus(number: 1, frequency: 400_000)])

  /// Returns an exported trace, and the parts that could not be exported.
  static func exported(
    _ transfers: [TracedTransfer], _ kind: ExportKind
  ) -> (text: String, notices: [String]) {
    var bytes: [UInt8] = []
    var exporter = TraceExporter(kind, header, bus: nil) { bytes += $0 }
    for transfer in transfers { exporter.take(transfer) }
    let notices = exporter.finish()
    return (String(decoding: bytes, as: UTF8.self), notices)
  }

  /// Returns a random transfer that the bus signals represent completely.
  static func transfer(at time: UInt64, _ generator: inout Seeded) -> TracedTransfer {
    let isTenBit = Int.random(in: 0..<6, using: &generator) == 0
    let address =
      I2CAddress(rawValue: UInt16.random(in: isTenBit ? 0...0x3FF : 8...0x77, using: &generator))
      ?? 0
    var messages = (0..<Int.random(in: 1...3, using: &generator)).map { index in
      let isRead = Bool.random(using: &generator)
      // An empty write before a read only addresses a ten-bit target.
      let count = Int.random(in: isTenBit ? 1...9 : 0...9, using: &generator)
      return TracedMessage(
        I2CSegment(
          address: address, direction: isRead ? .read : .write, count: count,
          flags: isTenBit ? .tenBit : []),
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    var error: I2CError?
    let last = messages.count - 1
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      error = I2CError(.addressNack, message: last, errno: .enxio)
      messages[last].bytes = []
      messages[last].segment.count = 0
    case 1 where messages[last].segment.direction == .write && !messages[last].bytes.isEmpty:
      error = I2CError(
        .dataNack, message: last, byte: messages[last].bytes.count - 1, errno: .eio)
    default: break
    }
    return TracedTransfer(
      time: time, duration: UInt64.random(in: 100_000...900_000, using: &generator), bus: 1,
      messages: messages, error: error)
  }

  @Test("importing an exported VCD gives the same transfers and times")
  func lines() throws {
    var generator = Seeded("transfers drawn and read")
    var time: UInt64 = 0
    let transfers = (0..<2000).map { index in
      let transfer = Self.transfer(at: time, &generator)
      time += transfer.duration + (index % 3 == 0 ? 0 : 20_000)
      return transfer
    }
    let exported = Self.exported(transfers, .vcd)
    #expect(exported.notices.isEmpty)
    let imported = try CaptureTests.imported(exported.text.utf8, .vcd)
    #expect(imported.summary.omissions.isEmpty)
    #expect(imported.transfers.count == transfers.count)
    for (read, drawn) in zip(imported.transfers, transfers) {
      #expect(read.messages == drawn.messages)
      #expect(read.error == drawn.error)
      #expect(read.time == drawn.time)
      #expect(read.duration <= drawn.duration && read.duration >= drawn.duration * 9 / 10)
    }
  }

  @Test("a failed transfer whose signals are not recorded is omitted from a VCD, with a notice")
  func undrawn() {
    let failed = TracedTransfer(
      time: 0, duration: 10, bus: 1, messages: [TracedMessage(.write(1, to: 0x76), [0xD0])],
      error: I2CError(.timeOut, errno: .etimedout))
    let exported = Self.exported([failed], .vcd)
    #expect(
      exported.notices == [
        "1 failed transfers are not drawn: their signals are not recorded"
      ])
    var refused = failed
    refused.error = I2CError(.unsupported, errno: .eopnotsupp)
    #expect(Self.exported([refused], .vcd).notices.isEmpty)
  }

  @Test("an exported table has a row per message, and an exported script a command per transfer")
  func text() {
    let transfers = [
      TracedTransfer(
        time: 1_500_000_000, duration: 97_500, bus: 1,
        messages: [
          TracedMessage(.write(1, to: 0x76), [0xD0]), TracedMessage(.read(1, from: 0x76), [0x60]),
        ]),
      TracedTransfer(
        time: 1_700_000_000, duration: 27_500, bus: 1,
        messages: [TracedMessage(.write(1, to: 0x77), [1])],
        error: I2CError(.addressNack, errno: .enxio)),
    ]
    #expect(
      Self.exported(transfers, .csv).text == """
        transfer,time_s,duration_s,bus,message,address,direction,count,bytes,error,errno
        1,1.500000000,0.000097500,1,0,0x76,write,1,d0,,
        1,1.500000000,0.000097500,1,1,0x76,read,1,60,,
        2,1.700000000,0.000027500,1,0,0x77,write,1,01,nack-address,ENXIO

        """)
    #expect(
      Self.exported(transfers, .i2ctransfer).text == """
        #!/bin/sh
        sleep 1.5
        i2ctransfer -y 1 w1@0x76 0xd0 r1@0x76
        # 0x60
        sleep 0.199
        i2ctransfer -y 1 w1@0x77 0x01
        # failed: address not acknowledged (message 0, ENXIO)

        """)
  }
}
