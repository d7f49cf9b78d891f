import Barometry
package import Bench
import Bridges
import Chips
import Environment
import I2C
import Parts
import Quantities
package import Rigs
package import Support
package import TraceTools

/// A run of the pipeline of a rig to the end of its scenario.
///
/// The caller pulls its events with `next()`; time advances only during that call.
package final class RigRun {
  /// The permissions of a run.
  package struct Options {
    /// `true` if notifications may run programs.
    ///
    /// Default: `false`.
    package var allowsPrograms: Bool
    /// `true` if files outside the folder of the rig may be written.
    ///
    /// Default: `false`.
    package var allowsWriting: Bool
    /// Records every transfer.
    ///
    /// Default: no recording.
    package var trace: TraceOutput?
    /// Returns whether the run must end; polled while the run waits.
    ///
    /// Default: `false`.
    package var mustEnd: () -> Bool
    /// The requests for forecasts; polled while the run waits.
    ///
    /// Default: none.
    package var requests: (any ForecastRequests)?

    package init(
      allowsPrograms: Bool = false, allowsWriting: Bool = false, trace: TraceOutput? = nil,
      requests: (any ForecastRequests)? = nil, mustEnd: @escaping () -> Bool = { false }
    ) {
      self.requests = requests
      self.allowsPrograms = allowsPrograms
      self.allowsWriting = allowsWriting
      self.trace = trace
      self.mustEnd = mustEnd
    }
  }

  package let bench: Bench
  package let pipeline: Pipeline
  /// The length of the run in nanoseconds; `UInt64.max` for no limit.
  package let duration: UInt64
  package let options: Options
  package let notice: (String) -> Void
  package let judge: RunJudge
  package var stations: [SensorStation] = []
  /// The sensor whose samples the search for a leak uses; `nil` before a leak.
  package var leader: SensorStation?
  package var historyFile: HistoryFile?
  package var reportedFaults: Set<Int> = []
  package var traffic: TrafficTimer
  /// The schedule of the cycles; `nil` before the sensors are started.
  package var schedule: CycleSchedule?
  /// The forecasters of the pipeline.
  package let forecasters: Forecasters
  /// The time before which a slow backup source is not queried again, in nanoseconds of
  /// CLOCK_MONOTONIC.
  package var backupPauseEnd: UInt64 = 0
  /// The time of a request for a forecast that no cycle answers yet.
  private var request: UInt64?
  /// `true` if the run was stopped before its end.
  package private(set) var isStopped = false
  /// The step to execute next.
  package var step = Step.begin
  /// The emitted events; those from index `delivered` on have not been returned yet.
  private var events: [RunEvent] = []
  private var delivered = 0
  /// The failure that stopped the run; thrown once all events have been returned.
  private var failure: Failure?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - rig: the rig; it needs a pipeline.
  ///   - options: the permissions of the run.
  ///   - notice: receives notices for the user that are not part of a report. Default: ignored.
  /// - Throws: `Failure` if the rig has no pipeline, would write a file without permission, or cannot be assembled.
  package init(
    _ rig: Rig, options: Options = Options(), notice: @escaping (String) -> Void = { _ in }
  ) throws(Failure) {
    guard let pipeline = rig.pipeline else {
      throw Failure(
        .badRig, "\(rig.file): the rig has no pipeline to run",
        "\(rig.file): use 'aneroid read --bus rig:\(rig.file)', or add 'duration: 1h' and 'pipeline: {}' "
          + "for 'aneroid run'")
    }
    guard let duration = rig.duration ?? (rig.clock == .real ? UInt64.max : nil) else {
      throw Failure(
        .usage, "\(rig.file): the rig has no duration, which virtual time needs",
        "\(rig.file): set the length of the run with --for 48h or 'duration: 48h', or use 'clock: real' "
          + "to run until stopped"
      )
    }
    try rig.checkWriting(options.allowsWriting)
    bench = try Bench(rig, trace: options.trace)
    self.pipeline = pipeline
    forecasters = Forecasters(pipeline)
    self.duration = duration
    self.options = options
    self.notice = notice
    judge = RunJudge(rig.expectations + rig.replayExpectations)
    // In a run without a limit, traffic is reported every hour.
    traffic = TrafficTimer(every: duration == .max ? 3_600_000_000_000 : duration / 100)
  }

  /// Returns the next event, in order of time; `nil` after the verdict.
  ///
  /// - Throws: `Failure` if a sensor is missing or is a different part, or the history file cannot
  ///   be written.
  package func next() throws(Failure) -> RunEvent? {
    while delivered == events.count {
      events.removeLast(delivered)
      delivered = 0
      if let failure { throw failure }
      guard step != .over else { return nil }
      do throws(Failure) {
        try advance()
        if let failure = bench.programFailure { throw failure }
      } catch {
        (failure, step) = (error, .over)
      }
    }
    delivered += 1
    return events[delivered - 1]
  }

  /// Runs the pipeline to its end and evaluates the expectations.
  ///
  /// - Parameter report: receives each event, in order of time. Default: ignored.
  /// - Returns: the verdict, which is also the last event.
  /// - Throws: `Failure`, like `next()`.
  @discardableResult
  package func run(_ report: (RunEvent) -> Void = { _ in }) throws(Failure) -> Verdict {
    var verdict = Verdict(time: 0, findings: [])
    while let event = try next() {
      report(event)
      if case .verdict(let made) = event { verdict = made }
    }
    return verdict
  }

  /// Identifies, calibrates and configures every sensor.
  package func startStations() throws(Failure) {
    for sensorID in pipeline.sensors {
      guard let bus = bench.bus(sensorID.bus) else { continue }
      let model = try bus.model(at: sensorID.address, named: bench.rig.file)
      let settings = pipeline.settings[model.name] ?? model.usualSettings
      let driver = model.driver(settings, bus.adapter, bench.clock, at: sensorID.address)
      do throws(SensorFailure) {
        try driver.start()
      } catch {
        let sentence = error.sentence(absence: bus.board?.link.absence, withRemedy: true)
        throw Failure(
          .unavailable,
          "\(bench.rig.file): \(sensorID.address) on bus \(sensorID.bus): \(sentence)")
      }
      stations.append(
        SensorStation(
          sensorID: sensorID, driver: driver, sensor: bench.sensor(at: sensorID),
          ranges: model.ranges,
          history: try openHistory(), comparing: Comparing(pipeline)))
      stations.last?.standInTimes = historyFile?.standIns ?? []
      stations.last?.search = search(at: sensorID, measuring: settings)
      if let leak = pipeline.leak {
        stations.last?.haven = SafeHaven(least: Double(leak.haven) / 1e9)
        stations.last?.crew = leak.search.map { SearchCrew(reach: $0) }
      }
    }
  }

  private func openHistory() throws(Failure) -> PressureHistory {
    var history = PressureHistory(retention: pipeline.retention)
    guard let path = pipeline.history else { return history }
    historyFile = try HistoryFile(
      path: path, history: &history, now: moment(bench.clock.nanoseconds),
      isDurable: bench.rig.clock == .real, notice: notice)
    return history
  }

  package func takeSample(_ station: SensorStation) {
    do throws(SensorFailure) {
      let sample = try station.driver.sample()
      let time = bench.clock.nanoseconds
      let air = bench.air(at: station.sensorID).air(at: time)
      station.take(sample, in: air)
      if station.isFound() { notify(.sensorBack, at: time) }
      let looked = watch(sample, of: station, at: time)
      let reading = RunEvent.Reading(
        time: time, sensorID: station.sensorID, sample: sample, air: air,
        leakRate: looked.rate, charge: station.sensor?.chargeUsed(at: time),
        outside: station.ranges.outside(sample))
      emit(.reading(reading))
      if traffic.isDue(at: time) { emitTraffic(at: time, isFinal: false) }
      looked.events.forEach(report)
      if let comparison = station.comparing.comparison(with: reading, readBy: station.driver) {
        emit(.comparison(comparison))
      }
    } catch {
      emit(
        .error(
          RunEvent.SensorError(
            time: bench.clock.nanoseconds, sensorID: station.sensorID, error: error,
            absence: bench.bus(station.sensorID.bus)?.board?.link.absence)))
      watch(nil, of: station, at: bench.clock.nanoseconds).events.forEach(report)
      if station.isLost(after: pipeline.samples) {
        notify(.sensorLost, at: bench.clock.nanoseconds)
      }
      if error.kind == .settingsLost { try? station.driver.start() }
    }
    for shortfall in station.newSaturations(at: bench.clock.nanoseconds) {
      emit(.saturated(shortfall))
    }
    reportFaults(atEnd: false)
  }

  /// Returns the date at a time of the run, in nanoseconds since 1970.
  package func moment(_ time: UInt64) -> Int64 { bench.startMoment + Int64(time) }

  package func emit(_ event: RunEvent) {
    judge.observe(event)
    events.append(event)
  }

  /// The interval at which `mustEnd` is polled in real time, in nanoseconds.
  private static let slice: UInt64 = 200_000_000

  /// Waits until a time, or until the run must end.
  ///
  /// - Parameters:
  ///   - time: the time, in nanoseconds since the start of the run.
  ///   - isIdle: `true` between two cycles, when a request for a forecast ends the wait. Default:
  ///     `false`.
  package func wait(until time: UInt64, isIdle: Bool = false) {
    while !isStopped {
      // Polled even without a wait, because a run that is late must be stoppable too.
      if options.mustEnd() {
        isStopped = true
        return
      }
      if options.requests?.arrive() == true, accept(isIdle: isIdle) { return }
      let now = bench.clock.nanoseconds
      guard time > now else { return }
      let rest = time - now
      bench.clock.wait(nanoseconds: bench.rig.clock == .real ? min(rest, Self.slice) : rest)
    }
  }
}

