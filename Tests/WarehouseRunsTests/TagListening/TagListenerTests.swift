import BluetoothLE
import Quantities
import SensorTags
import TestSupport
import Testing
import VirtualI2C
import Warehouse
import WarehouseRuns

/// The readings that a listener receives from virtual tags, and the handling of failures.
struct TagListenerTests {
  @Test("both kinds of tags are identified and decoded with the formula for their sensor")
  func kinds() throws {
    let bench = ListeningBench([.cc2650, .cc2541])
    bench.tags[0].battery = 81
    bench.listen()
    bench.wait(seconds: 20)
    let (newer, older) = (
      try #require(bench.readings(of: 0).last), try #require(bench.readings(of: 1).last)
    )
    #expect([newer.kind, older.kind] == ["cc2650", "cc2541"])
    for (reading, celsius) in [(newer, 20.0), (older, 21.0)] {
      #expect(abs(try #require(reading.values.temperature) - celsius) < 0.2)
      #expect(abs(try #require(reading.values.humidity) - 60) < 0.3)
      #expect(reading.isGood && reading.raw.count == 4 && reading.firmware == "1.20")
      #expect(try #require(reading.rssi) < -40)
    }
    #expect(newer.battery == 81)
    let pressure = try #require(bench.readings(of: 0, "AA41").last?.values.pressure)
    #expect(abs(pressure - 100_653) < 10)
    #expect(bench.readings(of: 1, "AA41").isEmpty)
    // Each tag is connected and set up within three seconds, and then reports once per second.
    for place in 0...1 { #expect((14...20).contains(bench.readings(of: place).count)) }
    #expect(bench.listener?.contacts.map(\.phase) == [.listening, .listening])
    bench.tags[0].battery = 9
    bench.wait(seconds: 2)
    #expect(bench.readings(of: 0).last?.battery == 9)
  }

  @Test("a tag measures continuously for periods of up to 2.55 s, and on demand for longer periods")
  func periods() {
    for (period, count) in [(500, 118...122), (2500, 23...25), (10_000, 6...7), (60_000, 1...2)] {
      let bench = ListeningBench()
      bench.listen(period: Int64(period) * 1_000_000)
      bench.wait(seconds: 5)
      bench.forget()
      let measured = bench.tags[0].measurements
      bench.wait(seconds: 60)
      #expect(
        count.contains(bench.readings(of: 0).count), "\(period): \(bench.readings(of: 0).count)")
      // A sensor that is enabled for one measurement performs no other.
      #expect(bench.tags[0].measurements - measured <= 2 * bench.readings(of: 0).count + 2)
      #expect(bench.readings.allSatisfy { $0.isGood })
    }
  }

