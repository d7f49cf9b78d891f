import Bench
import Chips
package import Diagnosis
import Parts
import Quantities
import Rigs
import Runs
package import Support
import VirtualI2C

/// The search for explanations of a table of wrong pressures; each answer is verified on the bench.
package struct TableStudy {
  /// The settings of a search.
  package struct Settings {
    /// The random seed.
    package var seed: UInt64 = 1
    /// The defects that the program is already known to have.
    package var given: [String] = []
    /// The formulas to try.
    package var formulas = FaultyDecoder.formulaNames
    /// `true` if the program's language traps on arithmetic overflow.
    package var traps = false
    /// The calibrations to try instead of the built-in ones.
    package var parts: [String] = []
    package var limits = TableSearch.Limits()

    package init() {}
  }

  /// An explanation and its rig.
  package struct Answer {
    package let explanation: TableExplanation
    /// The text of the rig.
    package let rig: String
    /// The file name of the rig.
    package let file: String
  }

  package let table: ShownTable
  /// The result of the search.
  package let outcome: TableSearch.Outcome
  /// The verified explanations, best first.
  package let answers: [Answer]
  /// The verified near misses, which reproduce only a similar table: the nearest one in which one
  /// program runs unchanged through all rows, and the nearest one with lost readings.
  package let nearest: Answer?, nearestWithLosses: Answer?
  /// The number of explanations that could not be verified.
  package let unconfirmed: Int
  /// The random seed.
  package let seed: UInt64

  /// The significance level: an explanation is significant if at most this share of random tables
  /// has an equally short one.
  package static let significance = 0.05

  /// `true` if the table is explained, which means that random tables rarely have an equally short
  /// explanation.
  package var isExplained: Bool {
    answers.first.map { Self.explains($0.explanation, outcome) } ?? false
  }

  /// Returns `true` if an explanation is significant, which means that random tables rarely have an
  /// equally short one.
  private static func explains(
    _ best: TableExplanation, _ outcome: TableSearch.Outcome
  ) -> Bool {
    let cheaper = outcome.controls.count { $0 <= best.bits }
    return Double(cheaper) <= significance * Double(outcome.controls.count)
  }

  /// Searches and verifies the results.
  ///
  /// - Throws: `Failure` for an unknown name or an unreadable calibration.
  package init(_ table: ShownTable, _ settings: Settings = Settings()) throws(Failure) {
    var parts: [TableSearch.Part] = []
    for word in settings.parts {
      if let part = try TableSearch.Part.named(word) { parts.append(part) }
    }
    if settings.parts.isEmpty { parts = try TableSearch.Part.builtIn() }
    guard
      var search = TableSearch(
        table, parts: parts, given: settings.given, formulas: settings.formulas,
        traps: settings.traps, limits: settings.limits,
        chance: SeededGenerator(seed: settings.seed, stream: 0x7AB1E))
    else { throw Failure(.usage, "unknown defect or formula") }
    let outcome = search.run()
    var answers: [Answer] = []
    var unconfirmed = 0
    for explanation in outcome.explanations {
      // A result that is not significant must not be called an explanation.
      let best = answers.first?.explanation ?? explanation
      let isOne = Self.explains(best, outcome)
      let name = "\(isOne ? "explanation" : "nearest-miss")-\(answers.count + 1)"
      let claim: ExplainedRig.Claim = isOne ? .explanation : .anything
      if let answer = try Self.confirmed(explanation, of: table, name: name, claim) {
        answers.append(answer)
      } else {
        unconfirmed += 1
      }
    }
    nearest = try Self.first(outcome.nearest, of: table, name: "nearest")
    nearestWithLosses = try Self.first(
      outcome.nearestWithLosses, of: table, name: "nearest-with-losses")
    (self.table, self.outcome, self.answers) = (table, outcome, answers)
    (self.unconfirmed, seed) = (unconfirmed, settings.seed)
  }

  /// Returns the first near miss that is confirmed on the bench.
  private static func first(
    _ misses: [TableExplanation], of table: ShownTable, name: String
  ) throws(Failure) -> Answer? {
    for miss in misses {
      if let answer = try confirmed(miss, of: table, name: name, .miss) { return answer }
    }
    return nil
  }

  /// Returns the explanation with its rig if a run of that rig confirms the explanation; otherwise
  /// `nil`.
  private static func confirmed(
    _ explanation: TableExplanation, of table: ShownTable, name: String,
    _ claim: ExplainedRig.Claim
  ) throws(Failure) -> Answer? {
    // Values out of range cannot be expressed in a rig.
    guard explanation.values.allSatisfy({ $0 > 0 && $0 < 1_900_000 }) else { return nil }
    let text = ExplainedRig(
      name: name, explanation: explanation, table: table, claim: claim
    ).text
    let rig = try Rig(text: text, file: "\(name).yaml")
    guard try RigRun(rig).run().passed else { return nil }
    return Answer(explanation: explanation, rig: text, file: "\(name).yaml")
  }
}

