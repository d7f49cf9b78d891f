import Quantities
import TestSupport
import Testing
import Warehouse

/// The life of alarms, told step by step.
struct AlarmLifeTests {
  static let tag = "A4:DA:32:00:00:01"

  @Test("a breach that lasts for its delay is told, one that is shorter is not")
  func delay() {
    var store = Store()
    store.humidity(66, at: 0)
    store.humidity(66, at: 9)
    #expect(store.keeper.book.all.isEmpty)
    store.humidity(64, at: 10)
    store.humidity(66, at: 11)
    store.humidity(67, at: 20)
    #expect(store.keeper.book.all.isEmpty)
    store.humidity(66.5, at: 21)
    let alarm = store.keeper.book.all.first
    #expect(alarm?.key.cause == .humidityHigh)
    #expect(alarm?.began == store.time(11))
    #expect(alarm?.raised == store.time(21))
    #expect(alarm?.peak == 67)
    #expect(alarm?.told.map(\.name) == ["Ana"])
  }

  @Test("it is over behind its hysteresis, and stays until somebody has acknowledged it")
  func latched() throws {
    var store = Store(humid: true)
    store.humidity(64, at: 11)
    #expect(store.alarm?.phase == .active)
    store.humidity(63, at: 12)
    #expect(store.alarm?.phase == .returned)
    #expect(store.alarm?.duration == store.minutes(12))
    store.advance(to: 600)
    let phases = store.keeper.book.all.map(\.phase)
    #expect(phases.contains(.returned))
    try store.acknowledge(1, at: 601)
    #expect(store.keeper.book.all.first?.phase == .closed)
  }

  @Test("what is acknowledged is closed when it is over, and counts again when its time is up")
  func acknowledged() throws {
    var store = Store(humid: true)
    try store.acknowledge(1, at: 11, minutes: 30)
    store.humidity(66, at: 12)
    #expect(store.alarm?.phase == .acknowledged)
    store.humidity(66, at: 41)
    #expect(store.alarm?.phase == .active)
    #expect(store.alarm?.told.map(\.name) == ["Ana", "Ana"])
    try store.acknowledge(1, at: 42)
    store.humidity(60, at: 43)
    #expect(store.keeper.book.all.map(\.phase) == [.closed])
    #expect(store.keeper.book.closed.first?.closedBy == nil)
  }

  @Test("nobody answers: the next is told, and behind the last the first again")
  func escalation() {
    var store = Store(humid: true)
    for minute in 11...60 { store.humidity(66, at: Double(minute)) }
    let told = store.alarm?.told ?? []
    #expect(told.map(\.name) == ["Ana", "Rui", "Eva", "Ana"])
    #expect(told.map(\.time) == [10, 25, 40, 55].map { store.time($0) })
  }

  @Test("a tag that is lost is told after three periods, and what was on its way is taken back")
  func lost() {
    var store = Store()
    store.humidity(66, at: 5)
    store.advance(to: 34.9)
    #expect(store.keeper.book.all.isEmpty)
    store.advance(to: 35)
    #expect(store.keeper.book.all.map(\.key.cause) == [.missing])
    #expect(store.keeper.book.pending.isEmpty)
    store.humidity(66, at: 60)
    #expect(store.keeper.book.all.first?.phase == .returned)
    #expect(store.keeper.book.all.first?.peak == 5.5)
    store.humidity(66, at: 69)
    #expect(store.keeper.book.all.count == 1)
  }

  @Test("a breach whose sensor is lost can be closed, and one whose sensor is heard cannot")
  func closing() throws {
    var store = Store(humid: true)
    let close = HubCommand.close(1, name: "Rui", note: "crushed")
    #expect(throws: HubCommand.Refusal.self) {
      try store.keeper.take(close, at: store.time(11))
    }
    store.advance(to: 40)
    try store.keeper.take(close, at: store.time(41))
    try store.keeper.take(.close(2, name: "Rui", note: "crushed"), at: store.time(41))
    #expect(store.keeper.book.all.map(\.phase) == [.closed, .closed])
    #expect(store.keeper.book.closed.first?.closedBy?.note == "crushed")
    // Nobody is told a second time of a tag that was given up, until it is heard again.
    store.advance(to: 500)
    #expect(store.keeper.book.all.count == 2)
    store.humidity(50, at: 501)
    store.advance(to: 540)
    #expect(store.keeper.book.all.count == 3)
  }

  @Test("a door that stands open on purpose is silent for its time, and told at once behind it")
  func silence() throws {
    var store = Store()
    try store.keeper.take(
      .silence(zone: "shelf", name: "Ana", note: "delivery", duration: store.minutes(60)),
      at: store.time(0))
    for minute in stride(from: 1.0, through: 59, by: 5) { store.humidity(70, at: minute) }
    #expect(store.keeper.book.all.isEmpty)
    let held = store.log.filter { if case .heldBack = $0.happening { true } else { false } }
    #expect(held.count == 1)
    store.humidity(70, at: 61)
    #expect(store.alarm?.raised == store.time(61))
    #expect(store.alarm?.began == store.time(1))
  }

  @Test("flagged values are no values: they are told as a fault, and over when the part is well")
  func fault() {
    var store = Store()
    store.humidity(99, at: 1, quality: .off)
    #expect(store.keeper.book.all.map(\.key.cause) == [.sensorFault])
    store.humidity(99, at: 20, quality: .range)
    #expect(store.keeper.book.all.map(\.key.cause) == [.sensorFault])
    store.humidity(50, at: 21)
    #expect(store.keeper.book.all.map(\.phase) == [.returned])
  }

  @Test("a battery that is nearly empty is told to the first on duty alone")
  func battery() {
    var store = Store()
    store.humidity(50, at: 1, battery: 9)
    for minute in 2...100 { store.humidity(50, at: Double(minute), battery: 12) }
    #expect(store.alarm?.key.cause == .batteryLow)
    #expect(store.alarm?.told.count == 1)
    #expect(store.alarm?.phase == .active)
    store.humidity(50, at: 101, battery: 100)
    #expect(store.keeper.book.all.map(\.phase) == [.returned])
  }

  @Test("a change of the limits changes no alarm that there is")
  func storedLimits() {
    var store = Store(humid: true)
    var policy = store.keeper.policy
    policy.zones[0].rules[0].limit = 80
    store.keeper = AlarmKeeper(policy, book: store.keeper.book, at: store.time(11))
    store.humidity(70, at: 12)
    #expect(store.alarm?.phase == .active)
    #expect(store.alarm?.rule.limit == 65)
    #expect(store.alarm?.peak == 70)
  }

  @Test(
    "a jump that holds counts for its limit from its second reading on (50 to 90 %, limit 60 %, delay 5 s)"
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
    let alarm = try #require(core.book.all.first { $0.key.cause == .humidityHigh })
    #expect(alarm.raised == Store.start + 7_000_000_000)
  }

  @Test("an alarm that flaps is told once in its quiet time, and at its end if it lasts")
  func flapping() {
    var store = Store()
    for second in 0..<60 {
      let isFaulty = second.isMultiple(of: 2)
      store.humidity(50, at: Double(second) / 60, quality: isFaulty ? .off : [])
    }
    #expect(store.alarm?.told.count == 1)
    store.humidity(50, at: 1, quality: .off)
    store.advance(to: 4.9)
    #expect(store.alarm?.told.count == 1)
    store.advance(to: 5.1)
    #expect(store.alarm?.told.map(\.name) == ["Ana", "Ana"])
  }
}
