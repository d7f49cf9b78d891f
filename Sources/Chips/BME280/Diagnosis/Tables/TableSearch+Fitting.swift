import BME280
import DriverDefects

extension TableSearch {
  /// What is worth a fit for each table: the parts and programs that come nearest.
  struct Fitter {
    /// A part, a program that never changes, and how many readings each row has lost.
    struct Candidate {
      let part: Calibration
      let programs: Int
      let build: Int
      let lost: [Int]
      let bits: Double
      let distance: Double

      /// How much it promises: few bits, and little that is left for the fit.
      var promise: Double { bits + RowCost.missed(by: distance, in: lost.count) }

      /// Whether it is another part for the same program with the same losses.
      func isAlike(_ other: Candidate) -> Bool {
        programs == other.programs && build == other.build && lost == other.lost
      }
    }

    var range: PartRange?
    var programs: [TrialBuilds] = []
    /// For each table the nearest, best first.
    var candidates: [[Candidate]] = []
    /// What it costs to say which of all parts that were tried it is.
    var bits = 0.0

    /// Takes a candidate for a table, if it is among the most promising.
    mutating func take(_ candidate: Candidate, for place: Int, most: Int) {
      if let known = candidates[place].firstIndex(where: candidate.isAlike) {
        guard candidate.promise < candidates[place][known].promise else { return }
        candidates[place].remove(at: known)
      }
      let index =
        candidates[place].firstIndex { $0.promise > candidate.promise } ?? candidates[place].count
      candidates[place].insert(candidate, at: index)
      if candidates[place].count > most { candidates[place].removeLast() }
    }
  }

  /// Tries parts with any words of the ranges that real ones have, and gathers what comes near.
  mutating func fitParts(_ programs: [TrialBuilds]) -> Fitter {
    var fitter = Fitter(range: PartRange(parts.map(\.calibration)), programs: programs)
    fitter.candidates = [[Fitter.Candidate]](repeating: [], count: tables.count)
    fitter.bits = Logarithm.base2(Double(limits.parts + limits.climbs * limits.steps))
    guard let range = fitter.range, limits.parts > 0 else { return fitter }
    for _ in 0..<limits.parts {
      outcome.parts += 1
      let part = range.random(&chance)
      guard let codes = RowCodes(part, table.rows) else { continue }
      for (index, programs) in programs.enumerated() where !programs.builds.isEmpty {
        let values = RowValues(programs, codes, table.rows, traps: traps)
        let search = PartSearch(programs: programs, values: values, rows: table.rows.count)
        let extra = fitter.bits + Logarithm.base2(Double(formulas.count))
        for (place, best) in search.best(of: tables).enumerated() {
          if place > 0 {
            outcome.controls[place - 1] = min(outcome.controls[place - 1], best.found.bits + extra)
          } else if best.found.bits < .infinity {
            keep(explanation(best.found, programs, values, part, nil, extra))
          }
          for near in [best.near, best.loose] where near.distance < .infinity {
            fitter.take(
              Fitter.Candidate(
                part: part, programs: index, build: near.build, lost: near.lost, bits: near.bits,
                distance: near.distance), for: place, most: limits.climbs)
          }
        }
      }
    }
    return fitter
  }

  /// Fits the nearest parts to each table, in rounds with the same effort for all.
  mutating func finish(_ fitter: Fitter) {
    guard let range = fitter.range else { return }
    let rounds = fitter.candidates.map(\.count).max() ?? 0
    for round in 0..<rounds {
      for (place, candidates) in fitter.candidates.enumerated() where round < candidates.count {
        fit(candidates[round], of: fitter, to: place, range)
      }
    }
  }

  /// Fits one part to a table, and keeps what it explains, or comes near.
  private mutating func fit(
    _ candidate: Fitter.Candidate, of fitter: Fitter, to place: Int, _ range: PartRange
  ) {
    let programs = fitter.programs[candidate.programs].only(candidate.build)
    let (part, distance) = climbed(candidate, programs, tables[place], range)
    let extra = fitter.bits + Logarithm.base2(Double(formulas.count))
    if place > 0 {
      guard distance <= 1 else { return }
      outcome.controls[place - 1] = min(outcome.controls[place - 1], candidate.bits + extra)
      return
    }
    guard let codes = RowCodes(part, table.rows) else { return }
    let values = RowValues(programs, codes, table.rows, traps: traps)
    let near = PartSearch.Near(
      build: 0, lost: candidate.lost, distance: distance, bits: candidate.bits)
    let made = explanation(near, programs, values, part, nil, extra)
    if distance <= 1 { keep(made) } else { keepMiss(made) }
  }

  /// The part near another one on which a program comes nearest to a table.
  private mutating func climbed(
    _ candidate: Fitter.Candidate, _ programs: TrialBuilds, _ rows: [ShownTable.Row],
    _ range: PartRange
  ) -> (Calibration, Double) {
    var (part, distance) = (candidate.part, candidate.distance)
    for _ in 0..<limits.steps where distance > 1 {
      var other = range.changed(part, &chance)
      if Bool.random(using: &chance) { other = range.changed(other, &chance) }
      guard let codes = RowCodes(other, rows) else { continue }
      let values = RowValues(programs, codes, rows, traps: traps)
      var largest = 0.0
      for row in rows.indices {
        guard let value = values.value(of: programs.builds[0], row: row, begun: 0) else {
          largest = .infinity
          break
        }
        let shown = value.mean(lost: candidate.lost[row])
        largest = max(largest, abs(shown - rows[row].shown) / rows[row].tolerance)
      }
      if largest < distance { (part, distance) = (other, largest) }
    }
    return (part, distance)
  }
}
