import Bench
import Diagnosis
import Glibc
import I2C
import I2CTrace
import Parts
import Quantities
import Runs
import Support
import TraceTools

/// One running scenario: an `aneroid exec` or `aneroid firmware` process that runs the program.
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
  /// The virtual time in the last time mark of the program's output, in seconds since power-on.
  private var seconds = 0.0
  /// The end of the scenario in seconds since power-on.
  private let endSeconds: Double
  private let firstEvent: Double
  /// The interval between readings in seconds.
  private let pace: Double
  /// The number of lines that the program has printed on standard output.
  private var lineCount = 0
  /// The number of lines on standard output and standard error at the last pause, the virtual time
  /// of the last ones, and the longest time between them, in seconds.
  private var printed = (lines: 0, lastSeconds: 0.0, longestPause: 0.0)
  /// The number of occurrences of each line, without digits, while the output format is unknown.
  private var shapes: [String: Int] = [:]
  /// `true` after the audit has requested the program's termination.
  private var isEnding = false
  /// The virtual time of that request, in seconds since power-on.
  private var endedAt = 0.0
  /// The virtual time, in seconds, that a program has to exit, in addition to two of its intervals.
  private static let exitSeconds = 5.0
  /// The limit for the CPU time, and for the time without progress, of a program that is
  /// terminating, in nanoseconds.
  private static let endLimitNanoseconds: UInt64 = 10_000_000_000

  /// Starts a scenario.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - place: the program's bus, sensor address and times.
  ///   - folder: the folder for the scenario's rig and trace.
  ///   - settings: the settings of the audit.
  ///   - source: extracts values; `nil` to collect lines only.
  ///   - quantities: the quantities of a complete reading; `nil` if unknown.
  /// - Throws: `Failure` if the program cannot be started.
  init(
    _ scenario: Scenario, at place: Scenario.Place, in folder: String, _ settings: AuditSettings,
    _ source: (any ValueSource)?, quantities: Set<Measurand>?
  ) throws(Failure) {
    let place = scenario.place(place)
    self.scenario = scenario
    self.source = source
    address = place.address
    endSeconds = scenario.endSeconds(at: place)
    firstEvent = place.event
    pace = place.pace
    wanted = settings.readings(in: scenario)
    workLimit = WorkLimit(nanoseconds: UInt64(settings.timeoutSeconds * 1e9))
    assembly.quantities = quantities
    let rig = "\(folder)/\(scenario.name).yaml"
    trace = "\(folder)/\(scenario.name).i2ctrace"
    events = "\(folder)/\(scenario.name).events.jsonl"
    try OutputFile.write(scenario.keptRig(at: place), to: rig, isDurable: false)
    // Remove the events of an earlier audit.
    unlink(events)
    program = try RunningProgram(
      settings.launch(at: place, rig: rig, trace: trace, events: events))
  }

  /// Handles input on one of the program's descriptors.
  func take(_ index: Int) {
    take(program.read(index))
    // A sleeping program continues unless it has displayed enough readings.
    guard program.isAsking else { return }
    seconds = program.seconds
    guard !isEnding else {
      // A program that handles SIGTERM exits when its sleep ends; one that ignores it continues.
      if seconds > endedAt + Self.exitSeconds + 2 * pace { program.kill() }
      return program.goOn()
    }
    close(at: seconds)
    sample()
    notePauses()
    if seconds >= endSeconds, !mayStillRecover, !isEnding { end() }
    program.goOn()
  }

  /// Measures the pauses between the program's lines on standard output and standard error.
  private func notePauses() {
    let lines = lineCount + program.errorCount
    guard lines > printed.lines else { return }
    printed = (lines, seconds, max(printed.longestPause, seconds - printed.lastSeconds))
  }

  /// `true` if the program has not displayed two values since the transient failure, but may only be
  /// pausing: two of its longest pauses have not yet passed since its last line.
  private var mayStillRecover: Bool {
    scenario.passes && assembly.times.count { $0.start >= firstEvent } < 2
      && seconds < min(printed.lastSeconds, endSeconds) + 2 * printed.longestPause
  }

  /// Sets the end of the print-time interval of all lines for which it is still unknown.
  private func close(at seconds: Double) {
    assembly.close(at: seconds)
    for index in outcome.lineTimes.indices.reversed() {
      guard outcome.lineTimes[index].end == .infinity else { break }
      outcome.lineTimes[index].end = seconds
    }
  }

  /// Samples the resource usage in the pauses of a long run that the scenario names.
  private func sample() {
    let looks = scenario.resourceLooks
    guard outcome.resources.count < looks.count else { return }
    let look = looks[outcome.resources.count]
    guard seconds >= firstEvent + Double(look) * pace else { return }
    outcome.resources.append(ResourceUse(ofProgramsIn: program.process, readings: look))
  }

  private func take(_ lines: [String]) {
    // What the program prints because it is ended is neither a reading nor a report.
    guard !isEnding else { return }
    for line in lines {
      // Lines beyond the limit are not kept.
      let time = PrintTime(start: seconds)
      lineCount += 1
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
        outcome.otherLines[line.withoutDigits] = line
      }
    }
    let hasEnough =
      source == nil
      ? outcome.lines.count >= 100 * wanted : assembly.readings.count >= wanted || isRepeating
    if hasEnough, !isEnding { end() }
  }

  /// `true` if a slow program has printed enough output to infer its format: one line, compared
  /// without digits, occurred more often than the required number of readings.
  private var hasShownForm: Bool {
    source == nil && workLimit.isSlow && shapes.values.contains { $0 > wanted }
  }

  /// `true` if the program only repeats an error message.
  private var isRepeating: Bool {
    let lines = program.errorCount + outcome.lines.count
    // A program that does not pause prints many messages before a failure of milliseconds has passed.
    let mayPass = scenario.passes && seconds < firstEvent + Self.briefSeconds
    let most = (mayPass ? 400 : 20) * wanted
    return lines - assembly.readings.count * (assembly.quantities?.count ?? 1) > most
  }

  /// The time in seconds after which a brief failure has passed.
  private static let briefSeconds = 0.1

  /// Returns `true` if the program has ended; requests its termination if it exceeded its limit.
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

  /// The observed progress: the number of lines plus the size of the trace in bytes.
  private var steps: Int {
    var status = Glibc.stat()
    let size = stat(trace, &status) == 0 ? Int(status.st_size) : 0
    return outcome.lines.count + program.errorCount + size
  }

  /// The error that stopped the extraction of values.
  var error: OutputError? { source?.error }

  /// Ends the program, and kills it if it does not exit within 1 s.
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
    endedAt = seconds
    workLimit = WorkLimit(
      nanoseconds: Self.endLimitNanoseconds, from: clock.nanoseconds,
      beyond: ProcessTree(of: program.process).ticks)
    program.end()
  }

  /// Collects the outcome after the program has ended.
  func finish() {
    if isEnding { assembly.dropUnfinished() }
    assembly.finish()
    outcome.readings = Array(assembly.readings.prefix(wanted))
    outcome.times = Array(assembly.times.prefix(wanted))
    outcome.seconds = Double(clock.nanoseconds) / 1e9
    outcome.errors = program.errorLines
    let served = ServedEvents(file: events)
    outcome.hasFired = served.haveFaultsFired
    outcome.faults = served.faults
    outcome.leak = served.machineTime
    outcome.failure = served.failure
    outcome.reason = served.reason
    let code = program.status ?? 0
    let status = code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + (code & 0x7F)
    if !isEnding { outcome.status = status }
    if let part = scenario.auditedPart {
      outcome.reads = try? readTimes(of: part)
    } else {
      outcome.evidence = try? gathered()
      outcome.reads = outcome.evidence?.reads
    }
  }

  /// Returns the times at which results of a part were read successfully; if none can be recognized, those of all reads.
  private func readTimes(of part: AuditedPart) throws -> ReadTimes {
    var input = try TraceInput(trace)
    var text = part.model.text
    var (times, results): ([Double], [Double]) = ([], [])
    while let transfer = try input.nextWhole() {
      guard let first = transfer.messages.first,
        UInt8(truncatingIfNeeded: first.segment.address.rawValue) == address
      else { continue }
      let isResult = text.readsResult(transfer)
      guard transfer.error == nil,
        transfer.messages.contains(where: { $0.segment.direction == .read })
      else { continue }
      times.append(Double(transfer.time) / 1e9)
      if isResult { results.append(Double(transfer.time) / 1e9) }
    }
    return ReadTimes(lastOfGroupsIn: results.isEmpty ? times : results)
  }

  /// Returns the evidence in the trace.
  private func gathered() throws -> Evidence? {
    var input = try TraceInput(trace)
    return try Evidence.gathered(input.header, address: .init(rawValue: UInt16(address))) {
      () throws(Failure) in try input.nextWhole()
    }
  }
}

