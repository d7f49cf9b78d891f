import Quantities
import TestSupport
import Testing
import Warehouse

/// The core of a hub: one way from readings to records, and what a start remembers.
struct CoreTests {
  private static let tag = AlarmLifeTests.tag
  private static let minute: Int64 = 60_000_000_000

  private static func reading(_ humidity: Double?, at minutes: Int64, battery: Int? = nil)
    -> TagReading
  {
    TagReading(
      hub: "", sequence: 0, time: Store.start + minutes * minute, tag: tag, kind: "cc2650",
      values: AirReading(humidity: humidity), battery: battery,
      characteristic: humidity == nil ? "" : "AA21")
  }

  @Test("records come in the order in which things happened, each with what it says")
  func records() throws {
    var core = WarehouseCore(Store.policy(), at: Store.start)
    core.take([Self.reading(66, at: 0), Self.reading(67.12345, at: 10, battery: 50)])
    core.take([
      TagReading(hub: "", sequence: 0, time: Store.start, tag: "A4:DA:32:FF:FF:FF")
    ])
    let records = core.takeRecords()
    #expect(records.map(\.kind) == ["reading", "alarm", "reading", "alarm", "alarm"])
    #expect(records.map(\.key) == [Self.tag, "hub", Self.tag, "1", "1"])
    let body = try #require(records.dropFirst(2).first?.body)
    #expect(
      body
        == #"{"tag":"A4:DA:32:00:00:01","name":"tag 1","zone":"shelf","model":"cc2650","humidity_rh":67.123,"battery":50,"characteristic":"AA21"}"#
    )
    for record in records {
      guard case .alarm(let entry) = record else { continue }
      #expect(AlarmEntry(time: record.time, body: record.body) == entry)
    }
    #expect(AlarmEntry(time: 0, body: "{}") == nil && AlarmEntry(time: 0, body: "{\"ev") == nil)
    #expect(core.counts.strangers == 1 && core.counts.readings == 2)
    #expect(core.tags[0].values.humidity == 67.12345 && core.tags[0].battery == 50)
    #expect(core.takeRecords().isEmpty)
  }

  @Test("what tells of the battery alone is no fault, and changes no value")
  func batteryAlone() {
    var core = WarehouseCore(Store.policy(), at: Store.start)
    core.take([Self.reading(50, at: 0), Self.reading(nil, at: 1, battery: 3)])
    #expect(core.tags[0].values.humidity == 50 && core.tags[0].battery == 3)
    #expect(core.book.open.values.map(\.key.cause) == [.batteryLow])
  }

  @Test("a tag that was silent before a start is told a period behind it, since it was last heard")
  func lastSeen() throws {
    var log: [AlarmEntry] = []
    let heard = [Self.tag: Store.start]
    // A hub that starts every 25 minutes would never come to three periods of 10 minutes.
    for begin in stride(from: Int64(5), through: 80, by: 25) {
      var core = WarehouseCore(
        Store.policy(), book: AlarmBook(replaying: log), heard: heard,
        at: Store.start + begin * Self.minute)
      for minute in begin...(begin + 24) { core.advance(to: Store.start + minute * Self.minute) }
      log += core.takeRecords().compactMap {
        if case .alarm(let entry) = $0 { entry } else { nil }
      }
    }
    let alarms = AlarmBook(replaying: log).all
    #expect(alarms.map(\.key.cause) == [.missing])
    let alarm = try #require(alarms.first)
    #expect(alarm.began == Store.start && alarm.raised == Store.start + 40 * Self.minute)
    // Without what was remembered it is never told.
    var forgetful = WarehouseCore(Store.policy(), at: Store.start + 30 * Self.minute)
    forgetful.advance(to: Store.start + 54 * Self.minute)
    #expect(forgetful.book.all.isEmpty)
  }

  @Test("a loss that was closed by hand stays closed behind a start, until the tag was heard again")
  func givenUp() throws {
    var keeper = AlarmKeeper(Store.policy(), at: Store.start)
    keeper.advance(to: Store.start + 31 * Self.minute)
    try keeper.take(.close(1, name: "Ana", note: "crushed"), at: Store.start + 32 * Self.minute)
    let log = keeper.takeEntries()
    func later(_ heard: Int64) -> [ZoneAlarm] {
      var next = AlarmKeeper(
        Store.policy(), book: AlarmBook(replaying: log), heard: [Self.tag: heard],
        at: Store.start + 60 * Self.minute)
      next.advance(to: Store.start + 600 * Self.minute)
      return Array(next.book.open.values)
    }
    #expect(later(Store.start).isEmpty)
    #expect(later(Store.start + 40 * Self.minute).map(\.key.cause) == [.missing])
  }

  @Test("a book keeps the last closed alarms, and does not grow for ever")
  func bounded() throws {
    var keeper = AlarmKeeper(Store.policy(), book: AlarmBook(mostClosed: 10), at: Store.start)
    for number in 1...100 {
      let minute = Int64(number) * 3
      keeper.take(Self.reading(50, at: minute, battery: 5))
      try keeper.take(
        .acknowledge(UInt64(number), name: "Ana", note: "", duration: nil),
        at: Store.start + minute * Self.minute)
      keeper.take(Self.reading(50, at: minute + 1, battery: 90))
      #expect(keeper.book.closed.last?.number == UInt64(number))
      #expect(keeper.book.closed.count < 20)
    }
    #expect(keeper.book.closed.suffix(10).map(\.number) == Array(91...100))
  }
}
