package import Forecasts
import Glibc
import Hummingbird
import Logging
import NIOCore
package import Readings
import ServiceLifecycle
import ServiceMachine
import Support
import Synchronization

/// The station, which stores readings, issues forecasts every hour, and notifies listeners.
package final class StationCore: Sendable {
  private struct State {
    var snapshot: StationSnapshot
    /// The hour on the wall clock for which forecasts were last issued.
    var lastIssue: Int?
    var learner = StationLearner()
    var learned: [CorrectedMetric: LearnedCorrection] = [:]
    var listeners: [Int: AsyncStream<Reading?>.Continuation] = [:]
    var nextListener = 0
    /// The readings that could not be stored yet, oldest first.
    var waiting: [Reading] = []
    /// The reason why the store cannot be written; `nil` if it can.
    var problem: String?
    /// The measurements as of the last reading, which are cached.
    var measured: (start: Int, sequence: Int64, air: MeasuredAir)?
  }

  /// The maximum number of listeners.
  private static let mostListeners = 200

  /// The maximum number of readings that wait for a store that cannot be written: a week of one reading every 10 s.
  private static let mostWaiting = 60_480

  /// The site of the station.
  package let site: Site
  /// The source of readings.
  package let source: any ReadingSource
  /// The database with readings and issued forecasts.
  package let store: ReadingStore
  /// The limits of weather warnings.
  package let warnings: WarningLimits
  private let forecasts: ForecastSource
  private let now: @Sendable () -> Int
  private let elapsed: @Sendable () -> Int
  private let report: @Sendable (String) -> Void
  /// The difference between the wall clock and the elapsed time when the station started, in
  /// seconds.
  private let origin: Int
  /// The time on the boot clock when the station started, in seconds.
  private let start: Int
  /// The time of the newest reading that was stored before the station started; `nil` if the store
  /// was empty.
  private let newest: Int?
  private let state: Mutex<State>

  /// Creates a station that continues from its store.
  ///
  /// - Parameters:
  ///   - site: The site of the station.
  ///   - source: The source of readings.
  ///   - store: The database.
  ///   - forecasts: The weather forecasts with which readings are compared.
  ///   - warnings: The limits of weather warnings. Default: those of `WarningLimits`.
  ///   - now: The function that returns the wall-clock time in seconds since 1970.
  ///   - elapsed: The function that returns the seconds on a clock that cannot be set. Default: the
  ///     time since boot.
  ///   - report: The function that receives lines for the log. Default: they are dropped.
  /// - Throws: An error of the store.
  package init(
    site: Site, source: any ReadingSource, store: ReadingStore, forecasts: ForecastSource,
    warnings: WarningLimits = WarningLimits(),
    now: @escaping @Sendable () -> Int,
    elapsed: @escaping @Sendable () -> Int = MachineClocks.bootSeconds,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.site, self.source, self.store, self.report) = (site, source, store, report)
    self.warnings = warnings
    (self.forecasts, self.now, self.elapsed) = (forecasts, now, elapsed)
    (origin, start) = (now() - elapsed(), elapsed())
    newest = try store.last()?.time
    let known = try StationState(store, site, at: now() + 1)
    let forecast = try? forecasts.forecast(at: site.location)
    let offset = try known.reading.flatMap { last in
      try forecast.flatMap { try StationOffset.find(store, site, $0, at: last.time + 1) }
    }
    let made = known.reading.map { elapsed() - (now() - $0.time) }
    var learner = StationLearner()
    let lastIssue = try store.lastIssue(before: now() + 1)
    if let lastIssue { try learner.learn(until: lastIssue - 3600, from: store, site) }
    let learned = learner.learned
    let correction = offset.map { StationCorrection(offset: $0, learned: learned) }
    state = Mutex(
      State(
        snapshot: StationSnapshot(state: known, correction: correction, made: made),
        lastIssue: lastIssue, learner: learner, learned: learned))
  }

  /// A step of the wall clock while the station was running, after which the ages of stored data
  /// are uncertain.
  package struct ClockStep: Error, CustomStringConvertible {
    /// The change of the wall clock relative to the elapsed time since the start of the station, in
    /// seconds.
    package let seconds: Int

    package var description: String {
      "the clock was set by \(seconds) s while the station was running: no readings are deleted until it is restarted"
    }
  }

  /// The largest step of the wall clock, in seconds, after which old readings are still deleted.
  private static let largestStep = 3600

  /// The time after the start, in seconds, during which nothing is deleted if all data stored
  /// before the start looks too old.
  ///
  /// The data may only look old because the clock is years ahead until time synchronization sets
  /// it.
  private static let settling = 86400

  /// Deletes data older than a number of seconds; on the first day, it never deletes everything
  /// that was stored before the start.
  ///
  /// - Returns: The number of deleted readings.
  /// - Throws: `ClockStep`, without deleting anything, if the wall clock was stepped by more than
  ///   an hour, because every reading would look old to a clock that is years ahead; otherwise an
  ///   error of the store.
  @discardableResult
  package func forget(olderThan keep: Int) throws -> Int {
    let step = now() - elapsed() - origin
    guard abs(step) <= Self.largestStep else { throw ClockStep(seconds: step) }
    let limit = now() - keep
    if let newest, newest < limit, elapsed() - start < Self.settling { return 0 }
    return try store.drop(before: limit)
  }

  /// Returns the state after the last reading.
  func snapshot() -> StationSnapshot { state.withLock { $0.snapshot } }

  /// Returns the quality of the last reading, whose age is measured on the boot clock.
  func quality() -> (status: String, reasons: [String]) {
    snapshot().quality(at: elapsed(), source)
  }

  /// Returns the age of the last reading in seconds on the boot clock; `nil` if it is unknown.
  func age() -> Int? { snapshot().age(at: elapsed()) }

  /// Returns the measurements since a time, which are cached until the next reading.
  ///
  /// - Parameters:
  ///   - start: The start in seconds since 1970.
  ///   - now: The wall-clock time in seconds since 1970.
  /// - Returns: The measurements; `nil` if the store cannot be read now.
  func measured(from start: Int, to now: Int) -> MeasuredAir? {
    let sequence = snapshot().state.reading?.sequence ?? 0
    if let kept = state.withLock({ $0.measured }), kept.start == start, kept.sequence == sequence {
      return kept.air
    }
    guard let air = try? MeasuredAir(store, from: start, to: now) else { return nil }
    state.withLock { $0.measured = (start, sequence, air) }
    return air
  }

  /// The number of readings that could not be stored yet.
  package var waiting: Int { state.withLock { $0.waiting.count } }

  /// Processes readings; past readings are passed together.
  ///
  /// If the store cannot be written, for example because its disk is full, readings are kept in memory, and shown, until it
  /// can be written again.
  ///
  /// - Parameter readings: The readings, oldest first.
  /// - Throws: An error of the store that does not pass, such as a damaged file.
  package func take(_ readings: [Reading]) async throws {
    guard !readings.isEmpty else { return }
    let isPast = readings.count > 1
    let waiting = state.withLock { $0.waiting }
    let stored: [Reading]
    do {
      stored =
        try isPast && source.replaces
        ? store.replace(with: readings) : store.append(waiting + readings)
    } catch  where StoreError.mayPass(error) {
      return hold(waiting + readings, error)
    }
    state.withLock { $0.waiting = [] }
    do {
      try show(stored, isPast: isPast)
      let problem = state.withLock { state in
        defer { state.problem = nil }
        return state.problem
      }
      if problem != nil {
        report("the store can be written again, and contains the readings that waited")
      }
    } catch  where StoreError.mayPass(error) {
      note(error)
    }
  }

  /// Keeps readings in memory that could not be stored, and shows the last one.
  private func hold(_ readings: [Reading], _ error: any Error) {
    guard var last = readings.last else { return }
    let listeners = state.withLock { state in
      // The sequence number that it gets once it is stored.
      let stored = (state.snapshot.state.reading?.sequence ?? 0) - Int64(state.waiting.count)
      last.sequence = stored + Int64(readings.count)
      state.waiting = Array(readings.suffix(Self.mostWaiting))
      state.snapshot.state.reading = last
      state.snapshot.state.seaLevel = last.pascals.map {
        site.seaLevel(pascals: $0, celsius: last.celsius)
      }
      state.snapshot.made = elapsed()
      return Array(state.listeners.values)
    }
    note(error)
    for listener in listeners { listener.yield(last) }
  }

  /// Reports a store that cannot be written, once for each reason.
  private func note(_ error: any Error) {
    let words = StoreError.words(for: error) ?? "\(error)"
    let isNew = state.withLock { state in
      defer { state.problem = words }
      return state.problem != words
    }
    if isNew {
      report("cannot write to the store: \(words); new readings are kept in memory until then")
    }
  }

  /// Updates the state to stored readings, and notifies the listeners.
  private func show(_ stored: [Reading], isPast: Bool) throws {
    guard let last = stored.last else { return }
    let forecast = try? forecasts.forecast(at: site.location)
    if let forecast {
      try issue(forecast, until: last.time, since: isPast ? stored.first?.time : nil)
    }
    let known = try StationState(store, site, at: last.time + 1)
    let offset = try forecast.flatMap {
      try StationOffset.find(store, site, $0, at: last.time + 1)
    }
    // A single reading is a current one, even if the clock has been set in the meantime.
    let made = elapsed() - (isPast ? max(0, now() - last.time) : 0)
    let listeners = state.withLock { state in
      let correction = offset.map { StationCorrection(offset: $0, learned: state.learned) }
      state.snapshot = StationSnapshot(state: known, correction: correction, made: made)
      return Array(state.listeners.values)
    }
    for reading in stored.suffix(1) {
      for listener in listeners { listener.yield(reading) }
    }
  }

  /// Issues the forecasts for the full hours that have begun.
  ///
  /// A simulated station also issues the forecasts of its past, which starts with `first`, from the
  /// data that was available then; other stations issue only the forecasts of the current hour.
  /// Forecasts are issued only once for each hour of the wall clock: if the clock is set back, the
  /// existing forecasts are kept.
  private func issue(_ forecast: PointForecast, until time: Int, since first: Int?) throws {
    let hour = time - CivilTime.modulo(time, 3600)
    let last = state.withLock { $0.lastIssue }
    var from = hour
    if let first, source.kind == "simulated" { from = first + CivilTime.modulo(-first, 3600) }
    if last == hour { return }
    if let last, last < hour { from = max(from, last + 3600) }
    guard from <= hour, now() - hour < 48 * 3600 || source.kind == "simulated" else { return }
    let learned = state.withLock { $0.learned }
    for moment in stride(from: from, through: hour, by: 3600) {
      let made = try ForecastIssue.make(at: moment, forecast, store, site, learned: learned)
      try store.record(made.forecasts, made.barometer)
    }
    // The readings around this hour are not complete yet, those around the one before are.
    var learner = state.withLock { $0.learner }
    try learner.learn(until: hour - 3600, from: store, site)
    let result = learner.learned
    state.withLock { state in
      (state.learner, state.learned, state.lastIssue) = (learner, result, hour)
    }
  }

  /// Adds a listener; the result is `nil` if there are too many.
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

  /// Sends a keep-alive to the listeners.
  func beat() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(nil) }
  }

  /// Removes a listener.
  func leave(_ number: Int) {
    let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
    listener?.finish()
  }

  /// Removes all listeners, which is necessary when the program stops.
  func leaveAll() {
    let listeners = state.withLock { state in
      let all = Array(state.listeners.values)
      state.listeners = [:]
      return all
    }
    for listener in listeners { listener.finish() }
  }
}