extension RigRun {
  /// A step of a run; times are in nanoseconds since the start of the run.
  package enum Step: Equatable {
    /// Emit the first event.
    case begin
    /// Start the sensors.
    case start
    /// Take one sample from each sensor; the first value is the index of the sample in its cycle.
    case sample(Int, start: UInt64)
    /// Average a cycle and make the forecasts.
    case conclude(start: UInt64)
    /// Emit the final reports and the verdict.
    case end
    /// The run is over.
    case over
  }

  /// Executes the next step and selects the following one.
  package func advance() throws(Failure) {
    switch step {
    case .begin:
      emit(.began(bench.rig, startMoment: bench.startMoment))
      step = .start
    case .start:
      try startStations()
      var schedule = CycleSchedule(pipeline, from: bench.clock.nanoseconds)
      step = begun(schedule.next(after: nil))
      self.schedule = schedule
    case .sample(let sample, let start):
      if sample == 0 { for station in stations { station.beginCycle() } }
      wait(until: start + UInt64(sample) * pipeline.sampleInterval, isIdle: sample == 0)
      guard !isStopped else {
        step = .end
        return
      }
      if let request {
        self.request = nil
        schedule?.postpone(start: Int64(clamping: start))
        step = .sample(0, start: request)
        return
      }
      for station in stations { takeSample(station) }
      step =
        sample + 1 < pipeline.samples
        ? .sample(sample + 1, start: start) : .conclude(start: start)
    case .conclude(let start):
      let end = bench.clock.nanoseconds
      let first = events.count
      for station in stations { try conclude(station, from: start, to: end) }
      options.requests?.answer(
        ForecastAnswer(events[first...], of: bench.rig.name, forecasters.methods, at: moment(end)))
      if let next = schedule?.next(after: Int64(clamping: end)) { step = begun(next) }
    case .end:
      finish()
      step = .over
    case .over: break
    }
  }

