import I2C
import I2CTrace
import TestSupport
import Testing
import TraceTools

/// Captures made by other tools are imported as traces.
struct CaptureTests {
  /// A capture among the fixtures.
  struct Sample: CustomTestStringConvertible {
    let file: String
    let kind: CaptureKind
    var sampleRate: Double?
    var testDescription: String { file }

    static let all = [
      Sample(file: "i2c-tools.log", kind: .i2cTools),
      Sample(file: "ftrace.txt", kind: .ftrace),
      Sample(file: "trace-cmd.txt", kind: .ftrace),
      Sample(file: "saleae-logic2.csv", kind: .saleae),
      Sample(file: "saleae-logic1.csv", kind: .saleae),
      Sample(file: "sigrok.txt", kind: .sigrok, sampleRate: 1e9),
      Sample(file: "lines.vcd", kind: .vcd),
      Sample(file: "bus-pirate.txt", kind: .busPirate),
      Sample(file: "periph.go", kind: .periph),
    ]

    var text: String { get throws { try Fixtures.text("fixtures/captures/\(file)") } }
  }

  /// The result of an import.
  struct Imported {
    var transfers: [TracedTransfer] = []
    var summary: CaptureReader.Summary
  }

  /// Imports a text that is read in chunks of a given size.
  static func imported(
    _ text: some Sequence<UInt8>, _ kind: CaptureKind, _ options: CaptureReader.Options = .init(),
    chunk: Int = 1000
  ) throws -> Imported {
    var rest = Array(text)[...]
    var reader = CaptureReader(kind, options) {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(chunk) }
      return Array(rest.prefix(chunk))
    }
    var transfers: [TracedTransfer] = []
    let summary = try reader.read { transfers.append($0) }
    return Imported(transfers: transfers, summary: summary)
  }

  static func imported(_ sample: Sample) throws -> Imported {
    var options = CaptureReader.Options()
    options.sampleRate = sample.sampleRate
    return try imported(sample.text.utf8, sample.kind, options)
  }

  @Test(
    "the capture of each tool is imported as the same transfers, as far as the tool records them",
    arguments: Sample.all
  )
  func conversation(_ sample: Sample) throws {
    let imported = try Self.imported(sample)
    let lines = imported.transfers.map(\.description)
    let isSplit = sample.file == "saleae-logic1.csv"
    #expect(lines.starts(with: isSplit ? ["0x76  w d0", "0x76  r 60"] : ["0x76  w d0  r 60"]))
    #expect(lines.contains("0x76  w f4 25"))
    #expect(lines.contains { $0.hasSuffix("r 4a 52 c0 80 96 c0 7a 76") })
    if sample.kind != .periph {
      let failed = try #require(imported.transfers.first { $0.error != nil })
      #expect(failed.messages[0].segment.address == 0x77)
      #expect(failed.error == I2CError(.addressNack, errno: .enxio))
    }
    if ![.periph, .i2cTools, .ftrace].contains(sample.kind) {
      #expect(
        lines.last == "0x76  w f4 27   failed: data byte not acknowledged (message 0, byte 1, EIO)")
    }
    let omitted = sample.kind == .busPirate ? ["starts without an address (1)"] : []
    #expect(imported.summary.omissions == omitted)
  }

  @Test(
    "the times recorded in a capture are imported",
    arguments: ["ftrace.txt", "trace-cmd.txt", "saleae-logic2.csv", "sigrok.txt", "lines.vcd"])
  func times(_ file: String) throws {
    let sample = try #require(Sample.all.first { $0.file == file })
    let times = try Self.imported(sample).transfers.map(\.time)
    let expected: [UInt64] =
      sample.kind == .ftrace
      ? [0, 7_398_000, 17_394_000, 30_000_000] : [0, 1_000_000, 2_000_000, 12_000_000, 14_000_000]
    #expect(times.count == expected.count)
    for (time, wanted) in zip(times, expected) { #expect(time.absoluteDifference(wanted) <= 1000) }
  }

  @Test(
    "without recorded times, transfers are timed at the bus frequency, one directly after another")
  func derivedTimes() throws {
    var options = CaptureReader.Options()
    options.frequency = 400_000
    let imported = try Self.imported(
      "[0xEC+0xD0+[0xED+0x60-][0xEE-]".utf8, .busPirate, options)
    #expect(imported.transfers.map(\.duration) == [97_500, 27_500])
    #expect(imported.transfers.map(\.time) == [0, 97_500])
  }

  @Test(
    "i2c-tools commands are imported as the transfers that they perform",
    arguments: [
      ("i2cget -y 1 0x76 0x88 w\n0x6e10", ["0x76  w 88  r 10 6e"]),
      ("i2cget -y 1 0x76\n0x6e", ["0x76  r 6e"]),
      ("i2cget -y 1 0x76 0x88 c\n0x6e", ["0x76  w 88", "0x76  r 6e"]),
      ("i2cget -y 1 0x76 0x88 s\n0x6e 0x10", ["0x76  w 88  r 02 6e 10"]),
      ("i2cset -y 1 0x76 0xf4 0x2510 w", ["0x76  w f4 10 25"]),
      ("i2cset -y 1 0x76 0xf4 1 2 3 s", ["0x76  w f4 03 01 02 03"]),
      ("i2cset -y 1 0x76 0xf4 c", ["0x76  w f4"]),
      ("i2ctransfer -y 1 w5@0x76 0xf0 1+ w3 9-", ["0x76  w f0 01 02 03 04  w 09 08 07"]),
      (
        "i2ctransfer -y 1 w1@0x76 0x88 r2 r1@0x77\n0x01 0x02\n0x03",
        ["0x76  w 88  r 01 02  0x77  r 03"]
      ),
      ("sudo /usr/sbin/i2ctransfer -y i2c-1 w2@0x76 7= # all sevens", ["0x76  w 07 07"]),
    ])
  func commands(_ log: String, _ expected: [String]) throws {
    #expect(try Self.imported(log.utf8, .i2cTools).transfers.map(\.description) == expected)
  }

  @Test("a Saleae Logic table that is not hexadecimal is rejected with advice on what to export")
  func saleaeRadix() throws {
    let text = try Fixtures.text("fixtures/captures/saleae-logic2.csv")
    let decimal = text.replacing(/0x([0-9A-Fa-f]{2})/) { "\(Int($0.output.1, radix: 16) ?? 0)" }
    let error = #expect(throws: TraceError.self) { try Self.imported(decimal.utf8, .saleae) }
    #expect(error?.message == "'118' is not a byte such as 0x76; export the table as hexadecimal")
    // A decimal number below 100 looks like a different byte in hexadecimal.
    let small = text.replacing("0x76", with: "76")
    #expect(throws: TraceError.self) { try Self.imported(small.utf8, .saleae) }
  }

  @Test("a sigrok session file is rejected with advice on how to decode it")
  func session() throws {
    let archive: [UInt8] = [0x50, 0x4B, 0x03, 0x04, 0x14, 0x00, 0x0A, 0x00, 0xFF]
    let error = #expect(throws: TraceError.self) { try Self.imported(archive, .sigrok) }
    #expect(error?.message.contains("decode it first: sigrok-cli -i FILE.sr -P i2c") == true)
    let capture = #expect(throws: TraceError.self) { try Self.imported(archive, .saleae) }
    #expect(capture?.message.contains("as CSV") == true)
  }

  @Test("i2cdump output is imported as reads, blanks as no read, and 'XX' as a failed read")
  func dumps() throws {
    let table = """
           0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f    0123456789abcdef
      80:                         10 6e XX 66 32 00 5d 95            ?nX2.]?
      """
    let dump = try Self.imported("i2cdump -y -r 0x88-0x8f 1 0x76\n\(table)".utf8, .i2cTools)
    #expect(dump.transfers.count == 8)
    #expect(dump.transfers[0].description == "0x76  w 88  r 10")
    #expect(dump.transfers[2].error?.kind == .addressNack)
    var options = CaptureReader.Options()
    options.address = 0x76
    #expect(try Self.imported(table.utf8, .i2cTools, options).transfers == dump.transfers)
    let rows = (0..<16).map { row in
      String(row, radix: 16) + "0: "
        + (0..<16).map { String($0, radix: 16) + String(row, radix: 16) }.joined(separator: " ")
    }
    let blocks = try Self.imported(
      "i2cdump -y 1 0x76 i\n\(rows.joined(separator: "\n"))".utf8, .i2cTools)
    #expect(blocks.transfers.count == 8)
    #expect(blocks.transfers.allSatisfy { $0.messages[1].bytes.count == 32 })
    let words = try Self.imported("i2cdump -y 1 0x76 w\n88: 6e10 666c".utf8, .i2cTools)
    #expect(words.transfers.map(\.description) == ["0x76  w 88  r 10 6e", "0x76  w 89  r 6c 66"])
  }

  @Test(
    "the error for an invalid capture gives the line and the reason",
    arguments: [
      (CaptureKind.i2cTools, "0x60", 1, "bytes without the command"),
      (.i2cTools, "\n80: 10 6e", 2, "use --address"),
      (.i2cTools, "i2cget -y 1 0x76 0xd0\n0x6", 2, "'0x6' is not a byte"),
      (.i2cTools, "i2ctransfer -y 1 x1@0x76", 1, "'x1@0x76' is not a message"),
      (.i2cTools, "hello", 1, "no transfers in this i2c-tools capture"),
      (.ftrace, " 1.0: i2c_write: i2c-1 #0 a=076 f=0000 l=2 [d0]", 1, "1 byte instead of l=2"),
      (.ftrace, " 1.0: i2c_read: i2c-1 #0 a=fff f=0000 l=2", 1, "above 0x3ff"),
      (.ftrace, " 1.0: i2c_read: i2c-1 #0 a=076 f=0000 l=-2", 1, "l=-2 is not a valid length"),
      (.ftrace, " x: i2c_read: i2c-1 #0 a=076 f=0000 l=2", 1, "has no timestamp"),
      (.saleae, "a,b,c", 1, "not the columns"),
      (
        .saleae, "type,start_time,ack,address,read,data\nstart,soon,,,,", 2, "not a time in seconds"
      ),
      (
        .saleae, "Time [s],Packet ID,Address,Data,Read/Write,ACK/NAK\n0,0,0x76,0xD0,Read,ACK", 2,
        "0x76 does not include the read/write bit"
      ),
      (.sigrok, "i2c-1: Start\nfoo", 2, "not a line of sigrok"),
      (.sigrok, "i2c-1: ACK", 1, "ACK does not follow a byte"),
      (.sigrok, "i2c-1: Address write: EC", 1, "address_format=shifted"),
      (.vcd, "hello", 1, "is this a VCD file?"),
      (.vcd, "$var wire 1 ! D0 $end\n$enddefinitions $end", 2, "use --sda NAME (signals: D0)"),
      (
        .vcd, "$var wire 1 ! SCL $end $var wire 1 ? SDA $end $enddefinitions $end\n#5\n#4", 3,
        "the time decreases"
      ),
      (.vcd, "$timescale 3 ns $end", 1, "not a time scale"),
      (.busPirate, "[0xEC+0xD0]", 1, "not followed by + (ACK) or - (NACK)"),
      (.busPirate, "[0xEC+0xG0+]", 1, "'0xG0' is neither a byte"),
      (.periph, "{Addr: 0x76, W: []byte{0x100}}", 1, "'0x100' is not a numeric byte"),
    ])
  func refused(_ kind: CaptureKind, _ text: String, _ line: Int, _ reason: String) throws {
    let error = #expect(throws: TraceError.self) { try Self.imported(text.utf8, kind) }
    #expect(error?.line == line)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test("ftrace events of two buses are separated, and a lost event affects one transfer only")
  func ftraceBuses() throws {
    let text = """
       1.0: i2c_write: i2c-1 #0 a=076 f=0000 l=1 [d0]
       1.1: i2c_write: i2c-3 #0 a=050 f=0000 l=1 [00]
       1.2: i2c_result: i2c-3 n=1 ret=1
       1.3: i2c_result: i2c-1 n=1 ret=1
      """
    // The second transfer began later and ended first.
    let imported = try Self.imported(text.utf8, .ftrace)
    #expect(imported.summary.buses == [1, 3])
    #expect(imported.transfers.map(\.bus) == [1, 3])
    #expect(imported.transfers.map(\.time) == [0, 100_000_000])
    let lost = try Self.imported(
      (text.split(separator: "\n")[1...2].joined(separator: "\n")
        + "\n 2.0: i2c_result: i2c-1 n=2 ret=2")
        .utf8, .ftrace)
    #expect(lost.summary.omissions == ["transfers with missing events (1)"])
  }
}

extension UInt64 {
  fileprivate func absoluteDifference(_ other: UInt64) -> UInt64 {
    self > other ? self - other : other - self
  }
}