/// Serves `/v1/live`, which sends new readings as server-sent events.
struct LiveReadings {
  /// The number of missed readings that are read from the store at a time.
  private static let page = 1000

  let core: StationCore
  let now: @Sendable () -> Int

  /// Writes missed readings, and then new ones, until the client disconnects or the program stops.
  ///
  /// - Parameters:
  ///   - listening: The number of the listener, and the sequence of its readings.
  ///   - last: The ID of the last event that the client received; `nil` for a new client.
  ///   - writer: The writer of the response.
  /// - Throws: The error of the writer when the client has disconnected, or an SQLite error.
  func write(
    _ listening: (number: Int, readings: AsyncStream<Reading?>), after last: Int64?,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    defer { core.leave(listening.number) }
    try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
    var sent: Int64 = 0
    // An ID that was never assigned comes from a different store, so the client starts again.
    if let last, last >= 0, last <= (try core.store.lastSequence()) {
      sent = last
      while true {
        let missed = try core.store.stored(after: sent, limit: Self.page)
        for reading in missed { try await write(reading, &sent, to: &writer) }
        if missed.count < Self.page { break }
      }
    } else if let reading = core.snapshot().state.reading {
      try await write(reading, &sent, to: &writer)
    }
    // When the program stops, the sequence of readings ends, which also ends the response.
    for await reading in listening.readings.cancelOnGracefulShutdown() {
      guard let reading else {
        try await writer.write(ByteBuffer(string: ": keep-alive\n\n"))
        continue
      }
      if reading.sequence > sent { try await write(reading, &sent, to: &writer) }
    }
    try await writer.finish(nil)
  }