/// The events of `aneroid exec` or `aneroid firmware` about a program.
package struct ServedEvents {
  /// The count with which rigs configure a permanent fault; it is only a large number, so the fault
  /// need not fire that often.
  private static let endless = 1_000_000

  /// `true` if every fault fired as often as configured, or at least once if it is permanent.
  package private(set) var haveFaultsFired = true
  /// The faults of the scenario with their firings.
  private(set) var faults: [ServedFault] = []
  /// The notice that the program waits in wall-clock time although it runs in virtual time.
  package private(set) var machineTime: String?
  /// The reason why firmware could not continue, or the code location at which it was stopped.
  private(set) var reason: String?
  /// The reason why the program was not run.
  package private(set) var failure: AuditError?

  /// Reads events from a file; a missing file contains no events.
  init(file path: String) {
    self.init(((try? TextFile.bytes(path)) ?? []).split(separator: 0x0A))
  }

  /// Reads events, one per line.
  package init(_ lines: some Sequence<some Sequence<UInt8>>) {
    for line in lines {
      guard let event = JSONValue(reading: Array(line)), let name = event["event"]?.text,
        let kind = RunEvent.Kind(rawValue: name)
      else { continue }
      take(event, of: kind)
    }
  }

  private mutating func take(_ event: JSONValue, of kind: RunEvent.Kind) {
    switch kind {
    case .fault:
      if !Self.hasFired(event) { haveFaultsFired = false }
      if let fault = ServedFault(event) { faults.append(fault) }
    case .notice:
      if event["subject"]?.text == RunEvent.Notice.Subject.machineTime.rawValue {
        machineTime = machineTime ?? event["text"]?.text
      }
    case .end: reason = event["reason"]?.text
    case .failure: failure = Self.failure(event) ?? failure
    default: break
    }
  }

  private static func hasFired(_ event: JSONValue) -> Bool {
    let planned = event["planned"]?.whole() ?? endless
    return event[planned < endless ? "complete" : "fired"]?.boolean == true
  }

  private static func failure(_ event: JSONValue) -> AuditError? {
    guard let status = event["status"]?.whole(Int.self).map(Int32.init(clamping:)),
      let messages = event["messages"]?.array?.map(\.text), !messages.contains(nil)
    else { return nil }
    return Failure.Kind(rawValue: status).map { .bench(Failure($0, messages.compactMap(\.self))) }
      ?? .program(status, messages.compactMap(\.self))
  }
}

