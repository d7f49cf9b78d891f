import Forecasts
import Glibc
import Readings
import StationService
import Synchronization
import Testing

/// The retention and ownership of a station's data.
struct KeepingTests {
  /// A clock that the test sets.
  final class TestClock: Sendable {
    private let seconds: Mutex<Int>
    init(_ start: Int) { seconds = Mutex(start) }
    var now: Int {
      get { seconds.withLock { $0 } }
      set { seconds.withLock { $0 = newValue } }
    }
  }

  /// A source without readings.
  struct Still: ReadingSource {
    let kind: String
    let staleAfter = 30
    func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {}
  }

  static let start = 1_795_348_800  // 2026-11-22T12:00:00Z

  static func core(
    _ clock: TestClock, kind: String = "real", elapsed: TestClock? = nil
  ) throws -> StationCore {
    try StationCore(
      site: try ForesightTests.site(), source: Still(kind: kind),
      store: try ReadingStore(path: nil),
      forecasts: try ForecastSource(paths: [], now: { clock.now }), now: { clock.now },
      elapsed: { (elapsed ?? clock).now })
  }

  static func reading(_ time: Int) -> Reading {
    Reading(time: time, celsius: 20, humidity: 50, pascals: 100_900)
  }

  @Test("readings are kept for exactly the configured time, to the second")
  func retention() async throws {
    let clock = TestClock(Self.start)
    let core = try Self.core(clock)
    for hour in 0..<48 {
      clock.now = Self.start + hour * 3600
      try await core.take([Self.reading(clock.now)])
    }
    #expect(try core.store.count() == 48)
    #expect(try core.forget(olderThan: 48 * 3600) == 0)
    clock.now = Self.start + 400 * 86400
    #expect(try core.forget(olderThan: 400 * 86400) == 0)
    clock.now += 3600
    #expect(try core.forget(olderThan: 400 * 86400) == 1)
    clock.now += 3601
    #expect(try core.forget(olderThan: 400 * 86400) == 2)
    #expect(try core.store.count() == 45)
    clock.now += 100 * 86400
    try core.forget(olderThan: 400 * 86400)
    #expect(try core.store.count() == 0 && core.store.lastSequence() == 48)
  }

  @Test(
    "stepping the wall clock by an hour or ten years deletes no reading",
    arguments: [3601, -3601, 10 * 365 * 86400, -10 * 365 * 86400])
  func clockStep(seconds: Int) async throws {
    let (clock, elapsed) = (TestClock(Self.start), TestClock(1000))
    let core = try Self.core(clock, elapsed: elapsed)
    try await core.take([Self.reading(clock.now)])
    clock.now += 60 + seconds
    elapsed.now += 60
    #expect(throws: StationCore.ClockStep.self) { try core.forget(olderThan: 86400) }
    #expect(try core.store.count() == 1)
    // Once the time is correct again, old readings are deleted.
    clock.now += 2 * 86400 - seconds
    elapsed.now += 2 * 86400
    #expect(try core.forget(olderThan: 86400) == 1)
  }

  @Test(
    "after the wall clock is stepped, a station still issues forecasts every full hour",
    arguments: [3600, -3600, 10 * 365 * 86400, -10 * 365 * 86400])
  func issuesAfterStep(seconds: Int) async throws {
    let (clock, elapsed) = (TestClock(Self.start), TestClock(1000))
    let forecasts = try ForecastSource(paths: [], now: { clock.now })
    let core = try StationCore(
      site: try ForesightTests.site(), source: Still(kind: "real"),
      store: try ReadingStore(path: nil), forecasts: forecasts, now: { clock.now },
      elapsed: { elapsed.now })
    func pass(_ minutes: Int) async throws {
      // The sample has the date that the clock shows.
      forecasts.reload()
      for _ in 0..<(minutes / 5) {
        clock.now += 300
        elapsed.now += 300
        try await core.take([Self.reading(clock.now)])
      }
    }
    try await pass(150)
    clock.now += seconds
    let step = clock.now
    try await pass(180)
    // The clock is set back, as time synchronization does after a wrong time.
    clock.now -= seconds
    let back = clock.now
    try await pass(180)
    for first in [step, back] {
      for hour in 1...3 {
        // The forecast is issued at a full hour and valid for the fourth hour after it.
        let valid = (first / 3600 + hour) * 3600 + 4 * 3600
        let made = try core.store.forecasts(validFrom: valid, to: valid + 1, lead: 4 * 3600)
        #expect(made.count == 4, "hour \(hour)")
      }
    }
  }

  @Test(
    "the age of a reading is measured on the boot clock",
    arguments: [3600, -3600, 10 * 365 * 86400, -10 * 365 * 86400])
  func ageAfterStep(seconds: Int) async throws {
    let (clock, elapsed) = (TestClock(Self.start), TestClock(1000))
    let core = try Self.core(clock, elapsed: elapsed)
    let dispatcher = Dispatcher(
      core: core, source: try ForecastSource(paths: [], now: { clock.now }))
    func station() -> String {
      String(decoding: dispatcher.response("/v1/station", now: clock.now).body, as: UTF8.self)
    }
    try await core.take([Self.reading(clock.now)])
    clock.now += seconds + 10
    elapsed.now += 10
    #expect(station().contains(#""age_s":10,"#) && station().contains(#""status":"good""#))
    // The sensor is lost. Its last reading is stale after three intervals, although the reading's
    // time is in the future.
    clock.now += 30
    elapsed.now += 30
    #expect(station().contains(#""age_s":40,"#) && station().contains(#""status":"stale""#))
    // The sensor responds again.
    try await core.take([Self.reading(clock.now)])
    #expect(station().contains(#""age_s":0,"#) && station().contains(#""status":"good""#))
  }