extension TableSearch.Part {
  /// Loads the built-in calibrations of real parts.
  ///
  /// - Throws: `Failure` only on an internal error.
  package static func builtIn() throws(Failure) -> [TableSearch.Part] {
    var parts: [TableSearch.Part] = []
    for name in BuiltInFile.names(.calibration) {
      if let part = try named(name) { parts.append(part) }
    }
    return parts
  }

  /// Loads a calibration by built-in name or file; returns `nil` if it is not valid for a part.
  ///
  /// - Throws: `Failure` if it cannot be read.
  package static func named(_ word: String) throws(Failure) -> TableSearch.Part? {
    try CalibrationFile(path: NamedInput(word, .calibration).path).calibration.map {
      TableSearch.Part(name: word, calibration: $0)
    }
  }
}

/// An explanation of a table of wrong pressures, written as a rig file that reproduces the table on
/// the bench.
struct ExplainedRig {
  let name: String
  let explanation: TableExplanation
  let table: ShownTable
  let claim: Claim

  /// The degree to which an explanation accounts for the table.
  enum Claim: String {
    /// The explanation reproduces the table, and random tables rarely have an equally short
    /// explanation.
    case explanation = "an explanation"
    /// The explanation reproduces the table, but random tables have equally short explanations.
    case anything = "not an explanation, since random tables have equally short ones: a sequence"
    /// The explanation reproduces only a similar table, which the rig expects instead.
    case miss = "a near miss"
  }

  private var isWhole: Bool { claim != .miss }

  /// The time at which the rig checks the average of a row, in seconds after the first reading of
  /// that row.
  private static let behind = 30.0

  /// The text of the rig.
  var text: String {
    let rows = table.rows
    let last = (rows.last?.time ?? 0) + 60
    return """
      # Written by 'aneroid explain': \(sentence)
      name: \(name)
      seed: 1
      duration: \(seconds(last))
      buses:
        - number: 1
          devices:
            - \(explanation.device)
      environment:
        steps:
      \(rows.indices.map(step).joined(separator: "\n"))
      pipeline:
        oversampling: {temperature: 1, pressure: 1, humidity: 0}
        samples: 5
        sample_every: 10s
      \(cycles)
        compare:
          formula: \(explanation.formula)
          defects: [\(names(explanation.steps[0]))]
          lost: \(explanation.steps[0].lost)
      \(changes)expect:
        - {that: readings, count: \(5 * rows.count)}
        - {that: temperature, within: 0.05C, of: environment}
      \(rows.indices.map(expectation).joined(separator: "\n"))

      """
  }

  private var sentence: String {
    let part = explanation.part.map { "the part \($0)" } ?? "a fitted part"
    return "\(claim.rawValue) of \(Decimal.fixed(explanation.bits, 1)) bits on \(part)."
  }

  private func names(_ step: TableExplanation.Step) -> String {
    step.defects.map(\.name).joined(separator: ", ")
  }

  private func seconds(_ time: Double) -> String { "\(Decimal.shortest(time))s" }

  private func hectopascals(_ pascals: Double) -> String {
    "\(Decimal.fixed(Quantity.pressure.shown(pascals), 3))hPa"
  }

  private func step(_ index: Int) -> String {
    let rows = table.rows
    let time = index == 0 ? 0 : (rows[index - 1].time + rows[index].time) / 2
    return "    - {at: \(seconds(time)), pressure: \(hectopascals(rows[index].right)), "
      + "temperature: \(Decimal.shortest(rows[index].celsius))C, humidity: 40%}"
  }

  /// The rig's keys for the times of the rows: a cycle or, if the rows are not equidistant,
  /// requests.
  private var cycles: String {
    let rows = table.rows
    let gaps = zip(rows, rows.dropFirst()).map { $1.time - $0.time }
    if let first = gaps.first, gaps.allSatisfy({ abs($0 - first) < 1e-6 }) {
      return "  cycle: \(seconds(first))"
    }
    let times = rows.dropFirst().map { seconds($0.time) }.joined(separator: ", ")
    return "  cycle: \(seconds((rows.last?.time ?? 0) + 120))\n  requests: [\(times)]"
  }

  private var changes: String {
    let later = explanation.steps.dropFirst()
    guard !later.isEmpty else { return "" }
    var before = explanation.steps[0]
    let lines = later.map { step in
      defer { before = step }
      let isNew = step.isRestart || step.defects != before.defects
      let defects = isNew ? ", defects: [\(names(step))]" : ""
      return "      - {at: \(seconds(table.rows[step.row].time))\(defects), lost: \(step.lost)}"
    }
    return "    changes:\n" + lines.joined(separator: "\n") + "\n"
  }

  private func expectation(_ index: Int) -> String {
    let row = table.rows[index]
    let (centre, half) =
      isWhole
      ? (row.shown, row.tolerance)
      : (explanation.values[index], max(explanation.values[index] * 0.002, row.tolerance))
    return "  - {that: beside, at: \(seconds(row.time + Self.behind)), "
      + "pressure: [\(hectopascals(centre - half)), \(hectopascals(centre + half))]}"
  }
}
