import Barometry
import TestSupport
import Testing

/// A history accepts valid points and rejects invalid ones.
struct PressureHistoryTests {
  @Test("a point of exactly the maximum age is kept")
  func retention() throws {
    var history = PressureHistory(retention: 2 * TimeSpan.hour)
    for step in 0...4 {
      try history.append(
        PressurePoint(time: Int64(step) * 30 * TimeSpan.minute, pascals: 100_000))
    }
    history.dropExpired(at: 2 * TimeSpan.hour)
    #expect(history.points.count == 5)
    history.dropExpired(at: 2 * TimeSpan.hour + 1)
    #expect(history.points.first?.time == 30 * TimeSpan.minute)
  }

  @Test("points out of order and impossible pressures are rejected, and the history is unchanged")
  func rejection() throws {
    var history = PressureHistory()
    try history.append(PressurePoint(time: 10, pascals: 100_000))
    for point in [PressurePoint(time: 10, pascals: 1), PressurePoint(time: 9, pascals: 1)] {
      #expect(throws: PressureHistory.AppendError.outOfOrder) { try history.append(point) }
    }
    for pascals in [0, -1, .nan, .infinity] as [Double] {
      #expect(throws: PressureHistory.AppendError.notAPressure) {
        try history.append(PressurePoint(time: 20, pascals: pascals))
      }
    }
    #expect(history.points.count == 1)
  }

  @Test(
    "stored times near the limits of 64 bits are ignored", arguments: [Int64.min, .max])
  func ends(_ time: Int64) throws {
    let now = 1_800_000_000 * TimeSpan.second
    let point = PressurePoint(time: now - TimeSpan.hour, pascals: 100_000)
    #expect(throws: PressureHistory.AppendError.notATime) {
      var history = PressureHistory()
      try history.append(PressurePoint(time: time, pascals: 100_000))
    }
    let bytes = HistoryRecordTests.stored([PressurePoint(time: time, pascals: 100_000), point])
    var history = PressureHistory()
    #expect(history.recover(from: bytes.span, now: now) == .complete(records: 2))
    history.dropExpired(at: now)
    #expect(history.points == [point])
    _ = history.latestRun(withoutGapsOver: TimeSpan.hour)
    #expect(throws: ThesisForecaster.ForecastError.self) {
      try ThesisForecaster().forecast(from: history, at: now)
    }
  }

  @Test("a history never exceeds its capacity")
  func capacity() throws {
    var history = PressureHistory(retention: Int64.max)
    for time in 0..<Int64(PressureHistory.capacity + 10) {
      try history.append(PressurePoint(time: time, pascals: 100_000))
    }
    #expect(history.points.count == PressureHistory.capacity)
    #expect(history.points.first?.time == 10)
  }
}

/// The stored bytes of a history survive a crash, and damage is detected.
struct HistoryRecordTests {
  static func stored(_ points: [PressurePoint]) -> [UInt8] {
    let header = HistoryRecord.header
    var bytes = header.indices.map { header[$0] }
    for point in points {
      let record = HistoryRecord.encode(point)
      bytes += record.indices.map { record[$0] }
    }
    return bytes
  }

  static let points = (0..<5).map {
    PressurePoint(time: Int64($0) * TimeSpan.hour, pascals: 100_000 + Double($0) / 3)
  }

  @Test("encoded points are decoded to the same values")
  func complete() {
    var history = PressureHistory(retention: 10 * TimeSpan.hour)
    let bytes = Self.stored(Self.points)
    let recovery = history.recover(from: bytes.span, now: 10 * TimeSpan.hour)
    #expect(recovery == .complete(records: 5))
    #expect(history.points == Self.points)
  }

  @Test("every complete record in a truncated file is recovered")
  func torn() {
    let bytes = Self.stored(Self.points)
    for length in 0..<bytes.count {
      var history = PressureHistory(retention: 10 * TimeSpan.hour)
      let cut = Array(bytes[..<length])
      let recovery = history.recover(from: cut.span, now: 10 * TimeSpan.hour)
      let records = max(0, (length - 8) / HistoryRecord.length)
      let validLength = length < 8 ? 0 : 8 + records * HistoryRecord.length
      let expected: HistoryRecovery =
        length == 0 || length == validLength
        ? .complete(records: records) : .torn(records: records, validLength: validLength)
      #expect(recovery == expected, "cut at \(length)")
      #expect(history.points == Array(Self.points.prefix(records)))
    }
  }

  @Test("a flipped bit in a stored history is detected and never changes a pressure")
  func flippedBits() {
    let bytes = Self.stored(Self.points)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        var history = PressureHistory(retention: 10 * TimeSpan.hour)
        let recovery = history.recover(from: damaged.span, now: 10 * TimeSpan.hour)
        if index < 8 {
          #expect(recovery == .foreign)
        } else {
          let record = (index - 8) / HistoryRecord.length
          let offset = 8 + record * HistoryRecord.length
          #expect(
            recovery
              == (record == 4
                ? .torn(records: 4, validLength: offset) : .damaged(offset: offset)))
        }
        #expect(history.points.allSatisfy(Self.points.contains))
      }
    }
  }

  @Test("points with a time in the future are rejected")
  func future() {
    var history = PressureHistory(retention: 10 * TimeSpan.hour)
    let bytes = Self.stored(Self.points)
    _ = history.recover(from: bytes.span, now: 2 * TimeSpan.hour)
    #expect(history.points.count == 2)
  }

  @Test("random bytes neither trap nor are accepted as a history")
  func randomBytes() {
    var generator = Seeded("random history files")
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...100, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var history = PressureHistory()
      _ = history.recover(from: bytes.span, now: Int64.max)
      #expect(history.points.isEmpty)
    }
  }
}
