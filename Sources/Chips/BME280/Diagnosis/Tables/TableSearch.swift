package import BME280
import DriverDefects

/// The search for what explains a table of wrong pressures: programs with defects alone and together, calibrations of
/// real parts and of any that could be, and what is carried from row to row.
///
/// What is found is ranked by the bits that it takes to say it. The same search runs on tables of random pressures:
/// what explains those as cheaply explains nothing.
package struct TableSearch {
  /// A part that is tried.
  package struct Part: Sendable {
    /// Its name.
    package let name: String
    /// Its calibration.
    package let calibration: Calibration

    /// Creates a part.
    package init(name: String, calibration: Calibration) {
      (self.name, self.calibration) = (name, calibration)
    }
  }

  /// How far the search goes.
  package struct Limits: Sendable {
    /// How many defects a program has at most in addition to those that are given.
    package var defects = 3
    /// How many parts with any words are tried.
    package var parts = 300
    /// How many of them are fitted to each table, and in how many steps.
    package var climbs = 8, steps = 3000
    /// How many random tables stand for chance.
    package var controls = 24
    /// How many explanations are kept.
    package var kept = 10

    /// Creates the usual limits.
    package init() {}

    /// Tries more or fewer fitted parts.
    ///
    /// - Parameter percent: how many, of the present number.
    package mutating func scale(to percent: Int) {
      parts = parts * percent / 100
      climbs = climbs * percent / 100
    }
  }

  /// What was found.
  package struct Outcome: Sendable {
    /// The explanations, those that take the fewest bits first.
    package var explanations: [TableExplanation] = []
    /// The nearest misses of one program on one part where nothing changes from row to row, the best first.
    package var nearest: [TableExplanation] = []
    /// The same where readings may be lost.
    package var nearestWithLosses: [TableExplanation] = []
    /// How many bits the cheapest explanation of each random table takes; infinite where it has none.
    package var controls: [Double] = []
    /// How many programs and how many parts were tried.
    package var programs = 0, parts = 0

    /// The share of random tables that are explained as cheaply as this one; 1 where it is not explained at all.
    package var chance: Double {
      guard let best = explanations.first?.bits, !controls.isEmpty else { return 1 }
      return Double(controls.count { $0 <= best }) / Double(controls.count)
    }
  }

  let table: ShownTable
  let parts: [Part]
  let given: [Defect]
  let formulas: [Formula.Kind]
  let traps: Bool
  let limits: Limits
  var chance: any RandomNumberGenerator
  var outcome = Outcome()
  /// The random tables behind the true one.
  var tables: [[ShownTable.Row]] = []

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - table: what was shown.
  ///   - parts: the parts that are tried as they are.
  ///   - given: the names of defects that the program is known to have.
  ///   - formulas: the names of the formulas that it may use.
  ///   - traps: whether its language ends it where arithmetic overflows.
  ///   - limits: how far the search goes.
  ///   - chance: where all chance comes from.
  package init?(
    _ table: ShownTable, parts: [Part], given: [String] = [],
    formulas: [String] = FaultyDecoder.formulaNames, traps: Bool = false,
    limits: Limits = Limits(), chance: any RandomNumberGenerator
  ) {
    let known = given.compactMap { name in Defect.decodings.first { $0.name == name } }
    let kinds = formulas.compactMap(Formula.Kind.init(rawValue:))
    guard known.count == given.count, kinds.count == formulas.count, !kinds.isEmpty else {
      return nil
    }
    (self.table, self.parts, self.given, self.formulas) = (table, parts, known, kinds)
    (self.traps, self.limits, self.chance) = (traps, limits, chance)
  }

  /// Searches as far as the limits say: the same search gives the same outcome on each machine.
  ///
  /// - Returns: what was found.
  package mutating func run() -> Outcome {
    outcome = Outcome()
    tables = [table.rows] + (0..<limits.controls).map { _ in table.random(&chance).rows }
    outcome.controls = [Double](repeating: .infinity, count: limits.controls)
    let small = formulas.map {
      TrialBuilds($0, given: given, upTo: min(limits.defects, 2))
    }
    let all = formulas.map { TrialBuilds($0, given: given, upTo: limits.defects) }
    outcome.programs = all.map(\.builds.count).reduce(0, +)
    let choice = Logarithm.base2(Double(max(parts.count, 1)))
    for part in parts {
      outcome.parts += 1
      for programs in all {
        take(programs, part.calibration, named: part.name, bits: choice)
      }
    }
    finish(fitParts(small))
    return outcome
  }

  /// Looks on one part, and keeps what is cheaper or nearer than what was known.
  mutating func take(
    _ programs: TrialBuilds, _ part: Calibration, named name: String?, bits choice: Double
  ) {
    guard !programs.builds.isEmpty, let codes = RowCodes(part, table.rows) else { return }
    let values = RowValues(programs, codes, table.rows, traps: traps)
    let search = PartSearch(programs: programs, values: values, rows: table.rows.count)
    let extra = choice + Logarithm.base2(Double(formulas.count))
    for (place, best) in search.best(of: tables).enumerated() {
      guard place == 0 else {
        outcome.controls[place - 1] = min(outcome.controls[place - 1], best.found.bits + extra)
        continue
      }
      if best.found.bits < .infinity {
        keep(explanation(best.found, programs, values, part, name, extra))
      }
      if best.near.distance < .infinity {
        keepMiss(explanation(best.near, programs, values, part, name, extra))
      }
      if best.loose.distance < .infinity {
        keepMiss(explanation(best.loose, programs, values, part, name, extra))
      }
    }
  }

  /// Keeps an explanation if it is among the cheapest, and no other says the same of its defects and changes.
  mutating func keep(_ new: TableExplanation) {
    if let same = outcome.explanations.firstIndex(where: {
      $0.steps == new.steps && $0.formula == new.formula
    }) {
      guard new.bits < outcome.explanations[same].bits else { return }
      outcome.explanations.remove(at: same)
    }
    outcome.explanations.append(new)
    outcome.explanations.sort { $0.bits < $1.bits }
    if outcome.explanations.count > limits.kept { outcome.explanations.removeLast() }
  }

  /// Keeps a near miss if it is among the most promising of its kind.
  mutating func keepMiss(_ new: TableExplanation) {
    guard new.distance > 1 else { return }
    let hasLosses = new.steps.contains { $0.lost > 0 }
    var kept = hasLosses ? outcome.nearestWithLosses : outcome.nearest
    if let same = kept.firstIndex(where: { $0.steps == new.steps && $0.formula == new.formula }) {
      guard new.promise < kept[same].promise else { return }
      kept.remove(at: same)
    }
    kept.append(new)
    kept.sort { $0.promise < $1.promise }
    if kept.count > limits.kept { kept.removeLast() }
    if hasLosses { outcome.nearestWithLosses = kept } else { outcome.nearest = kept }
  }
}