/// The smallest bench that still gives a finding.
package struct SmallestBench: Sendable {
  /// The name of the random bench from which it was derived.
  package let origin: String
  /// The finding on the smallest bench.
  package let judgement: Judgement
  /// The rig of the smallest bench.
  package let rig: String
}

extension RandomBenches {
  /// The largest number of findings for which a smallest bench is searched, one for each cause.
  private static let mostFindings = 3
  /// The time after which the search for one finding ends, in nanoseconds (30 s).
  private static let patience: UInt64 = 30_000_000_000

  /// Searches the smallest bench for the findings of an audit: one that gives no finding after any further simplification,
  /// or that was reached within 30 s.
  ///
  /// - Parameters:
  ///   - result: the result of the audit on these benches.
  ///   - settings: its settings.
  ///   - folder: an existing folder for rigs and traces.
  ///   - isInterrupted: polled while programs run; returns `true` to abort.
  /// - Throws: ``AuditError``.
  /// - Returns: the smallest bench for one finding of each cause, at most three.
  package func smallest(
    of result: AuditRun.Result, _ settings: AuditSettings, in folder: String,
    isInterrupted: @escaping () -> Bool
  ) throws(AuditError) -> [SmallestBench] {
    var found: [SmallestBench] = []
    let clock = WallClock()
    for group in FindingGroup.all(of: result.judgements).prefix(Self.mostFindings) {
      // A wrong value says more than a last digit.
      let isWrong = group.judgements.first { $0.verdict == .wrong }
      guard let first = isWrong ?? group.judgements.first,
        var bench = benches.first(where: { $0.name == first.scenario.name })
      else { continue }
      bench.name = "simpler"
      bench.origin = "The smallest bench for \(first.scenario.name)"
      let start = clock.nanoseconds
      func finding(on bench: RandomBench) throws(AuditError) -> (Judgement, Scenario.Place)? {
        var trial = settings
        trial.scenarios = [bench.scenario]
        let outcome = try AuditRun(trial, in: folder, isInterrupted: isInterrupted).run()
        return outcome.judgements.first { $0.verdict.isFinding }.map { ($0, outcome.place) }
      }
      var isSimpler = true
      while isSimpler {
        isSimpler = false
        // A program that is silent when it fails takes the whole time limit on each bench.
        for simpler in bench.simplifications where clock.nanoseconds - start < Self.patience {
          guard try finding(on: simpler) != nil else { continue }
          (bench, isSimpler) = (simpler, true)
          break
        }
      }
      bench.name = "smallest-\(found.count + 1)"
      guard let (judgement, place) = try finding(on: bench) else { continue }
      found.append(
        SmallestBench(
          origin: first.scenario.name, judgement: judgement, rig: bench.scenario.rig(at: place)))
    }
    return found
  }
}
