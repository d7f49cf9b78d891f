import BME280
import DriverDefects

extension TableSearch {
  /// A sequence of programs as an explanation.
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

  /// One program that never changes as an explanation, or as the nearest miss.
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

  /// The largest distance of a row from what was shown, in tolerances.
  private func distance(of shown: [Double]) -> Double {
    zip(shown, table.rows).map { abs($0 - $1.shown) / $1.tolerance }.max() ?? 0
  }
}
