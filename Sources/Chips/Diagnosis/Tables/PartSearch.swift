/// A search for the cheapest sequence of programs that reproduces a table of displayed pressures, on one part and with
/// one formula.
///
/// The cost is a description length in bits. Several tables are searched in one pass, because the programs produce the
/// same values for all of them.
struct PartSearch {
  /// The sequence of programs that was found for a table.
  struct Found: Sendable {
    var steps: [(row: Int, build: Int, isRestart: Bool, lost: Int)] = []
    var bits = Double.infinity
  }

  /// The single program whose values are nearest to a table.
  struct Near: Sendable {
    var build = 0
    var lost: [Int] = []
    var distance = Double.infinity
    var bits = 0.0
  }

  /// A program that reproduces consecutive rows.
  private struct Segment {
    var bits = Double.infinity
    var build = 0
    var restarts: [Int] = []
    var lost: [Int] = []
  }

  let programs: TrialBuilds
  let values: RowValues
  let rows: Int

  /// Returns for each table the cheapest sequence of programs, and the nearest single program, once without and once
  /// with lost readings.
  func best(
    of tables: [[ShownTable.Row]]
  ) -> [(found: Found, near: Near, loose: Near)] {
    var segments = [[Segment]](
      repeating: [Segment](repeating: Segment(), count: rows * rows), count: tables.count)
    var near = [Near](repeating: Near(), count: tables.count)
    var loose = near
    for (index, build) in programs.builds.enumerated() {
      let fresh = (0..<rows).map { values.value(of: build, row: $0, begun: $0) }
      let isStateful =
        build.needsSequence || !build.decoding.early.isEmpty
        || [.previous, .first].contains(build.decoding.fine)
      // For programs with state, the value of each row after a start at each earlier row.
      let later =
        isStateful
        ? (0..<rows).map { row in
          (0..<row).map { values.value(of: build, row: row, begun: $0) }
        } : []
      func value(_ row: Int, _ begun: Int) -> RowValues.Row? {
        row == begun || !isStateful ? fresh[row] : later[row][begun]
      }
      for (tableIndex, table) in tables.enumerated() {
        take(value, build, index, table, &segments[tableIndex])
        take(value, build, index, table, &near[tableIndex], &loose[tableIndex])
      }
    }
    return tables.indices.map { (joined(segments[$0]), near[$0], loose[$0]) }
  }

  /// Returns how many readings must be lost for a program to display the pressure of a row, or `nil` if no number
  /// reproduces the pressure.
  private func lost(_ value: RowValues.Row?, _ row: ShownTable.Row) -> Int? {
    guard let value else { return nil }
    if abs(value.mean() - row.shown) <= row.tolerance { return 0 }
    let missing = value.lost(for: row.shown)
    return missing > 0 && abs(value.mean(lost: missing) - row.shown) <= row.tolerance
      ? missing : nil
  }

  /// Records the consecutive rows that a program reproduces.
  private func take(
    _ value: (Int, Int) -> RowValues.Row?, _ build: TrialBuild, _ index: Int,
    _ table: [ShownTable.Row],
    _ segments: inout [Segment]
  ) {
    for begin in 0..<rows {
      var (bits, begun) = (build.bits, begin)
      var (restarts, lostReadings): ([Int], [Int]) = ([], [])
      for row in begin..<rows {
        var missing = lost(value(row, begun), table[row])
        var cost = row == begin ? 0 : RowCost.same
        if row > begun, let afresh = lost(value(row, row), table[row]),
          missing.map({ RowCost.lost($0) + RowCost.same > RowCost.lost(afresh) + RowCost.restart })
            ?? true
        {
          (missing, begun, cost) = (afresh, row, RowCost.restart)
          restarts.append(row)
        }
        guard let missing else { break }
        bits += cost + RowCost.lost(missing)
        lostReadings.append(missing)
        if bits < segments[begin * rows + row].bits {
          segments[begin * rows + row] = Segment(
            bits: bits, build: index, restarts: restarts, lost: lostReadings)
        }
      }
    }
  }

  /// Records the distance of a single program from a table.
  private func take(
    _ value: (Int, Int) -> RowValues.Row?, _ build: TrialBuild, _ index: Int,
    _ table: [ShownTable.Row],
    _ near: inout Near, _ loose: inout Near
  ) {
    var (strict, free, bits) = (0.0, 0.0, build.bits)
    var lostReadings: [Int] = []
    for row in 0..<rows {
      guard let value = value(row, 0) else { return }
      let (shown, tolerance) = (table[row].shown, table[row].tolerance)
      strict = max(strict, abs(value.mean() - shown) / tolerance)
      let missing = value.lost(for: shown)
      free = max(free, abs(value.mean(lost: missing) - shown) / tolerance)
      guard strict < near.distance || free < loose.distance else { return }
      lostReadings.append(missing)
      bits += RowCost.lost(missing) + (row > 0 ? RowCost.same : 0)
    }
    if strict < near.distance {
      near = Near(
        build: index, lost: [Int](repeating: 0, count: rows), distance: strict, bits: bits)
    }
    if free < loose.distance {
      loose = Near(build: index, lost: lostReadings, distance: free, bits: bits)
    }
  }

  /// Returns the cheapest sequence of segments over all rows.
  private func joined(_ segments: [Segment]) -> Found {
    var best = [Found](repeating: Found(), count: rows + 1)
    best[0].bits = 0
    for end in 0..<rows {
      for begin in 0...end {
        let segment = segments[begin * rows + end]
        let bits = best[begin].bits + segment.bits + (begin > 0 ? RowCost.other : 0)
        guard bits < best[end + 1].bits else { continue }
        var steps = best[begin].steps
        for (offset, lost) in segment.lost.enumerated() {
          let row = begin + offset
          let isRestart = segment.restarts.contains(row)
          let isSame = offset > 0 && !isRestart && segment.lost[offset - 1] == lost
          if !isSame { steps.append((row, segment.build, isRestart, lost)) }
        }
        best[end + 1] = Found(steps: steps, bits: bits)
      }
    }
    return best[rows]
  }
}
