package import BME280
import BME280Model

/// A search for explanations of a table of wrong pressures.
///
/// It tries programs with defects, alone and in combination; the calibrations of real parts, and
/// calibrations fitted to the table; and state carried from row to row. Explanations are ranked by their description length in bits. The same search also runs on
/// tables of random pressures; an explanation is only significant if it is cheaper than the explanations of these
/// tables.
package struct TableSearch {
  /// A part to try.
  package struct Part: Sendable {
    package let name: String
    package let calibration: Calibration

    package init(name: String, calibration: Calibration) {
      (self.name, self.calibration) = (name, calibration)
    }
  }

  /// The limits of the search.
  package struct Limits: Sendable {
    /// The maximum number of defects in a program, not counting the given defects.
    package var defects = 3
    /// The number of random parts to try.
    package var parts = 300
    /// `climbs` is the number of parts to fit to each table, and `steps` the number of steps per fit.
    package var climbs = 8, steps = 3000
    /// The number of random tables for comparison.
    package var controls = 24
    /// The number of explanations to keep.
    package var kept = 10

    package init() {}

    /// Scales the number of fitted parts.
    ///
    /// - Parameter percent: the percentage of the current number.
    package mutating func scale(to percent: Int) {
      parts = parts * percent / 100
      climbs = climbs * percent / 100
    }
  }

  /// The result of a search.
  package struct Outcome: Sendable {
    /// The explanations, sorted by description length, shortest first.
    package var explanations: [TableExplanation] = []
    /// The near misses of a single program that runs unchanged through all rows, best first.
    package var nearest: [TableExplanation] = []
    /// The near misses with lost readings, best first.
    package var nearestWithLosses: [TableExplanation] = []
    /// The description length of the cheapest explanation of each random table; infinite if it has no explanation.
    package var controls: [Double] = []
    /// `programs` is the number of programs tried, and `parts` the number of parts.
    package var programs = 0, parts = 0

    /// The share of random tables that are explained at the same or a lower cost; 1 if the table is not explained at
    /// all.
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
  /// The true table, followed by the random tables.
  var tables: [[ShownTable.Row]] = []

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - table: the table.
  ///   - parts: the parts to try unchanged.
  ///   - given: the names of defects that the program is known to have.
  ///   - formulas: the names of the formulas that the program may use.
  ///   - traps: `true` if arithmetic overflow crashes the program.
  ///   - limits: the limits of the search.
  ///   - chance: the random number generator.
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

  /// Searches within the limits; the same search produces the same result on every machine.
  ///
  /// - Returns: the result.
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

  /// Searches on one part and keeps the results that are better than earlier ones.
  mutating func take(
    _ programs: TrialBuilds, _ part: Calibration, named name: String?, bits choice: Double
  ) {
    guard !programs.builds.isEmpty, let codes = RowCodes(part, table.rows) else { return }
    let values = RowValues(programs, codes, table.rows, traps: traps)
    let search = PartSearch(programs: programs, values: values, rows: table.rows.count)
    let extra = choice + Logarithm.base2(Double(formulas.count))
    for (tableIndex, best) in search.best(of: tables).enumerated() {
      guard tableIndex == 0 else {
        outcome.controls[tableIndex - 1] = min(
          outcome.controls[tableIndex - 1], best.found.bits + extra)
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

  /// Keeps an explanation if it is among the cheapest; it replaces one with the same formula and steps.
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

  /// Keeps a near miss if it is among the best of those with lost readings, or of those without.
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

extension TableSearch {
  /// Converts a sequence of programs to an explanation.
  func explanation(
    _ found: PartSearch.Found, _ programs: TrialBuilds, _ values: RowValues, _ part: Calibration,
    _ name: String?, _ bits: Double
  ) -> TableExplanation {
    var shown: [Double] = []
    var steps: [TableExplanation.Step] = []
    var (begun, build, lost) = (0, 0, 0)
    for row in table.rows.indices {
      if let step = found.steps.first(where: { $0.row == row }) {
        let isOther = steps.isEmpty || step.build != build
        if isOther || step.isRestart { begun = row }
        (build, lost) = (step.build, step.lost)
        steps.append(
          TableExplanation.Step(
            row: row, defects: programs.builds[build].defects, isRestart: step.isRestart,
            lost: step.lost))
      }
      let value = values.value(of: programs.builds[build], row: row, begun: begun)
      shown.append(value?.mean(lost: lost) ?? 0)
    }
    return TableExplanation(
      part: name, calibration: part, formula: programs.kind.rawValue, steps: steps, values: shown,
      bits: found.bits + bits, distance: distance(of: shown))
  }

  /// Converts a single program to an explanation or a near miss.
  func explanation(
    _ near: PartSearch.Near, _ programs: TrialBuilds, _ values: RowValues, _ part: Calibration,
    _ name: String?, _ bits: Double
  ) -> TableExplanation {
    let build = programs.builds[near.build]
    var steps: [TableExplanation.Step] = []
    for (row, lost) in near.lost.enumerated() where steps.last?.lost != lost {
      steps.append(
        TableExplanation.Step(row: row, defects: build.defects, isRestart: false, lost: lost))
    }
    let shown = near.lost.enumerated().map { row, lost in
      values.value(of: build, row: row, begun: 0)?.mean(lost: lost) ?? 0
    }
    return TableExplanation(
      part: name, calibration: part, formula: programs.kind.rawValue, steps: steps, values: shown,
      bits: near.bits + bits, distance: distance(of: shown))
  }

  /// Returns the largest difference between a computed and a displayed pressure, in tolerances.
  private func distance(of shown: [Double]) -> Double {
    zip(shown, table.rows).map { abs($0 - $1.shown) / $1.tolerance }.max() ?? 0
  }
}

/// A program to try on a table: a formula and some defects that can change the pressure.
struct TrialBuild: Sendable {
  let defects: [Defect]
  let decoding: Decoding
  /// The cost in bits of choosing this program, not counting the given defects.
  let bits: Double
  /// `words` is the index of the program's word decoding, and `raw` that of its raw decoding, in the lists of distinct
  /// decodings.
  var words = 0, raw = 0
  /// `true` if the displayed temperature may be wrong.
  let changesTemperature: Bool
  /// `true` if the program combines measurements, so that its values depend on the whole sequence.
  var needsSequence: Bool { decoding.averaged > 1 || decoding.isOneLate }
}

/// All programs to try with one formula.
struct TrialBuilds: Sendable {
  let kind: Formula.Kind
  /// The programs to try.
  private(set) var builds: [TrialBuild] = []
  /// The distinct word decodings and raw decodings.
  private(set) var wordReadings: [WordReading] = [], rawReadings: [RawReading] = []

  /// The defects that can change a pressure, except built-in corrections, which may have any amount.
  static let candidates = Defect.decodings.filter { $0.reach.contains(.pressure) && !$0.isFitted }

  /// Creates all programs that have the given defects and at most `most` others.
  ///
  /// The cost of a program is one bit, plus one bit for each other defect, plus the bits for choosing these defects.
  init(_ kind: Formula.Kind, given: [Defect], upTo most: Int) {
    self.kind = kind
    let free = Self.candidates.filter {
      !given.contains($0) && ($0.formula.map { $0 == kind } ?? true)
    }
    guard given.allSatisfy({ $0.formula.map { $0 == kind } ?? true }) else { return }
    var seen: Set<Decoding> = []
    var wordIndices: [WordReading: Int] = [:]
    var rawIndices: [RawReading: Int] = [:]
    for size in 0...most {
      let cost = Double(size + 1) + Logarithm.base2(Self.choices(of: size, among: free.count))
      for set in Combinations(of: free.count, size) {
        let chosen = free.indices.filter { set.mask >> DefectMask($0) & 1 != 0 }.map { free[$0] }
        var decoding = Decoding()
        decoding.formula.kind = kind
        for case .decoding(let change) in (given + chosen).map(\.change) { change(&decoding) }
        // If a smaller set of defects produces the same decoding, this is not a new program.
        guard seen.insert(decoding).inserted else { continue }
        var build = TrialBuild(
          defects: given + chosen, decoding: decoding, bits: cost,
          changesTemperature: decoding.reach.contains(.temperature))
        guard size < 3 || !build.needsSequence else { continue }
        build.words = Self.index(of: decoding.words, &wordIndices, &wordReadings)
        build.raw = Self.index(of: decoding.raw, &rawIndices, &rawReadings)
        builds.append(build)
      }
    }
  }

  /// Returns a copy with only one of the programs.
  func only(_ index: Int) -> TrialBuilds {
    var alone = self
    var build = builds[index]
    alone.wordReadings = [wordReadings[build.words]]
    alone.rawReadings = [rawReadings[build.raw]]
    (build.words, build.raw) = (0, 0)
    alone.builds = [build]
    return alone
  }

  private static func index<Way: Hashable>(
    of way: Way, _ indices: inout [Way: Int], _ all: inout [Way]
  ) -> Int {
    if let known = indices[way] { return known }
    indices[way] = all.count
    all.append(way)
    return all.count - 1
  }

  private static func choices(of size: Int, among count: Int) -> Double {
    (0..<size).reduce(1) { $0 * Double(count - $1) / Double($1 + 1) }
  }
}