  /// Returns the first step of a cycle, or `Step/end` if the run ends before the last sample of
  /// the cycle.
  private func begun(_ cycle: CycleSchedule.Cycle) -> Step {
    let start = UInt64(clamping: cycle.start)
    let last = start + UInt64(pipeline.samples - 1) * pipeline.sampleInterval
    return cycle.isRequested || last < duration ? .sample(0, start: start) : .end
  }

  /// Accepts a request for a forecast.
  ///
  /// - Parameter isIdle: `true` between two cycles.
  /// - Returns: `true` if a cycle for the request starts now; `false` if the running cycle answers
  ///   it, or the next one, because another one would not end before its start.
  private func accept(isIdle: Bool) -> Bool {
    guard case .sample(_, var start) = step else { return false }
    let now = bench.clock.nanoseconds
    if isIdle, now + UInt64(pipeline.samples) * pipeline.sampleInterval <= start {
      (request, start) = (now, now)
    }
    let end = start + UInt64(pipeline.samples - 1) * pipeline.sampleInterval
    options.requests?.announce(seconds: Double(end) / 1e9 - Double(now) / 1e9)
    return request != nil
  }

  /// Emits the final reports and the verdict.
  private func finish() {
    wait(until: duration)
    reportFaults(atEnd: true)
    let time = bench.clock.nanoseconds
    for bus in bench.buses {
      if let board = bus.board { emit(.board(board.report(bus: bus.number, at: time))) }
    }
    emitTraffic(at: time, isFinal: true)
    bench.buses.compactMap { RunEvent.ReplayReport($0, at: time) }.forEach { emit(.replay($0)) }
    emit(.verdict(judge.verdict(at: isStopped ? time : max(duration, time))))
  }
}

/// The timer of traffic reports.
package struct TrafficTimer {
  /// The shortest time between two reports, in nanoseconds.
  private let interval: UInt64
  private var last: UInt64 = 0

  /// Creates a timer with an interval in nanoseconds; at least 1 s.
  package init(every interval: UInt64) { self.interval = max(interval, 1_000_000_000) }

  /// Returns whether reports are due at a time in nanoseconds; restarts the timer if they are.
  package mutating func isDue(at time: UInt64) -> Bool {
    guard time - last >= interval else { return false }
    last = time
    return true
  }
}

extension RigRun {
  /// Emits the traffic reports of all buses at a time in nanoseconds; for the many buses of a
  /// fleet, only at the end of the run.
  package func emitTraffic(at time: UInt64, isFinal: Bool) {
    for bus in bench.buses.dropLast(isFinal ? 0 : bench.rig.fleet?.busCount ?? 0) {
      emit(
        .traffic(
          RunEvent.TrafficReport(
            time: time, bus: bus.number, transfers: bus.meter.transfers, errors: bus.meter.errors,
            isFinal: isFinal)))
    }
  }
}
