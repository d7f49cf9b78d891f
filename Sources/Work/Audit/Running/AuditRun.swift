import BME280
import Bench
import DriverDefects
import DriverDiagnosis
import Files
import Glibc
package import Quantities
import Runs
import Text

/// Runs a program through the scenarios.
package final class AuditRun {
  /// What came of it.
  package struct Result: Sendable {
    /// The program and its arguments.
    package let program: [String]
    /// The expressions that were guessed; empty where the user said how values are found.
    package let guessed: [String]
    /// Lines of its output with brackets around the values that these found, until each quantity was seen.
    package let sample: [String]
    /// What the part measures and no number was taken for, where the expressions were guessed.
    package let missing: [Quantity]
    /// The time between two readings in seconds of the program's time; `nil` for one that shows one.
    package let pace: Double?
    /// The judgements, in the order of the scenarios.
    package let judgements: [Judgement]
    /// How long everything took by the wall clock, in seconds.
    package let seconds: Double
  }

  private var settings: AuditSettings
  private let folder: String
  private let progress: (Judgement) -> Void
  private let isInterrupted: () -> Bool
  private var patterns: [String] = []
  private var sample: [String] = []
  private var quantities: Set<Quantity> = []
  private var pace: Double?
  /// How old a value may be when it is shown, in seconds.
  private var age = 0.0
  /// What the program prints and says on the calm bench beside its values, without digits.
  private var usualLines: Set<String> = []
  /// How many of its readings there show a measurement that it has shown before, and of how many.
  private var repetitions = (count: 0, all: 0)
  private var place: Scenario.Place
  /// What the program does wrong on the bus even on the calm bench.
  private var usualConduct: Set<String> = []
  /// How many readings are wrong at the beginning there.
  private var usualBadStart = 0
  /// Which quantities are wrong there even behind them.
  private var usualWrong: Set<Quantity> = []
  /// What came of each scenario, for the explanation of those that are wrong.
  private var outcomes: [String: Outcome] = [:]

  /// Prepares an audit.
  ///
  /// - Parameters:
  ///   - settings: what is audited, and how.
  ///   - folder: an existing folder for rigs and traces.
  ///   - isInterrupted: whether the audit shall end before its time; asked while programs run.
  ///   - progress: takes each judgement as it is made.
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

  /// Why there is no result.

  /// Runs everything.
  ///
  /// - Throws: ``AuditError``.
  /// - Returns: the judgements.
  package func run() throws(AuditError) -> Result {
    let clock = WallClock()
    do {
      let dead = try learn()
      let judgements = try dead.map { [$0] } ?? explained(runAll())
      return Result(
        program: settings.program, guessed: settings.form == nil ? patterns : [],
        sample: sample,
        missing: dead == nil && settings.form == nil ? missing : [], pace: pace,
        judgements: judgements.withCommonDifferences().withLastDigits(outcomes, judge)
          .withUnhandledEnds(outcomes),
        seconds: Double(clock.nanoseconds) / 1e9)
    } catch let failure as AuditError {
      throw failure
    } catch let failure as Failure {
      throw .bench(failure)
    } catch let mistake as OutputError {
      throw .output(mistake)
    } catch {
      throw .bench(Failure(.unavailable, "\(error)"))
    }
  }

  /// Learns on the calm bench how the program shows its values, and how often.
  ///
  /// - Returns: the judgement of a program that uses the part and dies there before it shows anything: there is
  ///   nothing more to learn.
  private func learn() throws -> Judgement? {
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
        guard let reason = outcome.reason, !outcome.lines.isEmpty else { throw error }
        throw OutputError(message: "\(reason); before that, \(error.message)")
      }
    }
    quantities = settings.form?.quantities ?? Set(outcome.readings.flatMap(\.keys))
    usualConduct = Set(outcome.evidence?.findings.compactMap(\.classID) ?? [])
    place.first = outcome.evidence?.start ?? place.first
    place.data = outcome.evidence?.dataStart ?? place.data
    let judge = Judge(settings.calm, quantities: quantities)
    usualBadStart = judge.badStart(of: outcome)
    usualWrong = judge.wrongQuantities(of: outcome, after: usualBadStart)
    try learnTimes(outcome)
    return nil
  }

  /// Learns on the calm bench how often the program measures and shows, and how old its values are.
  private func learnTimes(_ outcome: Outcome) throws {
    let count = outcome.readings.count
    // It may have shown more than it will on the other benches.
    let wanted = min(settings.readings(in: settings.calm), count)
    guard count >= 3, let evidence = outcome.evidence else { return }
    var rests = evidence.rests(among: wanted, of: count)
    // A program may show a measurement several times.
    if rests.count < 2 { rests = evidence.rests(among: count, of: count) }
    guard rests.count >= 2 else {
      if showsLater(outcome), evidence.measurements.count == 1 { repetitions = (count - 1, count) }
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
    for (line, time) in zip(outcome.lines, outcome.lineTimes) {
      let values = source.values(in: line)
      if values.isEmpty { usualLines.insert(line.withoutDigits) }
      assembly.take(values, at: time)
    }
    usualLines.formUnion(outcome.errors.map(\.withoutDigits))
    let ends = assembly.times.map(\.end).filter { $0 < .infinity }
    let distances = zip(ends, ends.dropFirst()).map { $1 - $0 }.inOrder()
    let median = distances.isEmpty ? period : distances[distances.count / 2]
    settings.readingsInRest = median > 0 ? min(max(Int((period / median).rounded()), 1), 100) : 1
    repetitions = (evidence.repetitions(at: ends), ends.count)
    let oldest = evidence.oldest(at: ends)
    // What is shown apart from the measurement may be as old as a rest.
    age = (oldest > length / 4 ? max(oldest, length) : oldest) + evidence.dataAge + 0.002
  }

  /// Whether the last reading was printed a while after the first: more than half a second of the program's time.
  private func showsLater(_ outcome: Outcome) -> Bool {
    guard let first = outcome.lineTimes.first, let last = outcome.lineTimes.last else {
      return false
    }
    return last.start > first.end + 0.5
  }

  /// What the part measures and the program does not show, as far as anybody can see.
  private var missing: [Quantity] {
    Quantity.allCases.filter {
      !quantities.contains($0) && !settings.ignored.contains($0)
        && (settings.chip.measuresHumidity || $0 != .humidity)
    }
  }

  /// Guesses how the program shows its values, and finds them so.
  private func guess(_ outcome: inout Outcome) throws(OutputError) {
    guard !outcome.lines.isEmpty else {
      let said =
        (outcome.reason.map { "; \($0)" } ?? "")
        + outcome.errors.suffix(3).map { "; it said: \($0)" }.joined()
      throw OutputError(
        message: "the program prints nothing on a calm bench; \(outcome.onTheBus)\(said)")
    }
    let guess = try FormatInference(
      outcome.lines, truth: ExpectedReading(.mild, in: settings.calm).values)
    patterns = guess.patterns
    let found = try PatternSource(patterns)
    var assembly = ReadingAssembly()
    var seen: Set<Quantity> = []
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
      return try form.source(secondsPerLine: max(settings.timeoutSeconds, 1))
    }
    return patterns.isEmpty ? nil : try PatternSource(patterns)
  }

  private func runAll() throws -> [Judgement] {
    let scenarios = settings.fittingScenarios
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
      if over.contains(where: { $0.mistake != nil }) { continue }
      running.removeAll { run in
        guard over.contains(where: { $0 === run }) else { return false }
        run.finish()
        let judge = judge(for: run.scenario)
        let outcome = judge.withMeans(run.outcome)
        let judgement = judge.judge(outcome)
        judged[run.scenario.name] = judgement
        outcomes[run.scenario.name] = outcome
        progress(judgement)
        return true
      }
    }
    return scenarios.compactMap { judged[$0.name] }
  }

  /// Why a scenario cannot take place; `nil` where it can.
  private func impossibility(of scenario: Scenario) -> String? {
    if scenario.needsSeveralReadings, pace == nil { return "the program shows one reading" }
    if scenario.concernsAdapter, settings.firmware != nil {
      return "the adapter of firmware is in its microcontroller"
    }
    let isNamed = settings.scenarios.count < Scenario.all.count
    if scenario.accusesMeans, settings.firmware != nil, !isNamed {
      return "it would accuse the means that firmware shows; --scenario \(scenario.name) runs it"
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
    return judge
  }

  /// Explains what is wrong, now that it is known what the program showed everywhere.
  private func explained(_ judgements: [Judgement]) -> [Judgement] {
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
    if let mistake = runs.lazy.compactMap(\.mistake).first { throw mistake }
  }

  /// Waits until something comes from one of the programs, or 5 ms.
  ///
  /// Where there is nothing more to wait for, it ends them all.
  private func poll(_ runs: [ScenarioRun]) throws {
    let mistake = runs.lazy.compactMap(\.mistake).first
    if isInterrupted() || mistake != nil {
      runs.forEach { $0.abandon() }
      if let mistake { throw mistake }
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
  /// The judgement of a scenario that cannot take place.
  func notRun(_ reason: String) -> Judgement {
    Judgement(
      scenario: scenario, verdict: .notRun, shown: [], differences: [], reason: reason, likely: [],
      conduct: [], readings: 0, seconds: 0)
  }
}
