import Bench
import Chips
import DriverDefects
package import DriverDiagnosis
package import Files
import Rigs
import Runs
import VirtualI2C

/// A table of wrong pressures, searched, and what was found verified on the bench.
package struct TableStudy {
  /// How to search.
  package struct Settings {
    /// Where all chance comes from.
    package var seed: UInt64 = 1
    /// The defects that the program is known to have.
    package var given: [String] = []
    /// The formulas that it may use.
    package var formulas = FaultyDecoder.formulaNames
    /// Whether its language ends it where arithmetic overflows.
    package var traps = false
    /// Calibrations that are tried instead of the built-in ones.
    package var parts: [String] = []
    /// How far the search goes.
    package var limits = TableSearch.Limits()

    /// Creates the usual settings.
    package init() {}
  }

  /// An explanation and the rig that shows it.
  package struct Answer {
    /// What explains the table.
    package let explanation: TableExplanation
    /// The rig.
    package let rig: String
    /// The name of its file.
    package let file: String
  }

  /// What was asked.
  package let table: ShownTable
  /// What was found.
  package let outcome: TableSearch.Outcome
  /// The explanations that the bench confirms, best first.
  package let answers: [Answer]
  /// The nearest misses that the bench confirms: nothing changes from row to row; readings may be lost.
  package let nearest: Answer?, nearestWithLosses: Answer?
  /// How many explanations the bench does not confirm.
  package let unconfirmed: Int
  /// Where chance came from.
  package let seed: UInt64

  /// The share of random tables up to which an explanation says something.
  package static let significance = 0.05

  /// Whether the table is explained: by what explains hardly any random table as cheaply.
  package var isExplained: Bool {
    answers.first.map { Self.explains($0.explanation, outcome) } ?? false
  }

  /// Whether the cheapest explanation says more than what gives any random table.
  private static func explains(
    _ best: TableExplanation, _ outcome: TableSearch.Outcome
  ) -> Bool {
    let cheaper = outcome.controls.count { $0 <= best.bits }
    return Double(cheaper) <= significance * Double(outcome.controls.count)
  }

  /// Searches, and runs what was found.
  ///
  /// - Throws: `Failure` where a name is unknown or a calibration cannot be read.
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
    else { throw Failure(.usage, "a defect or a formula is none that the catalogue has") }
    let outcome = search.run()
    var answers: [Answer] = []
    var unconfirmed = 0
    for explanation in outcome.explanations {
      // Nobody shall take for an explanation what explains random tables as cheaply.
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

  /// The first of some near misses that the bench confirms.
  private static func first(
    _ misses: [TableExplanation], of table: ShownTable, name: String
  ) throws(Failure) -> Answer? {
    for miss in misses {
      if let answer = try confirmed(miss, of: table, name: name, .miss) { return answer }
    }
    return nil
  }

  /// The answer, if its rig shows what is claimed.
  private static func confirmed(
    _ explanation: TableExplanation, of table: ShownTable, name: String,
    _ claim: ExplainedRig.Claim
  ) throws(Failure) -> Answer? {
    // What no rig can write down is no pressure that anybody saw.
    guard explanation.values.allSatisfy({ $0 > 0 && $0 < 1_900_000 }) else { return nil }
    let text = ExplainedRig(
      name: name, explanation: explanation, table: table, claim: claim
    ).text
    let rig = try Rig(text: text, file: "\(name).yaml")
    guard try RigRun(rig).run().passed else { return nil }
    return Answer(explanation: explanation, rig: text, file: "\(name).yaml")
  }
}
