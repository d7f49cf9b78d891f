import Barometry
package import Bench
import Bridges
import Chips
import Environment
package import Files
import I2C
import Parts
import Quantities
package import Rigs
package import TraceTools

/// One run of a rig's pipeline to the end of its scenario, an event after the other.
///
/// Whoever wants its events asks for the `next()` of them; time goes on only then. Nothing else is to be asked.
package final class RigRun {
  /// What a user allows a run to do.
  package struct Options {
    /// Whether notifications may run programs.
    package var allowsPrograms: Bool
    /// Whether files outside the rig's folder may be written.
    package var allowsWriting: Bool
    /// Records every transfer.
    package var trace: TraceOutput?
    /// Says that somebody wants the run to end; it is asked while the run waits.
    package var mustEnd: () -> Bool

    /// Creates options; nothing is allowed and nothing recorded unless said.
    package init(
      allowsPrograms: Bool = false, allowsWriting: Bool = false, trace: TraceOutput? = nil,
      mustEnd: @escaping () -> Bool = { false }
    ) {
      self.allowsPrograms = allowsPrograms
      self.allowsWriting = allowsWriting
      self.trace = trace
      self.mustEnd = mustEnd
    }
  }

  package let bench: Bench
  package let pipeline: Pipeline
  /// How long it lasts, in nanoseconds; `UInt64.max` where somebody ends it.
  package let duration: UInt64
  package let options: Options
  package let notice: (String) -> Void
  package let judge: RunJudge
  package var stations: [SensorStation] = []
  package var historyFile: HistoryFile?
  package var reportedFaults: Set<Int> = []
  package var traffic: Traffic
  /// When cycles begin; `nil` before the sensors are started.
  package var schedule: CycleSchedule?
  /// The forecasters of the pipeline.
  package let forecasters: Forecasters
  /// Until when a backup source that let everybody wait is not asked again, by the machine's clock.
  package var backupRest: UInt64 = 0
  /// Whether somebody has ended it before its time.
  package private(set) var isStopped = false
  /// What is done next.
  package var step = Step.begin
  /// What has happened and nobody has asked for yet, from `told` on.
  private var events: [RunEvent] = []
  private var told = 0
  /// Why the run has ended before its end; thrown once all events have been told.
  private var failure: Failure?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - rig: what runs; it needs a pipeline.
  ///   - options: what the run may do.
  ///   - notice: takes what a user should know and no report shows.
  /// - Throws: `Failure` when the rig has no pipeline, would write where it may not, or its bench cannot be
  ///   put together.
  package init(
    _ rig: Rig, options: Options = Options(), notice: @escaping (String) -> Void = { _ in }
  ) throws(Failure) {
    guard let pipeline = rig.pipeline else {
      throw Failure(
        .badRig, "\(rig.file): the rig has no pipeline to run",
        "\(rig.file): 'aneroid read --bus rig:\(rig.file)' reads its sensors; with 'duration: 1h' and 'pipeline: {}' "
          + "'aneroid run' does")
    }
    guard let duration = rig.duration ?? (rig.clock == .real ? UInt64.max : nil) else {
      throw Failure(
        .usage, "\(rig.file): the rig has no duration, and in virtual time nobody stops it",
        "\(rig.file): say how long it runs, with --for 48h or 'duration: 48h'; with 'clock: real' it runs until it is stopped"
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
    // Of a run that has no end the traffic is told each hour.
    traffic = Traffic(every: duration == .max ? 3_600_000_000_000 : duration / 100)
  }

  /// The next event, in order of time; `nil` behind the verdict.
  ///
  /// - Throws: `Failure` when a sensor is absent or another part, or the history file fails.
  package func next() throws(Failure) -> RunEvent? {
    while told == events.count {
      events.removeLast(told)
      told = 0
      if let failure { throw failure }
      guard step != .over else { return nil }
      do throws(Failure) {
        try advance()
      } catch {
        (failure, step) = (error, .over)
      }
    }
    told += 1
    return events[told - 1]
  }

  /// Runs the pipeline to its end and judges it.
  ///
  /// - Parameter report: takes each event, in order of time.
  /// - Returns: the judgement, which is the last event too.
  /// - Throws: `Failure`, as ``next()`` does.
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
    for place in pipeline.sensors {
      guard let bus = bench.bus(place.bus) else { continue }
      let model = try bus.model(at: place.address, named: bench.rig.file)
      let settings = pipeline.settings[model.name] ?? model.usualSettings
      let driver = model.driver(settings, bus.adapter, bench.clock, at: place.address)
      do throws(SensorFailure) {
        try driver.start()
      } catch {
        let absence = bus.board?.link.absence
        throw Failure(
          .unavailable,
          "\(bench.rig.file): \(place.address) on bus \(place.bus): \(error.told(behind: absence, withRemedy: true))"
        )
      }
      stations.append(
        SensorStation(
          place: place, driver: driver, sensor: bench.sensor(at: place), ranges: model.ranges,
          history: try openHistory(), comparing: Comparing(pipeline)))
      stations.last?.standInTimes = historyFile?.standIns ?? []
      stations.last?.search = search(at: place, measuring: settings)
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
      let air = bench.air(at: station.place).air(at: time)
      station.take(sample, in: air)
      if station.isFound() { notify(.sensorBack, at: time) }
      let looked = watch(sample, of: station, at: time)
      let reading = RunEvent.Reading(
        time: time, place: station.place, sample: sample, air: air,
        leakRate: looked.rate, charge: station.sensor?.chargeUsed(at: time),
        outside: station.ranges.outside(sample))
      emit(.reading(reading))
      if traffic.isDue(at: time) { emitTraffic(at: time, isFinal: false) }
      looked.events.forEach(tell)
      if let comparison = station.comparing.comparison(with: reading, readBy: station.driver) {
        emit(.comparison(comparison))
      }
    } catch {
      emit(
        .error(
          RunEvent.SensorError(
            time: bench.clock.nanoseconds, place: station.place, error: error,
            absence: bench.bus(station.place.bus)?.board?.link.absence)))
      watch(nil, of: station, at: bench.clock.nanoseconds).events.forEach(tell)
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

  /// The moment of a time of the run, in nanoseconds since 1970.
  package func moment(_ time: UInt64) -> Int64 { bench.startMoment + Int64(time) }

  package func emit(_ event: RunEvent) {
    judge.observe(event)
    events.append(event)
  }

  /// How long real time passes without a look at whether the run must end, in nanoseconds.
  private static let slice: UInt64 = 200_000_000

  /// Waits; of a run in real time no longer than until somebody ends it.
  package func wait(until time: UInt64) {
    while !isStopped {
      // Also where nothing is waited for: a run that is late must not go on for ever.
      if options.mustEnd() {
        isStopped = true
        return
      }
      let now = bench.clock.nanoseconds
      guard time > now else { return }
      let rest = time - now
      bench.clock.wait(nanoseconds: bench.rig.clock == .real ? min(rest, Self.slice) : rest)
    }
  }
}
