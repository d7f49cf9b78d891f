package import Forecasts
import Glibc
import Logging
package import Readings
import Synchronization

/// The station at work: takes readings, stores them, makes forecasts each hour, tells those who listen.
package final class StationCore: Sendable {
  private struct State {
    var snapshot: StationSnapshot
    /// The hour, by the wall clock, of the last forecasts.
    var lastIssue: Int?
    var listeners: [Int: AsyncStream<Reading?>.Continuation] = [:]
    var nextListener = 0
    /// What was measured since a moment, as of the last reading.
    var measured: (start: Int, sequence: Int64, air: MeasuredAir)?
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
  /// The start, on the clock that is never set.
  private let start: Int
  /// When the newest reading was made that was stored before the start; `nil` for an empty store.
  private let newest: Int?
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
    elapsed: @escaping @Sendable () -> Int = BootClock.seconds
  ) throws {
    (self.site, self.source, self.store) = (site, source, store)
    (self.forecasts, self.now, self.elapsed) = (forecasts, now, elapsed)
    (origin, start) = (now() - elapsed(), elapsed())
    newest = try store.last()?.time
    let known = try StationState(store, site, at: now() + 1)
    let forecast = try? forecasts.forecast(at: site.place)
    let offset = try known.reading.flatMap { last in
      try forecast.flatMap { try StationOffset.find(store, site, $0, at: last.time + 1) }
    }
    let made = known.reading.map { elapsed() - (now() - $0.time) }
    state = Mutex(
      State(
        snapshot: StationSnapshot(state: known, offset: offset, made: made),
        lastIssue: try store.lastIssue(before: now() + 1)))
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

  /// For how long after a start nothing is dropped if all that was stored before looks too old, in seconds: a clock may
  /// be years ahead until a server of time has set it right.
  private static let settling = 86400

  /// Drops what is older than so many seconds; in the first day not all that was stored before the start.
  ///
  /// - Returns: how many readings were dropped.
  /// - Throws: `ClockStep` if the wall clock was set by more than an hour, and then drops nothing: ten years ahead,
  ///   every reading would look old; else an error of the store.
  @discardableResult
  package func forget(olderThan keep: Int) throws -> Int {
    let step = now() - elapsed() - origin
    guard abs(step) <= Self.largestStep else { throw ClockStep(seconds: step) }
    let limit = now() - keep
    if let newest, newest < limit, elapsed() - start < Self.settling { return 0 }
    return try store.drop(before: limit)
  }

  /// What was known after the last reading.
  func snapshot() -> StationSnapshot { state.withLock { $0.snapshot } }

  /// How far the last reading is to be trusted now, by the clock that is never set.
  func quality() -> (status: String, reasons: [String]) {
    snapshot().quality(at: elapsed(), source)
  }

  /// The age of the last reading in seconds, by the clock that is never set; `nil` if it is not known.
  func age() -> Int? { snapshot().age(at: elapsed()) }

  /// What the sensor measured since a moment; kept until the next reading.
  ///
  /// - Parameters:
  ///   - start: in seconds since 1970.
  ///   - now: the wall clock.
  /// - Returns: the means; `nil` if the store cannot be read now.
  func measured(from start: Int, to now: Int) -> MeasuredAir? {
    let sequence = snapshot().state.reading?.sequence ?? 0
    if let kept = state.withLock({ $0.measured }), kept.start == start, kept.sequence == sequence {
      return kept.air
    }
    guard let air = try? MeasuredAir(store, from: start, to: now) else { return nil }
    state.withLock { $0.measured = (start, sequence, air) }
    return air
  }

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
    // A reading that comes alone is of this moment, whatever its time is by a clock that was set since.
    let made = elapsed() - (isPast ? max(0, now() - last.time) : 0)
    let listeners = state.withLock { state in
      state.snapshot = StationSnapshot(state: known, offset: offset, made: made)
      return Array(state.listeners.values)
    }
    for reading in stored.suffix(1) {
      for listener in listeners { listener.yield(reading) }
    }
  }

  /// Makes the forecasts of the full hours that have come.
  ///
  /// A simulated station makes up for its past, which begins with `first`, from what was known then; others only make
  /// the present hour's. Each hour that the wall clock shows has its forecasts, also if it was set back meanwhile: an hour
  /// that comes again keeps those that were made first.
  private func issue(_ forecast: PointForecast, until time: Int, since first: Int?) throws {
    let hour = time - CivilTime.modulo(time, 3600)
    let last = state.withLock { $0.lastIssue }
    var from = hour
    if let first, source.kind == "simulated" { from = first + CivilTime.modulo(-first, 3600) }
    if last == hour { return }
    if let last, last < hour { from = max(from, last + 3600) }
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
