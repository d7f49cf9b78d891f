import I2C
import I2CTrace
import Testing

/// A replay returns what was recorded.
struct ReplayTests {
  /// An adapter that returns counting bytes; each transfer takes 100 ns.
  final class Counter: I2CAdapter, I2CClock {
    let functionality = I2CFunctionality.standard
    let quirks = I2CQuirks(maxReadLength: 18)
    var nanoseconds: UInt64 = 0
    private var next: UInt8 = 0

    func wait(nanoseconds: UInt64) { self.nanoseconds += nanoseconds }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      nanoseconds += 100
      for index in segments.indices where segments[index].address == 0x77 {
        throw I2CError(.addressNack, message: index, errno: .eremoteio)
      }
      for index in segments.indices where segments[index].direction == .read {
        for offset in 0..<segments[index].count {
          reading[offset] = next
          next &+= 1
        }
      }
    }
  }

  /// Records the transfers of a closure on one bus.
  static func record(_ body: (any I2CAdapter, Counter) throws -> Void) rethrows -> String {
    var bytes: [UInt8] = []
    let counter = Counter()
    let header = TraceHeader(
      generator: "test", clock: "virtual",
      buses: [TraceHeader.Bus(number: 1, functionality: .standard, quirks: counter.quirks)])
    let recorder = TraceRecorder(TraceWriter(header, isBuffered: false) { bytes += $0 })
    try body(TracingAdapter(counter, bus: 1, clock: counter, recorder: recorder), counter)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func replay(_ text: String, _ strictness: Replay.Strictness = .strict) throws -> Replay {
    let reader = try TraceFormatTests.reader(text)
    return Replay(reader, bus: reader.header.buses[0], strictness: strictness)
  }

  /// Performs transfers, one of which fails; returns the bytes read.
  static func talk(_ bus: any I2CAdapter) throws -> [UInt8] {
    try bus.writeRegister(0xF4, 0x25, at: 0x76)
    let first = try bus.readRegister(0xD0, at: 0x76)
    #expect(throws: I2CError(.addressNack, errno: .eremoteio)) { try bus.probe(0x77) }
    return [first, try bus.readRegister(0xF3, at: 0x76)]
  }

  @Test("a replay returns the bytes, errors, limits and times of the recording")
  func sameAgain() throws {
    var read: [UInt8] = []
    var end: UInt64 = 0
    let text = try Self.record { bus, clock in
      clock.wait(nanoseconds: 5000)
      read = try Self.talk(bus)
      end = clock.nanoseconds
    }
    let replay = try Self.replay(text)
    #expect(replay.quirks.maxReadLength == 18)
    #expect(try Self.talk(replay) == read)
    #expect(replay.nanoseconds == end)
    replay.finish()
    #expect(replay.difference == nil)
  }

  @Test("strict: the first difference is reported with its line, and later requests fail")
  func strict() throws {
    let text = try Self.record { bus, _ in _ = try Self.talk(bus) }
    let replay = try Self.replay(text)
    try replay.writeRegister(0xF4, 0x25, at: 0x76)
    #expect(throws: I2CError.self) { try replay.readRegister(0xD1, at: 0x76) }
    #expect(replay.difference?.line == 3)
    #expect(replay.difference?.recorded?.messages[0].bytes == [0xD0])
    #expect(replay.difference?.requested?.messages[0].bytes == [0xD1])
    #expect(throws: I2CError.self) { try replay.readRegister(0xD0, at: 0x76) }
  }

  @Test("strict: remaining transfers and additional requests are differences")
  func leftOver() throws {
    let text = try Self.record { bus, _ in _ = try Self.talk(bus) }
    let short = try Self.replay(text)
    try short.writeRegister(0xF4, 0x25, at: 0x76)
    short.finish()
    #expect(short.difference?.line == 3)
    #expect(short.difference?.requested == nil)
    let long = try Self.replay(text)
    _ = try Self.talk(long)
    #expect(throws: I2CError.self) { try long.probe(0x76) }
    #expect(long.difference?.recorded == nil)
  }

  @Test(
    "lenient: loop counts may differ, recorded transfers may be skipped, and both are counted"
  )
  func lenient() throws {
    let text = try Self.record { bus, _ in
      for _ in 0..<3 { _ = try bus.readRegister(0xF3, at: 0x76) }
      _ = try bus.readRegister(0xD0, at: 0x50)
      _ = try bus.readRegister(0xF7, at: 0x76)
    }
    let fewer = try Self.replay(text, .lenient)
    #expect(try fewer.readRegister(0xF3, at: 0x76) == 0)
    #expect(try fewer.readRegister(0xF7, at: 0x76) == 4)
    #expect(fewer.repairs.skipped == 3)
    let more = try Self.replay(text, .lenient)
    #expect(try (0..<5).map { _ in try more.readRegister(0xF3, at: 0x76) } == [0, 1, 2, 2, 2])
    #expect(try more.readRegister(0xF7, at: 0x76) == 4)
    #expect(more.repairs == Replay.Repairs(skipped: 1, repeated: 2))
    #expect(throws: I2CError.self) { try more.readRegister(0xE0, at: 0x76) }
    #expect(more.difference != nil)
  }

  @Test("a trace that was cut off replays up to its end, and an invalid trace fails")
  func broken() throws {
    let text = try Self.record { bus, _ in _ = try Self.talk(bus) }
    let cut = try Self.replay(String(text.dropLast(20)))
    try cut.writeRegister(0xF4, 0x25, at: 0x76)
    _ = try cut.readRegister(0xD0, at: 0x76)
    #expect(cut.failure == nil)
    let wrong = try Self.replay(text.replacing("\"w\":\"d0\"", with: "\"w\":\"d\""))
    try wrong.writeRegister(0xF4, 0x25, at: 0x76)
    #expect(throws: I2CError.self) { try wrong.readRegister(0xD0, at: 0x76) }
    #expect((wrong.failure as? TraceError)?.line == 3)
  }
}
