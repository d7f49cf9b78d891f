import Quantities
import TestSupport
import Testing
import Warehouse

/// The life cycle of alarms, step by step.
struct AlarmLifeTests {
  static let tag = "A4:DA:32:00:00:01"

  @Test("a breach raises an alarm only if it persists for the delay")
  func delay() {
    var store = Store()
    store.humidity(66, at: 0)
    store.humidity(66, at: 9)
    #expect(store.engine.alarmState.all.isEmpty)
    store.humidity(64, at: 10)
    store.humidity(66, at: 11)
    store.humidity(67, at: 20)
    #expect(store.engine.alarmState.all.isEmpty)
    store.humidity(66.5, at: 21)
    let alarm = store.engine.alarmState.all.first
    #expect(alarm?.key.cause == .humidityHigh)
    #expect(alarm?.began == store.time(11))
    #expect(alarm?.raised == store.time(21))
    #expect(alarm?.peak == 67)
    #expect(alarm?.notifications.map(\.name) == ["Ana"])
  }

  @Test("an alarm returns to normal with hysteresis, and stays open until it is acknowledged")
  func latched() throws {
    var store = Store(humid: true)
    store.humidity(64, at: 11)
    #expect(store.alarm?.phase == .active)
    store.humidity(63, at: 12)
    #expect(store.alarm?.phase == .returned)
    #expect(store.alarm?.duration == store.minutes(12))
    store.advance(to: 600)
    let phases = store.engine.alarmState.all.map(\.phase)
    #expect(phases.contains(.returned))
    try store.acknowledge(1, at: 601)
    #expect(store.engine.alarmState.all.first?.phase == .closed)
  }

  @Test(
    "an acknowledged alarm closes on return to normal; an expired acknowledgement reactivates it")
  func acknowledged() throws {
    var store = Store(humid: true)
    try store.acknowledge(1, at: 11, minutes: 30)
    store.humidity(66, at: 12)
    #expect(store.alarm?.phase == .acknowledged)
    store.humidity(66, at: 41)
    #expect(store.alarm?.phase == .active)
    #expect(store.alarm?.notifications.map(\.name) == ["Ana", "Ana"])
    try store.acknowledge(1, at: 42)
    store.humidity(60, at: 43)
    #expect(store.engine.alarmState.all.map(\.phase) == [.closed])
    #expect(store.engine.alarmState.closed.first?.closedBy == nil)
  }

  @Test(
    "an unacknowledged alarm escalates to the next person, and after the last to the first again")
  func escalation() {
    var store = Store(humid: true)
    for minute in 11...60 { store.humidity(66, at: Double(minute)) }
    let notifications = store.alarm?.notifications ?? []
    #expect(notifications.map(\.name) == ["Ana", "Rui", "Eva", "Ana"])
    #expect(notifications.map(\.time) == [10, 25, 40, 55].map { store.time($0) })
  }

  @Test("an alarm that comes and goes reaches every person on call")
  func comesAndGoes() {
    var store = Store(humid: true)
    // Three minutes of each quarter of an hour are inside the limit; the delay of the limit is ten minutes.
    for minute in 11...60 { store.humidity(minute % 15 < 3 ? 60 : 66, at: Double(minute)) }
    let notifications = store.alarm?.notifications ?? []
    #expect(notifications.map(\.name) == ["Ana", "Rui", "Eva", "Ana"])
    #expect(notifications.map(\.time) == [10, 28, 43, 58].map { store.time($0) })
  }

  @Test(
    "a recurrence within the escalation time reminds the same person and does not delay the next")
  func reminder() {
    var store = Store(humid: true)
    store.humidity(60, at: 11)
    for minute in 12...30 { store.humidity(66, at: Double(minute)) }
    let notifications = store.alarm?.notifications ?? []
    #expect(notifications.map(\.name) == ["Ana", "Ana", "Rui"])
    // The next person is notified after 15 minutes, but not within the quiet time after the reminder.
    #expect(notifications.map(\.time) == [10, 22, 27].map { store.time($0) })
  }

  @Test(
    "a lost tag raises an alarm after three reporting periods, and pending breaches are discarded")
  func lost() {
    var store = Store()
    store.humidity(66, at: 5)
    store.advance(to: 34.9)
    #expect(store.engine.alarmState.all.isEmpty)
    store.advance(to: 35)
    #expect(store.engine.alarmState.all.map(\.key.cause) == [.missing])
    #expect(store.engine.alarmState.pending.isEmpty)
    store.humidity(66, at: 60)
    #expect(store.engine.alarmState.all.first?.phase == .returned)
    #expect(store.engine.alarmState.all.first?.peak == 5.5)
    store.humidity(66, at: 69)
    #expect(store.engine.alarmState.all.count == 1)
  }

  @Test(
    "a tag that no longer sends what its zone limits is lost, whatever else it sends",
    arguments: [false, true])
  func silentSensor(isFlagged: Bool) {
    var store = Store()
    store.humidity(50, at: 0)
    for minute in stride(from: 10, through: 60, by: 10) {
      store.other(at: Double(minute), quality: isFlagged ? .silent : [])
    }
    // The fault of a flagged reading is an alarm of its own.
    #expect(store.alarm?.key.cause == (isFlagged ? .sensorFault : .missing))
    guard !isFlagged else { return }
    #expect(store.alarm?.began == store.time(0))
    store.humidity(50, at: 61)
    #expect(store.alarm?.phase == .returned)
  }

