import Environment
import Parts
import BME280
import Chips
import Barometry
public import Bench
import DriverDefects
public import Files
import I2C
public import Rigs
public import TraceTools

/// One run of a rig's pipeline to the end of its scenario.
public final class RigRun {
  /// What a user allows a run to do.
  public struct Options {
    /// Whether notifications may run programs.
    public var allowsPrograms: Bool
    /// Whether files outside the rig's folder may be written.
    public var allowsWriting: Bool
    /// Records every transfer.
    public var trace: TraceOutput?

    /// Makes options; nothing is allowed and nothing recorded unless said.
    public init(
      allowsPrograms: Bool = false, allowsWriting: Bool = false, trace: TraceOutput? = nil
    ) {
      self.allowsPrograms = allowsPrograms
      self.allowsWriting = allowsWriting
      self.trace = trace
    }
  }

  /// The bench that runs.
  public let bench: Bench

  package let pipeline: Pipeline
  package let duration: UInt64
  package let options: Options
  package let report: (RunEvent) -> Void
  package let notice: (String) -> Void
  package let judge: RunJudge
  package var stations: [Station] = []
  package var historyFile: HistoryFile?
  package var reportedFaults: Set<Int> = []

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - rig: what runs; it needs a pipeline.
  ///   - options: what the run may do.
  ///   - report: takes each event in order of time.
  ///   - notice: takes what a user should know and no report shows.
  /// - Throws: `BenchFailure` when the rig has no pipeline, would write where it may not, or its bench cannot be
  ///   put together.
  public init(
    _ rig: Rig, options: Options = Options(), report: @escaping (RunEvent) -> Void,
    notice: @escaping (String) -> Void = { _ in }
  ) throws(BenchFailure) {
    guard let pipeline = rig.pipeline, let duration = rig.duration else {
      throw BenchFailure(
        .badRig, "\(rig.file): the rig has no pipeline to run",
        "\(rig.file): 'aneroid read --bus rig:\(rig.file)' reads its sensors")
    }
    try rig.checkWriting(options.allowsWriting)
    bench = try Bench(rig, trace: options.trace)
    self.pipeline = pipeline
    self.duration = duration
    self.options = options
    self.report = report
    self.notice = notice
    judge = RunJudge(rig.expectations + rig.replayExpectations)
  }

  /// Runs the pipeline and judges it.
  ///
  /// - Throws: `BenchFailure` when a sensor is absent or another part, or the history file fails.
  public func run() throws(BenchFailure) -> Verdict {
    emit(.began(bench.rig, startMoment: bench.startMoment))
    try startStations()
    let ready = bench.clock.nanoseconds
    var cycleStart = ready
    var requests = pipeline.requests[...]
    while cycleStart + UInt64(pipeline.samples - 1) * pipeline.sampleInterval < duration {
      try runCycle(from: cycleStart)
      cycleStart += pipeline.cycle
      // A request waits for the cycle that runs, and the next cycle does not wait for it longer than it takes.
      while let due = requests.first, due < cycleStart {
        requests.removeFirst()
        wait(until: due)
        try runCycle(from: bench.clock.nanoseconds)
      }
    }
    wait(until: duration)
    reportFaults(atEnd: true)
    for bus in bench.buses {
      guard let board = bus.board else { continue }
      emit(.board(board.report(bus: bus.number, at: bench.clock.nanoseconds)))
    }
    let verdict = judge.verdict(at: max(duration, bench.clock.nanoseconds), on: bench)
    emit(.verdict(verdict))
    return verdict
  }

  /// Identifies, calibrates and configures every sensor.
  private func startStations() throws(BenchFailure) {
    for place in pipeline.sensors {
      guard let bus = bench.bus(place.bus) else { continue }
      let model = try bus.model(at: place.address, named: bench.rig.file)
      let settings = pipeline.settings[model.name] ?? model.usualSettings
      let driver = model.driver(settings, bus.adapter, bench.clock, at: place.address)
      do throws(SensorFailure) {
        try driver.start()
      } catch {
        throw BenchFailure(
          .unavailable, "\(bench.rig.file): \(place.address) on bus \(place.bus): \(error)")
      }
      stations.append(
        Station(
          place: place, driver: driver, sensor: bench.sensor(at: place),
          history: try openHistory()))
      stations.last?.search = search(at: place, measuring: settings)
    }
  }

  private func openHistory() throws(BenchFailure) -> PressureHistory {
    var history = PressureHistory(retention: pipeline.retention)
    guard let path = pipeline.history else { return history }
    historyFile = try HistoryFile(
      path: path, history: &history, now: moment(bench.clock.nanoseconds),
      isDurable: bench.rig.clock == .real, notice: notice)
    return history
  }

  private func runCycle(from start: UInt64) throws(BenchFailure) {
    for station in stations { station.beginCycle() }
    for sample in 0..<pipeline.samples {
      wait(until: start + UInt64(sample) * pipeline.sampleInterval)
      for station in stations { takeSample(station) }
    }
    let end = bench.clock.nanoseconds
    for station in stations { try conclude(station, from: start, to: end) }
  }

  private func takeSample(_ station: Station) {
    do throws(SensorFailure) {
      let sample = try station.driver.sample()
      let time = bench.clock.nanoseconds
      let air = bench.air(at: station.place).air(at: time)
      station.take(sample, in: air)
      let looked = watch(sample, of: station, at: time)
      let reading = RunEvent.Reading(
        time: time, place: station.place, sample: sample, air: air,
        leakRate: looked.rate)
      emit(.reading(reading))
      looked.events.forEach(emit)
      emitBeside(reading, of: station)
    } catch {
      emit(
        .error(
          RunEvent.SensorError(
            time: bench.clock.nanoseconds, place: station.place, error: error)))
      watch(nil, of: station, at: bench.clock.nanoseconds).events.forEach(emit)
      if error.kind == .settingsLost { try? station.driver.start() }
    }
    for shortfall in station.newShortfalls(at: bench.clock.nanoseconds) {
      emit(.outOfReach(shortfall))
    }
    reportFaults(atEnd: false)
  }

  /// Tells what stands beside a result, where something does.
  private func emitBeside(_ reading: RunEvent.Reading, of station: Station) {
    let shown = pipeline.beside.flatMap { decoder in
      (station.driver as? any CalibratedDriver)?.calibration.map {
        decoder.shows(RawMeasurement(reading.sample.codes), of: $0)
      }
    }
    let board = pipeline.thermometerOffset.flatMap { offset in
      reading.air.map { $0.temperature + offset }
    }
    guard shown != nil || board != nil else { return }
    emit(.beside(RunEvent.Beside(reading: reading, shown: shown, board: board)))
  }

  /// The moment of a time of the run, in nanoseconds since 1970.
  package func moment(_ time: UInt64) -> Int64 { bench.startMoment + Int64(time) }

  package func emit(_ event: RunEvent) {
    judge.observe(event)
    report(event)
  }

  private func wait(until time: UInt64) {
    let now = bench.clock.nanoseconds
    if time > now { bench.clock.wait(nanoseconds: time - now) }
  }
}
