import Quantities
import TestSupport
import Testing
import Warehouse

/// The core of a hub, which turns readings into records, and its state after a restart.
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

  @Test("records are in chronological order and contain all data")
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
    #expect(core.counts.unexpected == 1 && core.counts.readings == 2)
    #expect(core.tags[0].values.humidity == 67.12345 && core.tags[0].battery == 50)
    #expect(core.takeRecords().isEmpty)
  }

  @Test("a battery notification raises no sensor fault and changes no measured value")
  func batteryAlone() {
    var core = WarehouseCore(Store.policy(), at: Store.start)
    core.take([Self.reading(50, at: 0), Self.reading(nil, at: 1, battery: 3)])
    #expect(core.tags[0].values.humidity == 50 && core.tags[0].battery == 3)
    #expect(core.alarmState.open.values.map(\.key.cause) == [.batteryLow])
  }

  @Test("a tag that was silent before a restart raises an alarm one period after it")
  func lastSeen() throws {
    var log: [AlarmEntry] = []
    let heard = [Self.tag: Store.start]
    // Otherwise a hub that restarts every 25 minutes would never detect a tag that is silent for
    // three periods of 10 minutes.
    for begin in stride(from: Int64(5), through: 80, by: 25) {
      var core = WarehouseCore(
        Store.policy(), alarmState: AlarmState(replaying: log), lastReceived: heard,
        at: Store.start + begin * Self.minute)
      for minute in begin...(begin + 24) { core.advance(to: Store.start + minute * Self.minute) }
      log += core.takeRecords().compactMap {
        if case .alarm(let entry) = $0 { entry } else { nil }
      }
    }
    let alarms = AlarmState(replaying: log).all
    #expect(alarms.map(\.key.cause) == [.missing])
    let alarm = try #require(alarms.first)
    #expect(alarm.began == Store.start && alarm.raised == Store.start + 40 * Self.minute)
    // If the core does not get the stored times, no alarm is raised.
    var forgetful = WarehouseCore(Store.policy(), at: Store.start + 30 * Self.minute)
    forgetful.advance(to: Store.start + 54 * Self.minute)
    #expect(forgetful.alarmState.all.isEmpty)
  }

  @Test(
    "a no-data alarm closed by a person stays closed after a restart until the tag reports again")
  func givenUp() throws {
    var engine = AlarmEngine(Store.policy(), at: Store.start)
    engine.advance(to: Store.start + 31 * Self.minute)
    try engine.take(.close(1, name: "Ana", note: "crushed"), at: Store.start + 32 * Self.minute)
    let log = engine.takeEntries()
    func later(_ heard: Int64) -> [ZoneAlarm] {
      var next = AlarmEngine(
        Store.policy(), alarmState: AlarmState(replaying: log), lastReceived: [Self.tag: heard],
        at: Store.start + 60 * Self.minute)
      next.advance(to: Store.start + 600 * Self.minute)
      return Array(next.alarmState.open.values)
    }
    #expect(later(Store.start).isEmpty)
    #expect(later(Store.start + 40 * Self.minute).map(\.key.cause) == [.missing])
  }

  @Test("the alarm state keeps only a limited number of closed alarms")
  func bounded() throws {
    var engine = AlarmEngine(
      Store.policy(), alarmState: AlarmState(mostClosed: 10), at: Store.start)
    for number in 1...100 {
      let minute = Int64(number) * 3
      engine.take(Self.reading(50, at: minute, battery: 5))
      try engine.take(
        .acknowledge(UInt64(number), name: "Ana", note: "", duration: nil),
        at: Store.start + minute * Self.minute)
      engine.take(Self.reading(50, at: minute + 1, battery: 90))
      #expect(engine.alarmState.closed.last?.number == UInt64(number))
      #expect(engine.alarmState.closed.count < 20)
    }
    #expect(engine.alarmState.closed.suffix(10).map(\.number) == Array(91...100))
  }
}