  @Test("with a clock ten years ahead at the start, nothing is deleted on the station's first day")
  func aheadAtStart() async throws {
    let store = try ReadingStore(path: nil)
    _ = try store.append([Self.reading(Self.start - 60)])
    let clock = TestClock(Self.start + 10 * 365 * 86400)
    let elapsed = TestClock(20)
    let core = try StationCore(
      site: try ForesightTests.site(), source: Still(kind: "real"), store: store,
      forecasts: try ForecastSource(paths: [], now: { clock.now }), now: { clock.now },
      elapsed: { elapsed.now })
    #expect(try core.forget(olderThan: 400 * 86400) == 0)
    clock.now += 86400
    elapsed.now += 86400
    #expect(try core.forget(olderThan: 400 * 86400) == 1)
  }

  @Test(
    "real and simulated stations issue their forecasts every full hour",
    arguments: ["real", "simulated"])
  func hourly(kind: String) async throws {
    let clock = TestClock(Self.start)
    let core = try Self.core(clock, kind: kind)
    for minutes in stride(from: 5, through: 190, by: 5) {
      clock.now = Self.start + minutes * 60
      try await core.take([Self.reading(clock.now)])
    }
    #expect(try core.store.lastIssue() == Self.start + 3 * 3600)
    for hour in 1...3 {
      let valid = Self.start + (hour + 1) * 3600
      #expect(try core.store.forecasts(validFrom: valid, to: valid + 1, lead: 3600).count == 4)
    }
  }

  /// The error that ends an endless source.
  struct Enough: Error {}

  @Test(
    "a simulated station has data for all of yesterday, whatever the hour at which it starts",
    arguments: [0, 1, 11 * 3600, 21 * 3600, 22 * 3600 + 540, 86399])
  func yesterday(second: Int) async throws {
    let (site, day) = (try ForesightTests.site(), Self.start - 12 * 3600)
    let clock = TestClock(day + second)
    let forecasts = try ForecastSource(paths: [], now: { clock.now })
    let source = SimulatedSource(last: nil, now: { clock.now }) { moment in
      LocalAir.air(try? forecasts.forecast(at: site.location), site, at: moment)
    }
    let core = try StationCore(
      site: site, source: source, store: try ReadingStore(path: nil), forecasts: forecasts,
      now: { clock.now })
    await #expect(throws: Enough.self) {
      try await source.run { past in
        try await core.take(past)
        throw Enough()
      }
    }
    let score = try Score(day: day - 86400, core.store, site)
    for metric in Score.metrics {
      let errors = try #require(score.errors[metric])
      #expect(errors.model.count == 24 && errors.corrected.count == 24, "\(metric)")
    }
    // The last hours of the day are scored with future rain up to now.
    for method in Score.methods {
      #expect((score.barometer[method]?.count ?? 0) >= 18, "\(method)")
    }
  }

  @Test("a store belongs to one station, and only one process at a time can open it")
  func owner() throws {
    let path = "/tmp/station-owner-\(getpid()).sqlite"
    defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
    let site = try ForesightTests.site()
    let mine = StoreOwner(source: "real", site: site)
    let store = try ReadingStore(path: path)
    try store.claim(by: mine)
    #expect(throws: StoreError.self) { try ReadingStore(path: path) }
    try store.close()
    _ = consume store
    let again = try ReadingStore(path: path)
    try again.claim(by: mine)
    let location = try #require(GeoPoint(latitude: 41.1579, longitude: -8.6291))
    let moved = Site(name: "Porto", location: location, elevation: 60, radius: 10)
    for other in [
      StoreOwner(source: "simulated", site: site), StoreOwner(source: "real", site: moved),
      StoreOwner(
        source: "real", site: Site(name: "x", location: site.location, elevation: 61, radius: 10)),
    ] {
      #expect(throws: StoreError.self) { try again.claim(by: other) }
    }
    let other = StoreOwner(source: "real", site: moved)
    try again.claim(by: other, adopts: true)
    try again.claim(by: other)
    #expect(throws: StoreError.self) { try again.claim(by: mine) }
    try again.close()
  }

  @Test("a replay replaces the readings that an earlier replay stored for the same period")
  func replay() throws {
    let store = try ReadingStore(path: nil)
    _ = try store.append([0, 600, 1200].map { Self.reading(Self.start + $0) })
    let stored = try store.replace(with: [500, 1100, 1700].map { Self.reading(Self.start + $0) })
    #expect(stored.map(\.sequence) == [4, 5, 6])
    let times = try store.readings(from: Self.start, to: Self.start + 86400).map {
      $0.time - Self.start
    }
    #expect(times == [0, 500, 1100, 1700])
  }
}