  private func write(
    _ reading: Reading, _ sent: inout Int64, to writer: inout any ResponseBodyWriter
  ) async throws {
    let station = StationService(core: core)
    let data = station.station(now: now(), reading: reading).compact
    try await writer.write(
      ByteBuffer(string: "id: \(reading.sequence)\nevent: reading\ndata: \(data)\n\n"))
    sent = reading.sequence
  }
}

/// The state of the station after its last reading.
struct StationSnapshot: Sendable {
  /// The values derived from the readings.
  var state: StationState
  /// The correction of the forecast; `nil` if the offset between the station and the model cannot be determined.
  var correction: StationCorrection?
  /// The time of the last reading on the boot clock in seconds; `nil` before the first reading.
  var made: Int?

  /// Returns the age of the last reading in seconds; `nil` before the first.
  ///
  /// - Parameter elapsed: The current time on the boot clock in seconds.
  /// - Returns: The age in seconds.
  func age(at elapsed: Int) -> Int? { made.map { max(0, elapsed - $0) } }

  /// Returns the quality of the last reading, and the reasons.
  ///
  /// - Parameters:
  ///   - elapsed: The current time on the boot clock in seconds.
  ///   - source: The source of readings.
  /// - Returns: `good` if the reading is not stale and is within the sensor's range; otherwise
  ///   another status, with the reasons.
  func quality(at elapsed: Int, _ source: any ReadingSource) -> (
    status: String, reasons: [String]
  ) {
    guard let reading = state.reading, let age = age(at: elapsed) else {
      return ("missing", ["there is no reading yet"])
    }
    if age > source.staleAfter {
      return (
        "stale",
        ["\(source.hasEnded ? "the replay has ended: " : "")the last reading is \(age) s old"]
      )
    }
    var reasons: [String] = []
    func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) {
      guard let value else { return }
      if !range.contains(value) { reasons.append("\(name) is outside the range of the sensor") }
    }
    check("temperature", reading.celsius, -40...85)
    check("humidity", reading.humidity, 0...100)
    check("pressure", reading.pascals, 30_000...110_000)
    return (reasons.isEmpty ? "good" : "outside", reasons)
  }
}
