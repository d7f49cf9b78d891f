import DriverDefects
import DriverDiagnosis
import Quantities
import Text

extension TableStudy {
  /// What was found, for people.
  package var text: String {
    var lines = [
      "\(table.rows.count) rows say some \(Decimal.fixed(table.bits, 0)) bits; seed \(seed); "
        + "\(outcome.programs) programs, \(outcome.parts) parts, "
        + "\(outcome.controls.count) random tables"
    ]
    lines.append("")
    lines += verdict
    for (index, answer) in answers.enumerated() {
      lines += ["", "\(index + 1). " + Self.head(answer.explanation)]
      lines += rows(of: answer.explanation)
    }
    if unconfirmed > 0 {
      lines += ["", "\(unconfirmed) more were computed, and left out: their rigs do not show them"]
    }
    if let nearest {
      lines += [
        "", "nearest where nothing changes from row to row: " + Self.head(nearest.explanation),
      ]
      lines += rows(of: nearest.explanation)
    }
    if let near = nearestWithLosses {
      lines += ["", "nearest where readings may be lost: " + Self.head(near.explanation)]
      lines += rows(of: near.explanation)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is to be thought of it, in a few sentences.
  private var verdict: [String] {
    guard let best = answers.first?.explanation else {
      return ["Nothing that was tried explains this table."]
    }
    let cheap = outcome.controls.count { $0 <= best.bits }
    let others = "\(cheap) of \(outcome.controls.count) random tables are explained as cheaply"
    guard isExplained else {
      return [
        "Nothing explains this table: the cheapest sequence that gives it takes \(Decimal.fixed(best.bits, 1)) bits,",
        "and \(others).",
      ]
    }
    return [
      "Explained with \(Decimal.fixed(best.bits, 1)) bits; \(others).",
      best.bits > table.bits
        ? "That is more than the rows say: likely, and no proof."
        : "That is less than the rows say.",
    ]
  }

  private static func head(_ explanation: TableExplanation) -> String {
    let part = explanation.part ?? "a fitted part"
    let changes = explanation.changes
    return "\(Decimal.fixed(explanation.bits, 1)) bits: \(part), \(explanation.formula), "
      + (changes == 0 ? "nothing changes" : changes == 1 ? "1 change" : "\(changes) changes")
  }

  /// What happens from row to row.
  private func rows(of explanation: TableExplanation) -> [String] {
    table.rows.indices.map { index in
      let row = table.rows[index]
      func hectopascals(_ value: Double) -> String {
        Decimal.fixed(Quantity.pressure.shown(value), 1).right(8)
      }
      var text =
        "   +\(Decimal.duration(UInt64(row.time * 1e9)))".right(10)
        + hectopascals(explanation.values[index]) + " hPa, shown" + hectopascals(row.shown)
      if let step = explanation.steps.first(where: { $0.row == index }) {
        let names = step.defects.map(\.title).joined(separator: ", ")
        let isNew = index == 0 || step.isRestart || step.defects != before(index, explanation)
        if isNew { text += "  \(names.isEmpty ? "a right program" : names)" }
        if step.isRestart { text += ", begun anew" }
        if step.lost > 0 { text += "  \(step.lost) of 5 pressures missing from the sum" }
      }
      return text
    }
  }

  /// The defects of the program before a row.
  private func before(_ row: Int, _ explanation: TableExplanation) -> [Defect]? {
    explanation.steps.last { $0.row < row }?.defects
  }
}
