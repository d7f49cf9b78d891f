package import Forecasts
import Glibc
import Logging
package import Readings
import Synchronization

/// The station at work: takes readings, stores them, makes forecasts each hour, tells those who listen.
package final class StationCore: Sendable {
  private struct State {
    var snapshot: StationSnapshot
    var lastIssue: Int?
    var listeners: [Int: AsyncStream<Reading?>.Continuation] = [:]
    var nextListener = 0
  }

  /// How many may listen at once.
  private static let mostListeners = 200

  /// Where it stands.
  package let site: Site
  /// Where its readings come from.
  package let source: any ReadingSource
  /// What it remembers.
  package let store: ReadingStore
  private let forecasts: ForecastSource
  private let now: @Sendable () -> Int
  private let elapsed: @Sendable () -> Int
  /// The wall clock at the start, less the time that had elapsed by then.
  private let origin: Int
  private let state: Mutex<State>

  /// Creates a station with what is stored already.
  ///
  /// - Parameters:
  ///   - site: where it stands.
  ///   - source: where its readings come from.
  ///   - store: what it remembers.
  ///   - forecasts: the weather forecasts that it compares with.
  ///   - now: the wall clock, in seconds since 1970.
  ///   - elapsed: a clock in seconds that nobody sets; default: the time since boot.
  /// - Throws: an error of the store.
  package init(
    site: Site, source: any ReadingSource, store: ReadingStore, forecasts: ForecastSource,
    now: @escaping @Sendable () -> Int,
    elapsed: @escaping @Sendable () -> Int = StationCore.sinceBoot
  ) throws {
    (self.site, self.source, self.store) = (site, source, store)
    (self.forecasts, self.now, self.elapsed) = (forecasts, now, elapsed)
    origin = now() - elapsed()
    let known = try StationState(store, site, at: now() + 1)
    let forecast = try? forecasts.forecast(at: site.place)
    let offset = try known.reading.flatMap { last in
      try forecast.flatMap { try StationOffset.find(store, site, $0, at: last.time + 1) }
    }
    state = Mutex(
      State(
        snapshot: StationSnapshot(state: known, offset: offset), lastIssue: try store.lastIssue()))
  }

  /// The seconds since boot, suspension included.
  @Sendable package static func sinceBoot() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }

  /// The wall clock was set while the station ran, so that the age of what is stored is not known.
  package struct ClockStep: Error, CustomStringConvertible {
    /// By how many seconds, since the start of the station.
    package let seconds: Int

    package var description: String {
      "the clock was set by \(seconds) s while the station ran: no reading is dropped until it starts again"
    }
  }

  /// The largest step of the wall clock at which old readings are still dropped, in seconds.
  private static let largestStep = 3600

  /// Drops what is older than so many seconds.
  ///
  /// - Returns: how many readings were dropped.
  /// - Throws: `ClockStep` if the wall clock was set by more than an hour, and then drops nothing: ten years ahead,
  ///   every reading would look old; else an error of the store.
  @discardableResult
  package func forget(olderThan keep: Int) throws -> Int {
    let step = now() - elapsed() - origin
    guard abs(step) <= Self.largestStep else { throw ClockStep(seconds: step) }
    return try store.drop(before: now() - keep)
  }

  /// What was known after the last reading.
  func snapshot() -> StationSnapshot { state.withLock { $0.snapshot } }

  /// Takes readings, those of the past together.
  package func take(_ readings: [Reading]) async throws {
    guard !readings.isEmpty else { return }
    let isPast = readings.count > 1
    let stored =
      try isPast && source.replaces ? store.replace(with: readings) : store.append(readings)
    guard let last = stored.last else { return }
    let forecast = try? forecasts.forecast(at: site.place)
    if let forecast {
      try issue(forecast, until: last.time, since: isPast ? stored.first?.time : nil)
    }
    let known = try StationState(store, site, at: last.time + 1)
    let offset = try forecast.flatMap {
      try StationOffset.find(store, site, $0, at: last.time + 1)
    }
    let listeners = state.withLock { state in
      state.snapshot = StationSnapshot(state: known, offset: offset)
      return Array(state.listeners.values)
    }
    for reading in stored.suffix(1) {
      for listener in listeners { listener.yield(reading) }
    }
  }

  /// Makes the forecasts of the full hours that have come.
  ///
  /// A simulated station makes up for its past, which begins with `first`, from what was known then; others only make
  /// the present hour's.
  private func issue(_ forecast: PointForecast, until time: Int, since first: Int?) throws {
    let hour = time - CivilTime.modulo(time, 3600)
    let last = state.withLock { $0.lastIssue }
    var from = hour
    if let first, source.kind == "simulated" { from = first + CivilTime.modulo(-first, 3600) }
    if let last { from = max(from, last + 3600) }
    guard from <= hour, now() - hour < 48 * 3600 || source.kind == "simulated" else { return }
    for moment in stride(from: from, through: hour, by: 3600) {
      let made = try ForecastIssue.make(at: moment, forecast, store, site)
      try store.record(made.forecasts, made.barometer)
    }
    state.withLock { $0.lastIssue = hour }
  }

  /// Begins to listen; `nil` when too many do.
  func listen() -> (number: Int, readings: AsyncStream<Reading?>)? {
    let (stream, continuation) = AsyncStream<Reading?>.makeStream(
      bufferingPolicy: .bufferingNewest(16))
    let number: Int? = state.withLock { state in
      guard state.listeners.count < Self.mostListeners else { return nil }
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    return number.map { ($0, stream) }
  }

  /// Lets those who listen know that they are still heard.
  func beat() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(nil) }
  }

  /// Ends listening.
  func leave(_ number: Int) {
    let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
    listener?.finish()
  }

  /// Ends all listening, for the program stops.
  func leaveAll() {
    let listeners = state.withLock { state in
      let all = Array(state.listeners.values)
      state.listeners = [:]
      return all
    }
    for listener in listeners { listener.finish() }
  }
}
