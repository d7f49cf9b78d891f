import Bench
import Diagnosis
import Glibc
import I2C
import I2CTrace
import Support
import TraceTools
import VirtualI2C

/// A search for the smallest disturbance that makes a program fail, guided by the transfers that it makes.
///
/// A bench on which the program does something new, a transfer after another one, a message, or for firmware an instruction
/// that no earlier bench reached, is kept and changed further.
package final class Hunt {
  /// The limits of a hunt.
  package struct Budget: Sendable {
    /// The number of benches.
    package var trials = 500
    /// The real time in nanoseconds.
    package var nanoseconds: UInt64 = 600_000_000_000
    /// The number of findings with different causes after which it ends.
    package var findings = 1

    package init() {}
  }

  /// The result of a hunt.
  package struct Result: Sendable {
    /// The findings, each with its smallest bench.
    package internal(set) var found: [SmallestBench] = []
    /// The number of benches until each finding, before they were made smaller.
    package internal(set) var after: [Int] = []
    /// The number of benches.
    package internal(set) var trials = 0
    /// The number of benches on which the program did something new.
    package internal(set) var kept = 0
    /// The number of different things that the program did.
    package internal(set) var features = 0
    /// The quantities that the part measures, but that were not found in the output.
    package internal(set) var missing: [String] = []
  }

  /// What a hunt has done so far.
  package struct Progress: Sendable {
    package let trials: Int
    package let features: Int
    package let found: Int
  }

  private let audit: AuditRun
  private let budget: Budget
  private let seed: UInt64
  private let progress: (Progress) -> Void
  private var source: HuntBench.Source
  private var chance: SeededGenerator
  private var corpus: [HuntBench] = []
  private var features: Set<Int> = []
  private var result = Result()
  private var causes: Set<String> = []
  private let clock = WallClock()
  private var number = 0

  /// The number of benches that are judged together; it does not depend on the number of processors, so that a hunt is the
  /// same on every machine.
  private static let batch = 8
  /// The number of benches for making a finding smaller.
  private static let mostSimplifications = 150

  /// Prepares a hunt.
  ///
  /// - Parameters:
  ///   - audit: the audit of the program; its scenarios are not used.
  ///   - seed: the seed; the same seed gives the same benches.
  ///   - budget: the limits.
  ///   - progress: receives the progress after each batch.
  package init(
    _ audit: AuditRun, seed: UInt64, budget: Budget, progress: @escaping (Progress) -> Void
  ) {
    (self.audit, self.seed, self.budget, self.progress) = (audit, seed, budget, progress)
    chance = SeededGenerator(seed: seed, stream: 1)
    let settings = audit.settings
    source = HuntBench.Source(
      kind: RandomBench.Kind(
        part: settings.part, chip: settings.chip, isFirmware: settings.firmware != nil),
      real: settings.part == nil ? RandomBench.realParts(settings.chip) : [RandomBench.usual],
      isTimed: false, registers: [])
  }

  /// Searches until the budget is used up, or enough findings were made.
  ///
  /// - Throws: ``AuditError``; a program that fails on the calm bench is judged there, and not hunted.
  /// - Returns: the findings.
  package func run() throws(AuditError) -> Result {
    if let dead = try audit.prepare() {
      result.found = [SmallestBench(origin: dead.scenario.name, judgement: dead, rig: "")]
      result.after = [0]
      return result
    }
    source = HuntBench.Source(
      kind: source.kind, real: source.real, isTimed: audit.hasSeveralReadings,
      registers: audit.registers)
    result.missing = audit.missing.map(\.name)
    while result.trials < budget.trials, clock.nanoseconds < budget.nanoseconds,
      result.found.count < budget.findings
    {
      let benches = (0..<min(Self.batch, budget.trials - result.trials)).map { _ in next() }
      let trials = try audit.trials(benches.map { ($0, name()) }, isTimed: source.isTimed)
      result.trials += trials.count
      for (bench, trial) in zip(benches, trials) {
        let new = trial.features.subtracting(features)
        if !new.isEmpty {
          features.formUnion(new)
          corpus.append(bench)
          result.kept += 1
        }
        guard trial.judgement.verdict.isFinding, result.found.count < budget.findings,
          causes.insert(trial.judgement.cause).inserted
        else { continue }
        try keep(bench)
      }
      progress(
        Progress(trials: result.trials, features: features.count, found: result.found.count))
    }
    result.features = features.count
    return result
  }

  private func name() -> String {
    number += 1
    return "hunt-\(number)"
  }

  /// Returns a new bench, or one of the corpus with changes: the later it was found, the more often.
  private func next() -> HuntBench {
    let count = UInt64(corpus.count)
    guard count > 0, chance.next() % 4 > 0 else {
      return HuntBench(number + 1 + Int(chance.next() % 1_000_000), seed: seed, source)
    }
    let index = max(chance.next() % count, chance.next() % count)
    return corpus[Int(index)].mutated(&chance, source)
  }

  /// Makes the bench of a finding smaller, and keeps it.
  private func keep(_ bench: HuntBench) throws(AuditError) {
    var bench = bench
    let after = result.trials
    var spent = 0
    var isSimpler = true
    while isSimpler, spent < Self.mostSimplifications {
      isSimpler = false
      let simpler = bench.simplifications
      for start in stride(from: 0, to: simpler.count, by: Self.batch) where !isSimpler {
        let part = Array(simpler[start..<min(start + Self.batch, simpler.count)])
        let trials = try audit.trials(part.map { ($0, name()) }, isTimed: source.isTimed)
        spent += part.count
        if let index = trials.firstIndex(where: { $0.judgement.verdict.isFinding }) {
          (bench, isSimpler) = (part[index], true)
        }
      }
    }
    let last = "found-\(result.found.count + 1)"
    let trial = try audit.trials([(bench, last)], isTimed: source.isTimed)[0]
    guard trial.judgement.verdict.isFinding else { return }
    causes.insert(trial.judgement.cause)
    result.found.append(
      SmallestBench(
        origin: "trial \(after)", judgement: trial.judgement, rig: trial.rig))
    result.after.append(after)
  }
}