  @Test(
    "twenty tags take turns on three connections, and each reports once per round")
  func rotation() throws {
    let bench = ListeningBench(Array(repeating: .cc2650, count: 20), connections: 3)
    bench.listen(connections: 3, stay: 10_000_000_000)
    let round = UInt64(try #require(bench.listener).round)
    #expect(round == 7 * 11_500_000_000)
    #expect(bench.news.first == .round(tags: 20, connections: 3, time: Int64(round)))
    bench.air.wait(nanoseconds: round)
    for _ in 0..<3 {
      bench.forget()
      bench.air.wait(nanoseconds: round)
      for place in 0..<20 { #expect(bench.readings(of: place).count >= 3, "tag \(place)") }
    }
    #expect(bench.listener?.counts.failures == 0)
  }

  @Test("twenty tags on a dongle with twenty connections are all connected")
  func many() {
    let bench = ListeningBench(Array(repeating: .cc2541, count: 20), connections: 20)
    bench.listen(connections: 20)
    bench.wait(seconds: 60)
    #expect(bench.listener?.contacts.allSatisfy { $0.phase == .listening } == true)
    #expect(bench.listener?.round == 0)
  }

  @Test("if a dongle supports fewer connections than configured, the tags take turns")
  func fewer() {
    let bench = ListeningBench(Array(repeating: .cc2650, count: 10), holds: 4)
    bench.listen(connections: 20, stay: 10_000_000_000)
    bench.wait(seconds: 60)
    #expect(bench.news.contains(.fewerConnections(4)))
    bench.forget()
    bench.wait(seconds: 80)
    for place in 0..<10 { #expect(!bench.readings(of: place).isEmpty, "tag \(place)") }
  }

  @Test("a dead tag is retried at growing intervals, does not slow other tags, and recovers")
  func dead() throws {
    let bench = ListeningBench([.cc2650, .cc2650])
    bench.listen(absent: 1)
    bench.wait(seconds: 20)
    bench.setPower(false, of: 0)
    bench.forget()
    bench.wait(seconds: 600)
    #expect(bench.readings(of: 0).isEmpty)
    #expect(bench.readings(of: 1).count > 570)
    let lost = bench.news.filter { $0 == .lost(tag: ListeningBench.name(2), .unheard) }
    #expect((3...9).contains(lost.count), "\(lost.count)")
    bench.setPower(true, of: 0)
    bench.wait(seconds: 310)
    #expect(!bench.readings(of: 0).isEmpty)
    #expect(bench.listener?.contacts[0].failures == 0)
    let contact = try #require(bench.listener?.contacts[2])
    #expect(contact.lastSeen == nil && contact.failures > 3)
  }

  @Test("a tag out of range is reported as lost, and delivers readings again when back in range")
  func reach() {
    let bench = ListeningBench([.cc2541])
    bench.listen()
    bench.wait(seconds: 20)
    bench.radios[0].position = BLEPosition(x: 500)
    bench.wait(seconds: 20)
    #expect(bench.listener?.contacts[0].phase != .listening)
    #expect(bench.news.contains(.lost(tag: ListeningBench.name(0), .disconnected(0x08))))
    bench.radios[0].position = BLEPosition(x: 3)
    bench.forget()
    bench.wait(seconds: 120)
    #expect(bench.readings(of: 0).count > 30)
  }

  @Test("with a packet loss of 50 %, readings are delayed, but none is lost")
  func losses() {
    let bench = ListeningBench([.cc2650, .cc2541, .cc2650], loss: 0.5)
    bench.listen()
    bench.wait(seconds: 120)
    for place in 0..<3 { #expect(bench.readings(of: place).count > 60, "tag \(place)") }
  }

  @Test("a sensor that fails its test is reported as silent, and recovers")
  func selfTest() throws {
    let bench = ListeningBench()
    bench.tags[0].parts[0].setSupply(false, at: 0)
    bench.listen()
    bench.wait(seconds: 30)
    let readings = bench.readings(of: 0)
    #expect(readings.count >= 3 && readings.allSatisfy { $0.quality == .silent && $0.raw.isEmpty })
    #expect(bench.readings(of: 0, "AA41").count > 20)
    bench.tags[0].parts[0].setSupply(true, at: bench.air.nanoseconds)
    bench.forget()
    bench.wait(seconds: 30)
    #expect(bench.readings(of: 0).filter { $0.isGood }.count > 20)
    // The sensor fails during a measurement, so the tag notifies zeros, which are flagged.
    bench.tags[0].parts[0].setSupply(false, at: bench.air.nanoseconds)
    bench.forget()
    bench.wait(seconds: 30)
    #expect(
      bench.readings(of: 0).dropFirst(2).allSatisfy { $0.quality == .off || $0.quality == .silent })
    #expect(bench.readings(of: 0).last?.values.humidity == nil)
  }

  @Test("the same seed always produces the same readings")
  func repeatable() {
    func run() -> [TagReading] {
      let bench = ListeningBench([.cc2650, .cc2541], loss: 0.2)
      bench.listen()
      bench.wait(seconds: 60)
      return bench.readings
    }
    let (one, two) = (run(), run())
    #expect(one == two && one.count > 50)
  }
}
