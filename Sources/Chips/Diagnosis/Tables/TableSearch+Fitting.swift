import BME280

extension TableSearch {
  /// The parts and programs nearest to each table, from which a fit starts.
  struct Fitter {
    /// A part with a single program and the number of lost readings in each row.
    struct Candidate {
      let part: Calibration
      let programs: Int
      let build: Int
      let lost: [Int]
      let bits: Double
      let distance: Double

      /// The score: description length plus the cost of the remaining distance.
      ///
      /// A lower score is better.
      var promise: Double { bits + RowCost.missed(by: distance, in: lost.count) }

      /// Returns `true` if both candidates have the same program and the same lost readings, so that they differ only
      /// in the part.
      func isAlike(_ other: Candidate) -> Bool {
        programs == other.programs && build == other.build && lost == other.lost
      }
    }

    var range: PartRange?
    var programs: [TrialBuilds] = []
    /// The nearest candidates of each table, best first.
    var candidates: [[Candidate]] = []
    /// The cost in bits of choosing one of all parts that were tried.
    var bits = 0.0

    /// Adds a candidate for a table if it is among the best.
    mutating func take(_ candidate: Candidate, for tableIndex: Int, most: Int) {
      if let known = candidates[tableIndex].firstIndex(where: candidate.isAlike) {
        guard candidate.promise < candidates[tableIndex][known].promise else { return }
        candidates[tableIndex].remove(at: known)
      }
      let index =
        candidates[tableIndex].firstIndex { $0.promise > candidate.promise }
        ?? candidates[tableIndex].count
      candidates[tableIndex].insert(candidate, at: index)
      if candidates[tableIndex].count > most { candidates[tableIndex].removeLast() }
    }
  }

  /// Tries random parts, whose calibration words lie in the ranges of real parts, and collects those nearest to each
  /// table.
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
        for (tableIndex, best) in search.best(of: tables).enumerated() {
          if tableIndex > 0 {
            outcome.controls[tableIndex - 1] = min(
              outcome.controls[tableIndex - 1], best.found.bits + extra)
          } else if best.found.bits < .infinity {
            keep(explanation(best.found, programs, values, part, nil, extra))
          }
          for near in [best.near, best.loose] where near.distance < .infinity {
            fitter.take(
              Fitter.Candidate(
                part: part, programs: index, build: near.build, lost: near.lost, bits: near.bits,
                distance: near.distance), for: tableIndex, most: limits.climbs)
          }
        }
      }
    }
    return fitter
  }

  /// Fits the nearest parts to each table, with the same effort for all tables.
  mutating func finish(_ fitter: Fitter) {
    guard let range = fitter.range else { return }
    let rounds = fitter.candidates.map(\.count).max() ?? 0
    for round in 0..<rounds {
      for (tableIndex, candidates) in fitter.candidates.enumerated() where round < candidates.count
      {
        fit(candidates[round], of: fitter, to: tableIndex, range)
      }
    }
  }

  /// Fits one part to a table and keeps the resulting explanation or near miss.
  private mutating func fit(
    _ candidate: Fitter.Candidate, of fitter: Fitter, to tableIndex: Int, _ range: PartRange
  ) {
    let programs = fitter.programs[candidate.programs].only(candidate.build)
    let (part, distance) = climbed(candidate, programs, tables[tableIndex], range)
    let extra = fitter.bits + Logarithm.base2(Double(formulas.count))
    if tableIndex > 0 {
      guard distance <= 1 else { return }
      outcome.controls[tableIndex - 1] = min(
        outcome.controls[tableIndex - 1], candidate.bits + extra)
      return
    }
    guard let codes = RowCodes(part, table.rows) else { return }
    let values = RowValues(programs, codes, table.rows, traps: traps)
    let near = PartSearch.Near(
      build: 0, lost: candidate.lost, distance: distance, bits: candidate.bits)
    let made = explanation(near, programs, values, part, nil, extra)
    if distance <= 1 { keep(made) } else { keepMiss(made) }
  }

  /// Varies the candidate's part step by step, and returns the part whose values are nearest to a table, with the
  /// distance.
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

/// The ranges of the calibration words of real parts.
struct PartRange: Sendable {
  private static let words: [any WritableKeyPath<Calibration, Int> & Sendable] = [
    \.wordT1, \.wordT2, \.wordT3, \.wordP1, \.wordP2, \.wordP3, \.wordP4, \.wordP5, \.wordP6,
    \.wordP7, \.wordP8, \.wordP9,
  ]
  /// The index of the first pressure word.
  private static let firstOfPressure = 3

  private let ranges: [ClosedRange<Int>]
  private let usual: Calibration

  /// Creates the ranges that some parts span, or `nil` if there are no parts.
  init?(_ parts: [Calibration]) {
    guard let first = parts.first else { return nil }
    usual = first
    ranges = Self.words.map { word in
      let values = parts.map { $0[keyPath: word] }
      return (values.min() ?? 0)...(values.max() ?? 0)
    }
  }

  /// Returns a part with random calibration words in these ranges.
  func random(_ chance: inout some RandomNumberGenerator) -> Calibration {
    var part = usual
    for (word, range) in zip(Self.words, ranges) {
      part[keyPath: word] = Int.random(in: range, using: &chance)
    }
    return part
  }

  /// Returns a part that differs in one pressure word, by a random amount that may be large or small.
  func changed(_ part: Calibration, _ chance: inout some RandomNumberGenerator) -> Calibration {
    var part = part
    let wordIndex = Int.random(in: Self.firstOfPressure..<Self.words.count, using: &chance)
    let range = ranges[wordIndex]
    let most = max(
      (range.upperBound - range.lowerBound) >> Int.random(in: 0...12, using: &chance), 1)
    let value = part[keyPath: Self.words[wordIndex]] + Int.random(in: -most...most, using: &chance)
    part[keyPath: Self.words[wordIndex]] = min(max(value, range.lowerBound), range.upperBound)
    return part
  }
}

extension Calibration {
  fileprivate var wordT1: Int {
    get { Int(t1) }
    set { t1 = UInt16(newValue) }
  }
  fileprivate var wordT2: Int {
    get { Int(t2) }
    set { t2 = Int16(newValue) }
  }
  fileprivate var wordT3: Int {
    get { Int(t3) }
    set { t3 = Int16(newValue) }
  }
  fileprivate var wordP1: Int {
    get { Int(p1) }
    set { p1 = UInt16(newValue) }
  }
  fileprivate var wordP2: Int {
    get { Int(p2) }
    set { p2 = Int16(newValue) }
  }
  fileprivate var wordP3: Int {
    get { Int(p3) }
    set { p3 = Int16(newValue) }
  }
  fileprivate var wordP4: Int {
    get { Int(p4) }
    set { p4 = Int16(newValue) }
  }
  fileprivate var wordP5: Int {
    get { Int(p5) }
    set { p5 = Int16(newValue) }
  }
  fileprivate var wordP6: Int {
    get { Int(p6) }
    set { p6 = Int16(newValue) }
  }
  fileprivate var wordP7: Int {
    get { Int(p7) }
    set { p7 = Int16(newValue) }
  }
  fileprivate var wordP8: Int {
    get { Int(p8) }
    set { p8 = Int16(newValue) }
  }
  fileprivate var wordP9: Int {
    get { Int(p9) }
    set { p9 = Int16(newValue) }
  }
}
