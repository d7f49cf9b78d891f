import Bridges
import Quantities
import TestSupport
import Testing
import Warehouse

/// The smaller parts of a hub: rates, the article's decoding, round robin, back-off, receivers,
/// exports, policies and studies.
struct HubPartTests {
  @Test("a jump in a value is flagged, and is accepted once a second reading confirms it")
  func rates() {
    var check = RateCheck(fastest: PerQuantity(temperature: 20, pressure: 2000, humidity: 60))
    func flagged(_ celsius: Double, at seconds: Int64) -> Bool {
      var reading = TagReading(
        hub: "h", sequence: 1, time: seconds * 1_000_000_000, tag: "t",
        values: AirReading(temperature: celsius))
      check.check(&reading)
      return reading.quality == .rate
    }
    #expect(!flagged(20, at: 0))
    #expect(!flagged(30, at: 60))
    #expect(flagged(80, at: 120))
    #expect(flagged(30, at: 121) == false)
    #expect(flagged(80, at: 122))
    #expect(!flagged(80, at: 123))
    #expect(flagged(30, at: 124))
  }

  @Test(
    "each zone has its own topic, and zones that would share a topic are reported",
    arguments: [
      ("cold room", "cold_room"), ("Käse", "K_c3_a4se"), ("Küse", "K_c3_bcse"), ("北", "_e5_8c_97"),
      ("a/b+c#", "a_2fb_2bc_23"), ("\u{7}", "_07"),
    ])
  func topics(name: String, topic: String) {
    #expect(WarehousePolicy.Zone(name, rules: []).topic == topic)
    let zones = [name, topic].map { WarehousePolicy.Zone($0, rules: []) }
    let policy = WarehousePolicy(hub: "h", zones: zones, tags: [], onCall: OnCallRoster([]))
    #expect(
      policy.errors.map { $0.message } == [
        "the zones '\(name)' and '\(topic)' would share the topic zone/\(topic)"
      ])
  }

  @Test(
    "the published article's code displays 1.25 times the actual humidity, minus 6 %",
    arguments: [(20.0, 19.0), (24, 24), (40, 44), (50, 56.5), (60, 69), (70, 81.5), (90, 106.5)])
  func article(_ right: Double, _ shown: Double) throws {
    let raw = UInt16((right * 655.36).rounded())
    let humidity = ArticleDecoding.humidity([0, 0x60, UInt8(raw & 0xFF), UInt8(raw >> 8)])
    #expect(abs(try #require(humidity) - shown) < 0.01)
  }

  @Test("the article's wrong humidity formula raises an alarm at 65 % already at an actual 56.8 %")
  func tripPoint() throws {
    let words = (0...UInt16.max).filter { $0 & 3 == 0 }
    let first = words.first { word in
      ArticleDecoding.humidity([0, 0x60, UInt8(word & 0xFF), UInt8(word >> 8)]) ?? 0 > 65
    }
    #expect(abs(Double(try #require(first)) / 655.36 - 56.8) < 0.01)
  }

  @Test(
    "the article's code copies a word for each byte, and so reads beyond the value")
  func overlong() {
    #expect(ArticleDecoding.words([0x40, 0x65, 0xBC, 0x7A], behind: []) == [0x6540, 0x7ABC, 0, 0])
    #expect(
      ArticleDecoding.words([0x40, 0x65, 0xBC, 0x7A], behind: [0x5F, 0x55, 0, 0])
        == [0x6540, 0x7ABC, 0x555F, 0])
  }

  @Test("the article's code receives only the first tag, and nothing after losing its connection")
  func singleTag() {
    var article = ArticleListening()
    let before = ["a", "b", "a"].map { article.hears($0) }
    article.loses("b")
    let between = article.hears("a")
    article.loses("a")
    let after = ["a", "b"].map { article.hears($0) }
    #expect(before == [true, false, true] && between && after == [false, false])
  }

  @Test("the catalogue page lists each defect of the published code completely")
  func catalogue() {
    #expect(TagDefect.all.map(\.id) == ["T01", "T02", "T03", "T04"])
    for defect in TagDefect.all {
      for part in [defect.title, defect.symptom, defect.fix, defect.evidence, defect.shownBy] {
        #expect(!part.isEmpty && TagDefect.page.contains(part))
      }
    }
  }

  @Test("tags take turns on the connections, once in each round, and a round has a known duration")
  func rotation() {
    let roundRobin = RoundRobin(
      tags: 10, connections: 4, stay: 20_000_000_000, connecting: 500_000_000)
    #expect(roundRobin.round == 66_000_000_000)
    #expect((0..<3).flatMap { Array(roundRobin.members(ofSlot: $0)) } == Array(0..<10))
    #expect(roundRobin.members(ofSlot: roundRobin.slot(at: roundRobin.round)) == 0..<4)
    let few = RoundRobin(tags: 3, connections: 4, stay: 1, connecting: 1)
    #expect(few.round == 0 && few.members(ofSlot: 7) == 0..<3)
  }

  @Test("retry delays double up to the maximum, and start again after a success")
  func backOff() {
    var backOff = BackOff(first: 1000, longest: 10_000)
    #expect(
      (0..<6).map { _ in backOff.wait(chance: 1) } == [1000, 2000, 4000, 8000, 10_000, 10_000])
    #expect(backOff.wait(chance: 0) == 5000)
    backOff.succeed()
    #expect(backOff.wait(chance: 1) == 1000)
  }

  @Test("a receiver accepts each record once, in any order, and reports its progress")
  func receiver() {
    var chance = Seeded("a receiver")
    var receiver = DeliveryReceiver()
    let sent = ((1...500).map(UInt64.init) + (1...500).map(UInt64.init)).shuffled(using: &chance)
    let taken = sent.filter { receiver.take(hub: "a", sequence: $0) }
    #expect(taken.sorted() == (1...500).map(UInt64.init), "seed \(chance.seed)")
    #expect(receiver.repeats == 500)
    #expect(receiver.through("a") == 500)
    let (isNone, isNew) = (
      receiver.take(hub: "b", sequence: 0), receiver.take(hub: "b", sequence: 2)
    )
    #expect(!isNone && isNew)
    #expect(receiver.through("b") == 0 && receiver.countBeyondGap("b") == 1)
  }

  @Test("fields in the table of alarms are quoted, and none is a spreadsheet formula")
  func table() throws {
    var store = Store(humid: true)
    try store.engine.take(
      .acknowledge(1, name: "=cmd()", note: "a \"b\", c", duration: nil), at: store.time(11))
    let lines = AlarmTable.csv(store.engine.alarmState.all).split(separator: "\r\n")
    #expect(lines.count == 2)
    #expect(lines[1].contains(#","a ""b"", c","#))
    #expect(lines[1].contains(",'=cmd(),"))
    #expect(lines[1].contains("humidity-high,alarm,65,2026-01-01T00:00:00.000000000Z"))
  }

  @Test(
    "limits in the wrong order are reported as such",
    arguments: [
      (
        [
          AlarmRule(.temperatureLow, .alarm, limit: -10),
          AlarmRule(.temperatureHigh, .alarm, limit: -25),
        ],
        "temperature-low alarm -10 must be below temperature-high alarm -25; they seem to be exchanged"
      ),
      (
        [
          AlarmRule(.temperatureHigh, .alarm, limit: 8),
          AlarmRule(.temperatureHigh, .warning, limit: 9),
        ],
        "temperature-high warning 9 must be below temperature-high alarm 8, so that the warning comes first"
      ),
      (
        [
          AlarmRule(.temperatureLow, .alarm, limit: 2),
          AlarmRule(.temperatureLow, .warning, limit: 1),
        ],
        "temperature-low warning 1 must be above temperature-low alarm 2, so that the warning comes first"
      ),
    ])
  func exchanged(_ rules: [AlarmRule], _ message: String) {
    var policy = Store.policy()
    policy.zones[0].rules = rules
    #expect(policy.errors.map(\.message) == ["the zone 'shelf': \(message)"])
  }

  @Test("alarm limits that are too close together, and tags in unknown zones, are reported")
  func mistakes() {
    var policy = Store.policy()
    #expect(policy.errors.isEmpty)
    policy.zones[0].rules.append(AlarmRule(.humidityHigh, .warning, limit: 64.5))
    policy.tags[0].zone = "attic"
    policy.missingPeriods = 2
    #expect(
      policy.errors.map { $0.message } == [
        "the zone 'shelf': humidity-high warning 64.5 and humidity-high alarm 65 are less than 1 apart",
        "the tag 'tag 1' is in the unknown zone 'attic'",
        "a tag counts as lost after at least 3 periods, not 2.0",
      ])
    #expect(
      policy.errors.map(\.location) == [
        .rule(policy.zones[0].rules.count - 1, zone: 0), .zoneOf(tag: 0), .whole,
      ])
  }

  @Test("escalation skips people off duty, unless all are off duty")
  func duty() {
    let night = OnCallRoster.Person("Nuno", hours: (22 * 60, 6 * 60))
    let day = OnCallRoster.Person("Dora", hours: (6 * 60, 22 * 60))
    let list = OnCallRoster([day, night])
    let midnight: Int64 = 1_767_225_600_000_000_000
    #expect(list.person(afterNotifying: 0, at: midnight) == "Nuno")
    #expect(list.person(afterNotifying: 0, at: midnight + 12 * 3_600_000_000_000) == "Dora")
    let offDuty = OnCallRoster([.init("Dora", hours: (6 * 60, 7 * 60))])
    #expect(offDuty.person(afterNotifying: 3, at: midnight) == "Dora")
  }

  @Test("a mapping study finds the hot, cold and typical locations from time-weighted means")
  func study() throws {
    func place(_ name: String, _ values: [(hour: Int64, celsius: Double)]) -> (String, [TagReading])
    {
      let readings = values.map {
        TagReading(
          hub: "h", sequence: 1, time: $0.hour * 3_600_000_000_000, tag: name,
          values: AirReading(temperature: $0.celsius))
      }
      return (name, readings)
    }
    let study = MappingStudy(
      [
        place("roof", [(0, 20), (1, 30)]), place("door", [(0, 12), (3, 22)]),
        place("middle", [(0, 21), (2, 22)]),
      ], span: 0..<(4 * 3_600_000_000_000), longestGap: 4 * 3_600_000_000_000)
    #expect(study.locations.map(\.mean.temperature) == [27.5, 14.5, 21.5])
    #expect(study.locations.map(\.coverage) == [1, 1, 1])
    let kinetic = try #require(study.locations[0].kineticMean)
    #expect(kinetic > 27.5 && kinetic < 30)
    #expect(
      study.monitors.map { "\($0.location): \($0.reasons.map(\.rawValue))" } == [
        #"roof: ["hottest", "widest"]"#, #"door: ["coldest"]"#, #"middle: ["typical"]"#,
      ])
  }

  @Test("the kind of a tag is identified by model number or services, never by name")
  func kinds() {
    #expect(TagCatalogue.kind(modelNumber: "CC2650 SensorTag", services: [])?.name == "cc2650")
    #expect(TagCatalogue.kind(modelNumber: nil, services: [0xAA20, 0xAA80])?.name == "cc2650")
    #expect(TagCatalogue.kind(modelNumber: nil, services: [0xAA20, 0xAA10])?.name == "cc2541")
    #expect(TagCatalogue.kind(modelNumber: "Kettle", services: [0x180A])?.name == nil)
  }
}
