import Bench
import DriverDefects
import DriverDiagnosis
import Files
import Glibc
import I2C
import I2CTrace
import Quantities
import TraceTools

/// One scenario while it runs: a process of `aneroid exec` with the program in it.
final class ScenarioRun {
  let scenario: Scenario
  let program: RunningProgram
  private(set) var outcome = Outcome()

  private let trace: String, events: String
  private let address: UInt8
  private var assembly = ReadingAssembly()
  private let source: (any ValueSource)?
  private let wanted: Int
  private var workLimit: WorkLimit
  private let clock = WallClock()
  /// The virtual time of the last mark, and that at which the scenario ends, in seconds since power came on.
  private var seconds = 0.0
  private let endSeconds: Double
  private let firstEvent: Double
  /// How often each line came, without its digits, while nothing is known of the output.
  private var shapes: [String: Int] = [:]
  /// Whether it was asked to end.
  private var isEnding = false
  /// How much work, or how long without any, the end of a program may take, in nanoseconds.
  private static let endLimitNanoseconds: UInt64 = 10_000_000_000

  /// Starts a scenario.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - place: where and when it takes place.
  ///   - folder: where its rig and its trace go.
  ///   - settings: what is run.
  ///   - source: finds values; nothing to gather lines only.
  ///   - quantities: what a whole reading has; `nil` while nobody knows.
  /// - Throws: `Failure` when it cannot be started.
  init(
    _ scenario: Scenario, at place: Scenario.Place, in folder: String, _ settings: AuditSettings,
    _ source: (any ValueSource)?, quantities: Set<Quantity>?
  ) throws(Failure) {
    self.scenario = scenario
    self.source = source
    address = place.address
    endSeconds = scenario.endSeconds(at: place)
    firstEvent = place.event
    wanted = settings.readings(in: scenario)
    workLimit = WorkLimit(nanoseconds: UInt64(settings.timeoutSeconds * 1e9))
    assembly.quantities = quantities
    let rig = "\(folder)/\(scenario.name).yaml"
    trace = "\(folder)/\(scenario.name).i2ctrace"
    events = "\(folder)/\(scenario.name).events.jsonl"
    try OutputFile.write(scenario.keptRig(at: place), to: rig, isDurable: false)
    // What an earlier audit left is not told again.
    unlink(events)
    program = try RunningProgram(
      settings.launch(at: place, rig: rig, trace: trace, events: events))
  }

  /// Takes what has come on one of the program's descriptors.
  func take(_ index: Int) {
    take(program.read(index))
    // A program that sleeps goes on unless it has shown enough.
    guard program.isAsking else { return }
    seconds = program.seconds
    close(at: seconds)
    sample()
    if seconds >= endSeconds, !isEnding { end() }
    program.goOn()
  }

  /// Notes that all lines so far were printed before a time.
  private func close(at seconds: Double) {
    assembly.close(at: seconds)
    for index in outcome.lineTimes.indices.reversed() {
      guard outcome.lineTimes[index].end == .infinity else { break }
      outcome.lineTimes[index].end = seconds
    }
  }

  /// Looks what the program holds, at fixed numbers of readings of a long run.
  private func sample() {
    let looks = scenario.resourceLooks
    guard outcome.resources.count < looks.count,
      assembly.readings.count >= looks[outcome.resources.count]
    else { return }
    outcome.resources.append(
      ResourceUse(ofProgramsIn: program.process, readings: assembly.readings.count))
  }

  private func take(_ lines: [String]) {
    for line in lines {
      // Beyond what can matter nobody keeps lines.
      let time = PrintTime(start: seconds)
      if outcome.lines.count < 2000 {
        outcome.lines.append(line)
        outcome.lineTimes.append(time)
      }
      guard let source else {
        shapes[line.withoutDigits, default: 0] += 1
        continue
      }
      let values = source.values(in: line)
      assembly.take(values, at: time)
      if values.isEmpty, seconds >= firstEvent, outcome.otherLines.count < 100 {
        outcome.otherLines.insert(line.withoutDigits)
      }
    }
    let hasEnough =
      source == nil
      ? outcome.lines.count >= 100 * wanted : assembly.readings.count >= wanted || isRepeating
    if hasEnough, !isEnding { end() }
  }

  /// Whether the output of a slow program shows how its readings look: a line has come as often as readings are wanted.
  private var hasShownForm: Bool {
    source == nil && workLimit.isSlow && shapes.values.contains { $0 > wanted }
  }

  /// Whether it only says again and again that it cannot.
  private var isRepeating: Bool {
    let lines = program.errorCount + outcome.lines.count
    return lines - assembly.readings.count * (assembly.quantities?.count ?? 1) > 20 * wanted
  }

  /// Looks whether it has ended or takes too long; returns whether it is over.
  func isOver() -> Bool {
    program.wait()
    if program.status != nil {
      take(program.drain())
      return true
    }
    if !isEnding, hasShownForm { end() }
    guard
      workLimit.isOver(
        at: clock.nanoseconds, steps: steps, tree: { ProcessTree(of: program.process) })
    else { return false }
    if isEnding {
      program.kill()
    } else {
      outcome.tookTooLong = true
      end()
    }
    return false
  }

  /// How much has been seen of it: lines, and what its transfers have left in the trace.
  private var steps: Int {
    var status = Glibc.stat()
    let size = stat(trace, &status) == 0 ? Int(status.st_size) : 0
    return outcome.lines.count + program.errorCount + size
  }

  /// Why its output cannot be searched any further.
  var mistake: OutputError? { source?.mistake }

  /// Ends it before its time, for good.
  func abandon() {
    program.end()
    for _ in 0..<20 where program.status == nil {
      usleep(50_000)
      program.wait()
    }
    program.kill()
    while program.status == nil { program.wait() }
  }

  private func end() {
    isEnding = true
    workLimit = WorkLimit(
      nanoseconds: Self.endLimitNanoseconds, from: clock.nanoseconds,
      beyond: ProcessTree(of: program.process).ticks)
    program.end()
  }

  /// Gathers what there is once it is over.
  func finish() {
    if isEnding { assembly.dropUnfinished() }
    assembly.finish()
    outcome.readings = Array(assembly.readings.prefix(wanted))
    outcome.times = Array(assembly.times.prefix(wanted))
    outcome.seconds = Double(clock.nanoseconds) / 1e9
    outcome.errors = program.errorLines
    let told = ServedEvents(file: events)
    outcome.hasFired = told.haveFaultsFired
    outcome.leak = told.machineTime
    outcome.failure = told.failure
    outcome.reason = told.reason
    let code = program.status ?? 0
    let status = code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + (code & 0x7F)
    if !isEnding { outcome.status = status }
    outcome.evidence = try? gathered()
  }

  /// What the trace tells of the part.
  private func gathered() throws -> Evidence? {
    var input = try TraceInput(trace)
    return try Evidence.gathered(input.header, address: .init(rawValue: UInt16(address))) {
      () throws(Failure) in try input.nextWhole()
    }
  }
}
