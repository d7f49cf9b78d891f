import Diagnosis
import Quantities
import Support

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