  @Test("a tag that has never sent what its zone limits is lost, and a person can close the alarm")
  func neverMeasured() throws {
    var store = Store()
    for minute in stride(from: 0, through: 40, by: 10) { store.other(at: Double(minute)) }
    let alarm = try #require(store.alarm)
    #expect(alarm.key.cause == .missing)
    try store.engine.take(
      .close(alarm.number, name: "Ana", note: "battery"), at: store.time(41))
    store.other(at: 50)
    store.advance(to: 200)
    #expect(store.alarm == nil)
    store.humidity(50, at: 201)
    store.advance(to: 240)
    #expect(store.alarm?.key.cause == .missing)
  }

  @Test("an alarm that is acknowledged cannot be closed while its sensor reports")
  func closeAcknowledged() throws {
    var store = Store(humid: true)
    try store.acknowledge(1, at: 11)
    let rejection = #expect(throws: HubCommand.Rejection.self) {
      try store.engine.take(.close(1, name: "Ana", note: ""), at: store.time(12))
    }
    #expect("\(try #require(rejection))".contains("closes when its value returns to normal"))
  }

  @Test(
    "a person can close an alarm only if its sensor is lost, not while the sensor still reports")
  func closing() throws {
    var store = Store(humid: true)
    let close = HubCommand.close(1, name: "Rui", note: "crushed")
    #expect(throws: HubCommand.Rejection.self) {
      try store.engine.take(close, at: store.time(11))
    }
    store.advance(to: 40)
    try store.engine.take(close, at: store.time(41))
    try store.engine.take(.close(2, name: "Rui", note: "crushed"), at: store.time(41))
    #expect(store.engine.alarmState.all.map(\.phase) == [.closed, .closed])
    #expect(store.engine.alarmState.closed.first?.closedBy?.note == "crushed")
    // If a tag's no-data alarm was closed, no new one is raised until the tag reports again.
    store.advance(to: 500)
    #expect(store.engine.alarmState.all.count == 2)
    store.humidity(50, at: 501)
    store.advance(to: 540)
    #expect(store.engine.alarmState.all.count == 3)
  }

  @Test("a breach in a silenced zone becomes an alarm at the first reading after the silence")
  func silence() throws {
    var store = Store()
    try store.engine.take(
      .silence(zone: "shelf", name: "Ana", note: "delivery", duration: store.minutes(60)),
      at: store.time(0))
    for minute in stride(from: 1.0, through: 59, by: 5) { store.humidity(70, at: minute) }
    #expect(store.engine.alarmState.all.isEmpty)
    let held = store.log.filter { if case .heldBack = $0.event { true } else { false } }
    #expect(held.count == 1)
    store.humidity(70, at: 61)
    #expect(store.alarm?.raised == store.time(61))
    #expect(store.alarm?.began == store.time(1))
  }

  @Test("flagged values raise a sensor fault alarm, which ends when valid values arrive")
  func fault() {
    var store = Store()
    store.humidity(99, at: 1, quality: .off)
    #expect(store.engine.alarmState.all.map(\.key.cause) == [.sensorFault])
    store.humidity(99, at: 20, quality: .range)
    #expect(store.engine.alarmState.all.map(\.key.cause) == [.sensorFault])
    store.humidity(50, at: 21)
    #expect(store.engine.alarmState.all.map(\.phase) == [.returned])
  }

  @Test("a battery warning notifies only the first person on call")
  func battery() {
    var store = Store()
    store.humidity(50, at: 1, battery: 9)
    for minute in 2...100 { store.humidity(50, at: Double(minute), battery: 12) }
    #expect(store.alarm?.key.cause == .batteryLow)
    #expect(store.alarm?.notifications.count == 1)
    #expect(store.alarm?.phase == .active)
    store.humidity(50, at: 101, battery: 100)
    #expect(store.engine.alarmState.all.map(\.phase) == [.returned])
  }

  @Test("a change of the limits does not affect existing alarms")
  func storedLimits() {
    var store = Store(humid: true)
    var policy = store.engine.policy
    policy.zones[0].rules[0].limit = 80
    store.engine = AlarmEngine(policy, alarmState: store.engine.alarmState, at: store.time(11))
    store.humidity(70, at: 12)
    #expect(store.alarm?.phase == .active)
    #expect(store.alarm?.rule.limit == 65)
    #expect(store.alarm?.peak == 70)
  }

  @Test(
    "after a jump, the delay starts at the second high reading (50 to 90 %, limit 60 %, 5 s)"
  )
  func fastBreach() throws {
    var policy = Store.policy()
    policy.zones[0].rules = [
      AlarmRule(.humidityHigh, .alarm, limit: 60, onDelay: 5_000_000_000)
    ]
    policy.tags[0].period = 60_000_000_000
    var core = WarehouseCore(policy, at: Store.start)
    for second in Int64(0)...25 {
      core.take([
        TagReading(
          hub: "", sequence: 0, time: Store.start + second * 1_000_000_000, tag: Self.tag,
          values: AirReading(humidity: second == 0 ? 50 : 90), characteristic: "AA21")
      ])
    }
    let alarm = try #require(core.alarmState.all.first { $0.key.cause == .humidityHigh })
    #expect(alarm.raised == Store.start + 7_000_000_000)
  }

  @Test("a chattering alarm is notified once per quiet time, and again after it if still active")
  func flapping() {
    var store = Store()
    for second in 0..<60 {
      let isFaulty = second.isMultiple(of: 2)
      store.humidity(50, at: Double(second) / 60, quality: isFaulty ? .off : [])
    }
    #expect(store.alarm?.notifications.count == 1)
    store.humidity(50, at: 1, quality: .off)
    store.advance(to: 4.9)
    #expect(store.alarm?.notifications.count == 1)
    store.advance(to: 5.1)
    #expect(store.alarm?.notifications.map(\.name) == ["Ana", "Ana"])
  }
}