extension AuditRun {
  /// What one bench of a hunt showed.
  struct Trial {
    let judgement: Judgement
    /// What the program did, as hashes.
    let features: Set<Int>
    let rig: String
  }

  /// `true` if the program has several readings, at known times.
  var hasSeveralReadings: Bool { pace != nil }

  /// Runs the program on the calm bench.
  ///
  /// - Throws: ``AuditError``.
  /// - Returns: the judgement on a program that fails there; otherwise `nil`.
  func prepare() throws(AuditError) -> Judgement? {
    try converting { () throws in
      if let dead = try learn() { return dead }
      registers = Self.registers(in: "\(folder)/\(settings.calm.name).i2ctrace")
      return nil
    }
  }

  /// Runs the program on benches, and judges it.
  ///
  /// - Parameters:
  ///   - benches: the benches, each with the name of its files.
  ///   - isTimed: whether the program has several readings.
  /// - Throws: ``AuditError``.
  /// - Returns: one trial for each bench, in their order.
  func trials(
    _ benches: [(HuntBench, String)], isTimed: Bool
  ) throws(AuditError) -> [Trial] {
    try converting { () throws in
      let pace = pace ?? 0
      let scenarios = benches.map {
        $0.scenario($1, isTimed: isTimed, pace: pace)
      }
      for (scenario, bench) in zip(scenarios, benches) {
        corrections[scenario.name] = { bench.0.withoutCorrupted($0, pace: pace) }
      }
      let judgements = try explained(run(scenarios))
      // A bench that cannot be set up says nothing about the program.
      for scenario in scenarios {
        if let failure = outcomes[scenario.name]?.failure { throw failure }
      }
      return zip(scenarios, judgements).map { scenario, judgement in
        defer { forget(scenario) }
        return Trial(
          judgement: judgement, features: features(of: scenario),
          rig: scenario.rig(at: scenario.place(place)))
      }
    }
  }

  /// Removes the files and the outcome of a trial.
  private func forget(_ scenario: Scenario) {
    (outcomes[scenario.name], corrections[scenario.name]) = (nil, nil)
    for suffix in [".yaml", ".i2ctrace", ".events.jsonl", ".blocks"] {
      unlink("\(folder)/\(scenario.name)\(suffix)")
    }
  }

  /// Returns what the program did in a scenario: pairs of successive transfers, the texts that it printed, how it ended, and
  /// the instructions of firmware.
  private func features(of scenario: Scenario) -> Set<Int> {
    var found: Set<Int> = []
    func add(_ kind: Int, _ value: some Hashable) {
      var hasher = StableHash()
      hasher.take("\(kind) \(value)")
      found.insert(hasher.value)
    }
    var last = ""
    if var input = try? TraceInput("\(folder)/\(scenario.name).i2ctrace") {
      while let transfer = try? input.nextWhole() {
        let shape = Self.shape(transfer)
        add(0, last + shape)
        last = shape
      }
    }
    guard let outcome = outcomes[scenario.name] else { return found }
    for line in Set((outcome.lines + outcome.errors).map(\.withoutDigits)) { add(1, line) }
    add(2, outcome.status ?? -1)
    for line in (try? TextFile.read("\(folder)/\(scenario.name).blocks"))?.split(separator: "\n")
      ?? []
    {
      add(3, line)
    }
    return found
  }

  /// The directions, lengths, first written byte and error of a transfer.
  private static func shape(_ transfer: TracedTransfer) -> String {
    transfer.messages.map { message in
      let isRead = message.segment.direction == .read
      let first = isRead ? "" : message.bytes.first.map { Hexadecimal.digits($0) } ?? ""
      return "\(isRead ? "r" : "w")\(message.bytes.count)\(first)"
    }.joined(separator: " ") + (transfer.error.map { " \($0)" } ?? "") + ";"
  }

  /// Returns the registers that the transfers of a trace begin with.
  private static func registers(in path: String) -> [UInt8] {
    var found: Set<UInt8> = []
    guard var input = try? TraceInput(path) else { return [] }
    while let transfer = try? input.nextWhole() {
      guard let first = transfer.messages.first, first.segment.direction == .write,
        let register = first.bytes.first
      else { continue }
      found.insert(register)
    }
    return found.sorted()
  }
}

/// A hash that is the same in every process, unlike that of the standard library (64-bit FNV-1a).
private struct StableHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func take(_ text: String) {
    for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  var value: Int { Int(truncatingIfNeeded: state) }
}
