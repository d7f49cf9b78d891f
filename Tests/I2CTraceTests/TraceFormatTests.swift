import I2C
import I2CTrace
import TestSupport
import Testing

/// The lines of a trace, written and read.
struct TraceFormatTests {
  static let header = """
    {"i2ctrace":1,"generator":"test","clock":"virtual","buses":[{"number":1,"frequency_hz":400000,\
    "funcs":"0x0eff0009","quirks":{}}]}

    """

  /// Reads a text in chunks of some bytes.
  static func reader(_ text: String, chunk: Int = 7) throws -> TraceReader {
    var rest = Array(text.utf8)[...]
    return try TraceReader {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(chunk) }
      return Array(rest.prefix(chunk))
    }
  }

  static func transfers(_ text: String) throws -> [TracedTransfer] {
    var reader = try reader(text)
    var transfers: [TracedTransfer] = []
    while let transfer = try reader.next() { transfers.append(transfer) }
    return transfers
  }

  static func written(_ transfers: [TracedTransfer], buses: Int = 1) -> String {
    var bytes: [UInt8] = []
    let header = TraceHeader(
      generator: "test", clock: "virtual", buses: (1...buses).map { TraceHeader.Bus(number: $0) })
    var writer = TraceWriter(header, isBuffered: true) { bytes += $0 }
    for transfer in transfers { writer.write(transfer) }
    writer.flush()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("the documented lines are read and written unchanged")
  func documented() throws {
    let lines = """
      {"t":1000,"d":97500,"a":"0x76","m":[{"w":"d0"},{"r":"60"}]}
      {"t":250000,"d":27500,"a":"0x77","m":[{"w":""}],"e":{"kind":"nack-address","errno":"ENXIO",\
      "message":0}}
      {"t":300000,"d":1,"a":"0x76","m":[{"w":"f4ff"}],"e":{"kind":"nack-data","errno":"EIO",\
      "message":0,"byte":1}}
      {"t":300001,"d":1,"a":"0x76","m":[{"w":"f7"},{"r":"","n":8}],"e":{"kind":"timeout",\
      "errno":"ETIMEDOUT","message":1}}
      {"t":300002,"d":1,"a":"0x76","m":[{"w":"f7"},{"a":"0x50","r":"2a","f":"0x0010"}]}

      """
    let transfers = try Self.transfers(Self.header + lines)
    #expect(transfers.count == 5)
    #expect(transfers[0].messages[1].bytes == [0x60])
    #expect(transfers[1].error == I2CError(.addressNack, errno: .enxio))
    #expect(transfers[2].error == I2CError(.dataNack, message: 0, byte: 1, errno: .eio))
    #expect(transfers[3].messages[1].segment.count == 8)
    #expect(transfers[4].messages[1].segment.address == 0x50)
    #expect(transfers[4].messages[1].segment.flags == .tenBit)
    let again = Self.written(transfers)
    #expect(again.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n" == lines)
  }

  @Test("any order of keys and any spaces are accepted")
  func general() throws {
    let line = """
      { "m": [ {"w":"D0"}, {"r":"60"} ], "a":"0x76", "t": 1000, "b": 1, "d": 97500, "more": [1] }

      """
    let expected = TracedTransfer(
      time: 1000, duration: 97_500, bus: 1,
      messages: [
        TracedMessage(.write(1, to: 0x76), [0xD0]), TracedMessage(.read(1, from: 0x76), [0x60]),
      ])
    #expect(try Self.transfers(Self.header + line) == [expected])
  }

  @Test("random transfers are read as they were written")
  func roundTrip() throws {
    var generator = Seeded("traces written and read")
    var time: UInt64 = 0
    let transfers = (0..<2000).map { _ in
      time += UInt64.random(in: 0...1_000_000, using: &generator)
      return Self.transfer(at: time, &generator)
    }
    #expect(try Self.transfers(Self.written(transfers, buses: 3)) == transfers)
  }

  static func transfer(at time: UInt64, _ generator: inout Seeded) -> TracedTransfer {
    let fails = Int.random(in: 0..<4, using: &generator) == 0
    let address = I2CAddress(rawValue: UInt16.random(in: 0...0x3FF, using: &generator)) ?? 0
    let messages = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      let count = Int.random(in: 0...9, using: &generator)
      let isRead = Bool.random(using: &generator)
      let flags: I2CSegment.Flags =
        Int.random(in: 0..<8, using: &generator) == 0 ? [.tenBit, .stop] : []
      let isOther = Int.random(in: 0..<8, using: &generator) == 0
      return TracedMessage(
        I2CSegment(
          address: isOther ? 0x51 : address, direction: isRead ? .read : .write, count: count,
          flags: flags),
        isRead && fails ? [] : (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      )
    }
    let kind = I2CError.Kind.allCases.randomElement(using: &generator) ?? .busError
    let error = I2CError(
      kind, message: messages.count - 1, byte: kind == .dataNack ? 3 : 0,
      errno: Bool.random(using: &generator) ? .eremoteio : I2CErrno(rawValue: 77))
    return TracedTransfer(
      time: time, duration: UInt64.random(in: 0...99, using: &generator),
      bus: Int.random(in: 1...3, using: &generator), messages: messages, error: fails ? error : nil)
  }

  @Test("a trace that was cut off is valid up to its last complete line")
  func cutOff() throws {
    let line = "{\"t\":1000,\"d\":1,\"a\":\"0x76\",\"m\":[{\"w\":\"d0\"}]}\n"
    let text = Self.header + line + line.replacing("1000", with: "2000")
    for end in (Self.header + line).utf8.count + 1..<text.utf8.count - 1 {
      var reader = try Self.reader(String(text.utf8.prefix(end)) ?? "")
      #expect(try reader.next()?.time == 1000)
      let error = #expect(throws: TraceError.self) { try reader.next() }
      #expect(error?.kind == .cutOff)
      #expect(error?.line == 3)
    }
    // Only the line feed is missing: the line is complete.
    #expect(try Self.transfers(String(text.dropLast())).count == 2)
  }

  @Test(
    "an invalid line is rejected with its line number",
    arguments: [
      ("{}", "t: is missing"), ("[]", "not a JSON object"), ("nonsense", "not a JSON object"),
      (#"{"t":-1,"d":1,"a":"0x76","m":[{"w":""}]}"#, "t: must be a whole number from 0"),
      (#"{"t":1.5,"d":1,"a":"0x76","m":[{"w":""}]}"#, "t: must be a whole number"),
      (#"{"t":1,"d":1,"a":"0x76","m":[{"w":"abc"}]}"#, "odd number of hexadecimal digits"),
      (#"{"t":1,"d":1,"a":"0x76","m":[{"w":"gg"}]}"#, "'gg' is not hexadecimal"),
      (#"{"t":1,"d":1,"a":"0x400","m":[{"w":""}]}"#, "a: must be an address"),
      (#"{"t":1,"d":1,"a":"76","m":[{"w":""}]}"#, "a: must be hexadecimal"),
      (#"{"t":1,"d":1,"a":"0x76","m":[]}"#, "m: has no messages"),
      (#"{"t":1,"d":1,"a":"0x76","m":[{}]}"#, "m[0].w: a message needs 'w' or 'r'"),
      (#"{"t":1,"d":1,"b":2,"a":"0x76","m":[{"w":""}]}"#, "the header lists no bus 2"),
      (#"{"t":1,"d":1,"a":"0x76","m":[{"r":"","n":8}]}"#, "a read has no bytes"),
      (
        #"{"t":1,"d":1,"a":"0x76","m":[{"w":""}],"e":{"kind":"odd","errno":"EIO","message":0}}"#,
        "e.kind: unknown kind 'odd' (accepted: "
      ),
      (
        #"{"t":1,"d":1,"a":"0x76","m":[{"w":""}],"e":{"kind":"timeout","errno":"EODD","message":0}}"#,
        "e.errno: unknown name 'EODD'"
      ),
    ])
  func mistakes(_ line: String, _ message: String) throws {
    let error = #expect(throws: TraceError.self) { try Self.transfers(Self.header + line + "\n") }
    #expect(error?.line == 2)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(
    "times, durations and seeds of all 64 bits are preserved",
    arguments: [0, 1 << 62, (1 << 63) - 1, 1 << 63, .max - 1, .max] as [UInt64])
  func large(_ number: UInt64) throws {
    let transfer = TracedTransfer(
      time: number, duration: number, bus: 1,
      messages: [TracedMessage(I2CSegment(address: 0x76, direction: .read, count: 1), [0x60])])
    let text = Self.written([transfer])
    #expect(try Self.transfers(text) == [transfer])
    // Another order of keys is parsed as general JSON.
    let general = #"{"d":\#(number),"t":\#(number),"a":"0x76","m":[{"r":"60"}]}"# + "\n"
    #expect(try Self.transfers(Self.header + general) == [transfer])
    let header = TraceHeader(
      generator: "test", clock: "virtual", seed: number, buses: [TraceHeader.Bus(number: 1)])
    var bytes: [UInt8] = []
    var writer = TraceWriter(header, isBuffered: true) { bytes += $0 }
    writer.flush()
    #expect(try Self.reader(String(decoding: bytes, as: UTF8.self)).header.seed == number)
  }

  @Test(
    "numbers of more than 64 bits are rejected",
    arguments: ["18446744073709551616", "99999999999999999999", "-1", "1e30", "0.5"])
  func tooLarge(_ number: String) {
    for line in [
      #"{"t":\#(number),"d":1,"a":"0x76","m":[{"r":"60"}]}"#,
      #"{"t":1,"d":\#(number),"a":"0x76","m":[{"r":"60"}]}"#,
    ] {
      let error = #expect(throws: TraceError.self) { try Self.transfers(Self.header + line + "\n") }
      #expect(
        error?.message.contains("must be a whole number from 0 to 18446744073709551615") == true)
    }
  }

  @Test("a decreasing time is rejected")
  func order() {
    let line = "{\"t\":2000,\"d\":1,\"a\":\"0x76\",\"m\":[{\"w\":\"\"}]}\n"
    let error = #expect(throws: TraceError.self) {
      try Self.transfers(Self.header + line + line.replacing("2000", with: "1999"))
    }
    #expect(error?.message == "t decreases from 2000 to 1999; lines are missing or reordered")
  }

  @Test(
    "an invalid header is rejected",
    arguments: [
      ("", "the trace is empty"), ("{\"a\":1}\n", "this is not a trace"),
      ("{\"i2ctrace\":2,\"buses\":[{\"number\":1}]}\n", "unknown version 2"),
      ("{\"i2ctrace\":1,\"buses\":[]}\n", "at least one bus"),
      ("{\"i2ctrace\":1,\"buses\":[{\"number\":1},{\"number\":1}]}\n", "each bus once"),
      ("{\"i2ctrace\":1,\"bu", "cut off in its header"),
    ])
  func headers(_ text: String, _ message: String) {
    let error = #expect(throws: TraceError.self) { try Self.reader(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("no input makes the reader trap")
  func fuzz() {
    var generator = Seeded("mutated traces")
    let text = Self.written(
      (0..<5).map { Self.transfer(at: UInt64($0) * 1000, &generator) }, buses: 3)
    var failures = 0
    for _ in 0..<Repetitions.mutations {
      var rest: [UInt8]? = Mutator.mutated(Array(text.utf8), using: &generator)
      do {
        var reader = try TraceReader {
          defer { rest = nil }
          return rest
        }
        while try reader.next() != nil {}
      } catch {
        failures += 1
      }
    }
    #expect((Repetitions.mutations / 2..<Repetitions.mutations).contains(failures))
  }

  @Test("a line of more than ten million bytes is rejected")
  func longLine() {
    var isFirst = true
    let chunk = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
    let error = #expect(throws: TraceError.self) {
      var reader = try TraceReader {
        defer { isFirst = false }
        return isFirst ? Array(Self.header.utf8) : chunk
      }
      _ = try reader.next()
    }
    #expect(error?.message.contains("longer than") == true)
  }
}
