import BME280
import BME280Model
import Bench
import Diagnosis
import Glibc
import Rigs
import Runs
import Support
import VirtualI2C

/// Runs a program through the scenarios.
package final class AuditRun {
  /// The result of an audit.
  package struct Result: Sendable {
    /// The program and its arguments.
    package let program: [String]
    /// The inferred expressions; empty if the user specified the format.
    package let guessed: [String]
    /// Output lines with brackets around the values found; as many lines as necessary to contain
    /// each quantity once.
    package let sample: [String]
    /// The quantities that the part measures but that were not found in the output when its format
    /// was inferred.
    package let missing: [Measurand]
    /// The interval between readings in seconds of virtual time; `nil` for a program with one
    /// reading.
    package let pace: Double?
    /// The judgements, in the order of the scenarios.
    package let judgements: [Judgement]
    /// The program's bus, sensor address and times.
    let place: Scenario.Place
    /// The smallest bench for findings on random benches; empty for the fixed ones.
    package var smallest: [SmallestBench] = []
    /// The duration of the audit in seconds of wall-clock time.
    package let seconds: Double
  }

  var settings: AuditSettings
  let folder: String
  private let progress: (Judgement) -> Void
  private let isInterrupted: () -> Bool
  private var patterns: [String] = []
  private var sample: [String] = []
  private var quantities: Set<Measurand> = []
  private(set) var pace: Double?
  /// The maximum age of a displayed value in seconds.
  private var age = 0.0
  /// The lines without values that the program prints on the calm bench (constant air, no faults),
  /// with digits removed.
  private var usualLines: Set<String> = []
  /// The number of readings on the calm bench (constant air, no faults) that repeat an earlier
  /// measurement, and the total number of readings on that bench.
  private var repetitions = (count: 0, all: 0)
  private(set) var place: Scenario.Place
  /// The classes of bus errors that the program causes even on the calm bench (constant air, no
  /// faults).
  private var usualConduct: Set<String> = []
  /// The number of readings at the start of the output that are wrong even on the calm bench
  /// (constant air, no faults).
  private var usualBadStart = 0
  /// The quantities that are wrong on the calm bench (constant air, no faults) even after the first
  /// `usualBadStart` readings.
  private var usualWrong: Set<Measurand> = []
  /// The outcome of each scenario, for the explanation of wrong values.
  var outcomes: [String: Outcome] = [:]
  /// The registers that the program accesses on the calm bench; only for a hunt.
  var registers: [UInt8] = []
  /// For each bench of a hunt in progress, by the name of its scenario, a function that removes what its faults explain from an
  /// outcome.
  var corrections: [String: (Outcome) -> Outcome] = [:]

  /// Prepares an audit.
  ///
  /// - Parameters:
  ///   - settings: the program and the options.
  ///   - folder: an existing folder for rigs and traces.
  ///   - isInterrupted: polled while programs run; returns `true` to abort.
  ///   - progress: called with each judgement.
  package init(
    _ settings: AuditSettings, in folder: String, isInterrupted: @escaping () -> Bool = { false },
    progress: @escaping (Judgement) -> Void = { _ in }
  ) {
    self.isInterrupted = isInterrupted
    self.settings = settings
    self.folder = folder
    self.progress = progress
    place = settings.place
  }

  /// Runs all scenarios.
  ///
  /// - Throws: ``AuditError``.
  /// - Returns: the judgements.
  package func run() throws(AuditError) -> Result {
    let clock = WallClock()
    return try converting {
      let dead = try learn()
      let judgements = try dead.map { [$0] } ?? explained(run(settings.fittingScenarios))
      return Result(
        program: settings.program, guessed: settings.form == nil ? patterns : [],
        sample: sample,
        missing: dead == nil && settings.form == nil ? missing : [], pace: pace,
        judgements: judgements.withCommonDifferences().withLastDigits(outcomes, judge)
          .withUnhandledEnds(outcomes).withoutPauses(outcomes, at: place)
          .withPartDefects(),
        place: place,
        seconds: Double(clock.nanoseconds) / 1e9)
    }
  }

  /// Calls a function, and throws its errors as errors of an audit.
  func converting<Value>(_ body: () throws -> Value) throws(AuditError) -> Value {
    do {
      return try body()
    } catch let failure as AuditError {
      throw failure
    } catch let failure as Failure {
      throw .bench(failure)
    } catch let error as OutputError {
      throw .output(error)
    } catch {
      throw .bench(Failure(.unavailable, "\(error)"))
    }
  }

  /// Runs the program on the calm bench (constant air, no faults) to determine its output format
  /// and the interval between its readings.
  ///
  /// - Returns: the judgement on a program that accesses the part and fails before it displays a
  ///   value, which ends the audit; otherwise `nil`.
  func learn() throws -> Judgement? {
    let source = try makeSource()
    let run = try ScenarioRun(
      settings.calm, at: place, in: folder, settings, source, quantities: nil)
    try follow([run])
    run.finish()
    var outcome = run.outcome
    if let failure = outcome.failure { throw failure }
    if source == nil {
      do throws(OutputError) {
        try guess(&outcome)
      } catch {
        if let dead = DeadProgram(outcome) { return dead.judgement(settings.calm) }
        guard let reason = outcome.reason, !outcome.lines.isEmpty else {
          let messages = outcome.errors.last.map { "; on standard error: \($0.prefix(100))" } ?? ""
          throw outcome.lines.isEmpty ? error : OutputError(message: error.message + messages)
        }
        throw OutputError(message: "\(reason); before that, \(error.message)")
      }
    }
    quantities =
      settings.form?.quantities(among: settings.known) ?? Set(outcome.readings.flatMap(\.keys))
    usualConduct = Set(outcome.evidence?.findings.compactMap(\.classID) ?? [])
    place.first = outcome.evidence?.start ?? outcome.reads?.times.first ?? place.first
    place.data = outcome.evidence?.dataStart ?? place.data
    let judge = Judge(settings.calm, quantities: quantities)
    usualBadStart = judge.badStart(of: outcome)
    usualWrong = judge.wrongQuantities(of: outcome, after: usualBadStart)
    try learnTimes(outcome)
    return nil
  }

  /// Determines the interval between readings and the age of displayed values from the outcome on
  /// the calm bench (constant air, no faults).
  private func learnTimes(_ outcome: Outcome) throws {
    let count = outcome.readings.count
    // The run on the calm bench may contain more readings than those in other scenarios.
    let wanted = min(settings.readings(in: settings.calm), count)
    guard count >= 3, let reads = outcome.reads else { return }
    var rests = reads.rests(among: wanted, of: count)
    // A program may display a measurement several times.
    if rests.count < 2 { rests = reads.rests(among: count, of: count) }
    guard rests.count >= 2 else {
      if showsLater(outcome), reads.times.count == 1 { repetitions = (count - 1, count) }
      return
    }
    let length = rests[1].length
    let periods = zip(rests, rests.dropFirst()).map { $1.middle - $0.middle }.inOrder()
    let period = periods[periods.count / 2]
    pace = period
    (place.event, place.pace) = (rests[1].middle, period)
    guard let source = try makeSource() else { return }
    var assembly = ReadingAssembly()
    assembly.quantities = quantities
    var counts: [String: Int] = [:]
    for (line, time) in zip(outcome.lines, outcome.lineTimes) {
      let values = source.values(in: line)
      if values.isEmpty { counts[line.withoutDigits, default: 0] += 1 }
      assembly.take(values, at: time)
    }
    for line in outcome.errors { counts[line.withoutDigits, default: 0] += 1 }
    // What was printed once, such as an error at the start, is a message when it is printed again.
    usualLines = Set(counts.filter { $0.value > 1 }.keys)
    let ends = assembly.times.map(\.end).filter { $0 < .infinity }
    let distances = zip(ends, ends.dropFirst()).map { $1 - $0 }.inOrder()
    let median = distances.isEmpty ? period : distances[distances.count / 2]
    settings.readingsInRest = median > 0 ? min(max(Int((period / median).rounded()), 1), 100) : 1
    repetitions = (reads.repetitions(at: ends), ends.count)
    let oldest = reads.oldest(at: ends)
    // A value that is not printed right after its measurement may be as old as a pause.
    age =
      (oldest > length / 4 ? max(oldest, length) : oldest)
      + (outcome.evidence?.dataAge ?? settings.part?.measurementSeconds ?? 0) + 0.002
    // A mean of several measurements may consist of the first ones only, if the others fail.
    if median > 1.5 * period { age += median }
  }

  /// Returns `true` if the last reading was printed more than 0.5 s of virtual time after the
  /// first.
  private func showsLater(_ outcome: Outcome) -> Bool {
    guard let first = outcome.lineTimes.first, let last = outcome.lineTimes.last else {
      return false
    }
    return last.start > first.end + 0.5
  }

  /// The quantities that the part measures but the program does not seem to display, except those
  /// that the user ignores.
  var missing: [Measurand] {
    // Of several inputs between which the part selects, a program may display only some.
    let displaysSelected = quantities.contains { settings.part?.isSelected($0) == true }
    return settings.measured.inOrder().filter {
      !quantities.contains($0) && !settings.ignored.contains($0)
        && settings.part?.isDerived($0) != true
        && !(displaysSelected && settings.part?.isSelected($0) == true)
    }
  }

  /// Infers the output format and extracts the values.
  private func guess(_ outcome: inout Outcome) throws(OutputError) {
    guard !outcome.lines.isEmpty else {
      let messages =
        (outcome.reason.map { "; \($0)" } ?? "")
        + outcome.errors.suffix(3).map { "; on standard error: \($0)" }.joined()
      throw OutputError(
        message: "no output on the calm bench; \(outcome.onTheBus)\(messages)")
    }
    let guess = try FormatInference(
      outcome.lines, truth: ExpectedReading(settings.calm.phases[0], in: settings.calm).values,
      known: settings.known)
    patterns = guess.patterns
    let found = try PatternSource(patterns, of: settings.known)
    var assembly = ReadingAssembly()
    var seen: Set<Measurand> = []
    for line in outcome.lines {
      let values = found.values(in: line)
      assembly.take(values)
      guard !seen.isSuperset(of: values.map(\.quantity)), let marked = found.marked(line) else {
        continue
      }
      seen.formUnion(values.map(\.quantity))
      sample.append(marked)
    }
    assembly.finish()
    outcome.readings = assembly.readings
  }

  private func makeSource() throws(OutputError) -> (any ValueSource)? {
    if let form = settings.form {
      return try form.source(
        of: settings.known, secondsPerLine: max(settings.timeoutSeconds, 1))
    }
    return patterns.isEmpty ? nil : try PatternSource(patterns, of: settings.known)
  }

  /// Runs the program through scenarios.
  func run(_ scenarios: [Scenario]) throws -> [Judgement] {
    var running: [ScenarioRun] = []
    var judged: [String: Judgement] = [:]
    for scenario in scenarios {
      guard let reason = impossibility(of: scenario) else { continue }
      judged[scenario.name] = Judge(scenario, quantities: quantities).notRun(reason)
    }
    var waiting = scenarios.filter { judged[$0.name] == nil }[...]
    while !waiting.isEmpty || !running.isEmpty {
      while running.count < settings.jobs, let scenario = waiting.popFirst() {
        running.append(
          try ScenarioRun(
            scenario, at: place, in: folder, settings, makeSource(), quantities: quantities))
      }
      try poll(running)
      let over = running.filter { $0.isOver() }
      if over.contains(where: { $0.error != nil }) { continue }
      running.removeAll { run in
        guard over.contains(where: { $0 === run }) else { return false }
        run.finish()
        outcomes[run.scenario.name] = run.outcome
        let judge = judge(for: run.scenario)
        let correction = corrections[run.scenario.name]
        let outcome = judge.withMeans(correction?(run.outcome) ?? run.outcome)
        let judgement = judge.judge(outcome)
        judged[run.scenario.name] = judgement
        outcomes[run.scenario.name] = outcome
        progress(judgement)
        return true
      }
    }
    return scenarios.compactMap { judged[$0.name] }
  }

  /// Returns the reason why a scenario cannot be run; `nil` if it can.
  private func impossibility(of scenario: Scenario) -> String? {
    if scenario.needsSeveralReadings, pace == nil { return "the program displays only one reading" }
    if scenario.concernsAdapter, settings.firmware != nil {
      return "firmware uses the adapter of its microcontroller"
    }
    if !scenario.clockSteps.isEmpty, settings.firmware != nil {
      return "firmware has no wall clock that is set"
    }
    let isNamed = settings.scenarios.count < Scenario.all.count
    if scenario.accusesMeans, settings.firmware != nil, !isNamed {
      return "skipped for firmware, which may display means; --scenario \(scenario.name) runs it"
    }
    return nil
  }

  private func judge(for scenario: Scenario) -> Judge {
    let isCalm = scenario.name == Scenario.calm.name
    var judge = Judge(
      scenario, quantities: quantities, usualConduct: isCalm ? [] : usualConduct,
      usualBadStart: isCalm ? 0 : usualBadStart, usualWrong: isCalm ? [] : usualWrong)
    judge.usualLines = usualLines
    judge.repetitions = isCalm ? repetitions : (0, 0)
    judge.timing = Timing(scenario, at: place, age: age)
    if corrections[scenario.name] != nil {
      // After the last firing of a fault, a program must recover.
      let ends = outcomes[scenario.name]?.faults.compactMap(\.evidence.firings.last?.time) ?? []
      let last = ends.max().map { Double($0) / 1e9 } ?? 0
      if var timing = judge.timing {
        timing.event = max(timing.event, last)
        judge.timing = timing
      }
    }
    return judge
  }

  /// Adds the likely defects to the judgements once the outcomes of all scenarios are known.
  func explained(_ judgements: [Judgement]) -> [Judgement] {
    var benches: [CrossCheck.Bench] = []
    for judgement in judgements
    where judgement.scenario.wanted != .error && !judgement.scenario.isTimed {
      guard let outcome = outcomes[judgement.scenario.name], let evidence = outcome.evidence,
        !outcome.readings.isEmpty
      else { continue }
      let readings = outcome.readings
      benches.append(.init(evidence, readings.map(\.observation), isPlain: false))
      guard judgement.scenario.name == Scenario.calm.name, !usualWrong.isEmpty else { continue }
      let wrong = readings.map { $0.filter { usualWrong.contains($0.key) } }
      benches.append(.init(evidence, wrong.map(\.observation), isPlain: true))
    }
    let check = CrossCheck(benches)
    return judgements.map { judgement in
      guard let outcome = outcomes[judgement.scenario.name] else { return judgement }
      return judge(for: judgement.scenario).explained(judgement, outcome, check)
    }
  }

  private func follow(_ runs: [ScenarioRun]) throws {
    while !runs.allSatisfy({ $0.isOver() }) { try poll(runs) }
    if let error = runs.lazy.compactMap(\.error).first { throw error }
  }

  /// Waits up to 5 ms for output from the programs.
  ///
  /// On an interrupt, all programs are ended.
  private func poll(_ runs: [ScenarioRun]) throws {
    let error = runs.lazy.compactMap(\.error).first
    if isInterrupted() || error != nil {
      runs.forEach { $0.abandon() }
      if let error { throw error }
      throw AuditError.interrupted
    }
    var places: [(run: ScenarioRun, index: Int)] = []
    var descriptors: [pollfd] = []
    for run in runs {
      for (index, descriptor) in run.program.descriptors.enumerated() where descriptor >= 0 {
        places.append((run, index))
        descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
    }
    guard Glibc.poll(&descriptors, nfds_t(descriptors.count), 5) > 0 else { return }
    for (place, descriptor) in zip(places, descriptors) where descriptor.revents != 0 {
      place.run.take(place.index)
    }
  }
}

extension Judge {
  /// Creates the judgement for a scenario that cannot be run.
  func notRun(_ reason: String) -> Judgement {
    Judgement(
      scenario: scenario, verdict: .notRun, shown: [], differences: [], reason: reason, likely: [],
      conduct: [], readings: 0, seconds: 0)
  }
}
