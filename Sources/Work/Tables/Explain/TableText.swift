import Diagnosis
import Quantities
package import Support

extension TableStudy {
  /// The text report.
  package var text: String {
    var lines = [
      "\(table.rows.count) rows contain about \(Decimal.fixed(table.bits, 0)) bits; seed \(seed); "
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
      lines += ["", "\(unconfirmed) more were found but not confirmed by a run"]
    }
    if let nearest {
      lines += [
        "", "nearest without changes between rows: " + Self.head(nearest.explanation),
      ]
      lines += rows(of: nearest.explanation)
    }
    if let near = nearestWithLosses {
      lines += ["", "nearest with lost readings: " + Self.head(near.explanation)]
      lines += rows(of: near.explanation)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The conclusion in a few sentences.
  private var verdict: [String] {
    guard let best = answers.first?.explanation else {
      return ["No explanation was found for this table."]
    }
    let cheap = outcome.controls.count { $0 <= best.bits }
    let others =
      "\(cheap) of \(outcome.controls.count) random tables have an equally short explanation"
    guard isExplained else {
      return [
        "No significant explanation: the shortest sequence takes \(Decimal.fixed(best.bits, 1)) bits,",
        "and \(others).",
      ]
    }
    return [
      "Explained with \(Decimal.fixed(best.bits, 1)) bits; \(others).",
      best.bits > table.bits
        ? "That is more than the table contains: plausible, but not proven."
        : "That is less than the table contains.",
    ]
  }

  private static func head(_ explanation: TableExplanation) -> String {
    let part = explanation.part ?? "a fitted part"
    let changes = explanation.changes
    return "\(Decimal.fixed(explanation.bits, 1)) bits: \(part), \(explanation.formula), "
      + (changes == 0 ? "no changes" : changes == 1 ? "1 change" : "\(changes) changes")
  }

  /// The lines of an explanation, one per row.
  private func rows(of explanation: TableExplanation) -> [String] {
    table.rows.indices.map { index in
      let row = table.rows[index]
      func hectopascals(_ value: Double) -> String {
        Decimal.fixed(Quantity.pressure.shown(value), 1).right(8)
      }
      var text =
        "   +\(Decimal.duration(UInt64(row.time * 1e9)))".right(10)
        + hectopascals(explanation.values[index]) + " hPa, displayed" + hectopascals(row.shown)
      if let step = explanation.steps.first(where: { $0.row == index }) {
        let names = step.defects.map(\.title).joined(separator: ", ")
        let isNew = index == 0 || step.isRestart || step.defects != before(index, explanation)
        if isNew { text += "  \(names.isEmpty ? "no defect" : names)" }
        if step.isRestart { text += ", restarted" }
        if step.lost > 0 { text += "  \(step.lost) of 5 pressures missing from the sum" }
      }
      return text
    }
  }

  /// Returns the defects of the program in the row before a row; `nil` if there is no earlier row.
  private func before(_ row: Int, _ explanation: TableExplanation) -> [Defect]? {
    explanation.steps.last { $0.row < row }?.defects
  }
}

extension TableStudy {
  /// The result as one JSON object.
  package var json: JSONValue {
    .object([
      ("explained", .bool(isExplained)), ("bits_of_table", .decimal(table.bits)),
      ("seed", .integer(Int(clamping: seed))), ("programs", .integer(outcome.programs)),
      ("parts", .integer(outcome.parts)),
      (
        "bits_of_random_tables",
        .array(outcome.controls.map { $0.isFinite ? .decimal($0) : .null })
      ),
      ("explanations", .array(answers.map(object))),
      ("nearest", nearest.map(object) ?? .null),
      ("nearest_with_losses", nearestWithLosses.map(object) ?? .null),
    ])
  }

  private func object(_ answer: Answer) -> JSONValue {
    let found = answer.explanation
    return .object([
      ("file", .string(answer.file)), ("bits", .decimal(found.bits)),
      ("part", found.part.map { .string($0) } ?? .null), ("formula", .string(found.formula)),
      ("pressures_pa", .array(found.values.map { .decimal($0) })),
      ("distance", .decimal(found.distance)),
      (
        "steps",
        .array(
          found.steps.map { step in
            .object([
              ("row", .integer(step.row)),
              ("defects", .array(step.defects.map { .string($0.name) })),
              ("begun_anew", .bool(step.isRestart)), ("lost", .integer(step.lost)),
            ])
          })
      ),
    ])
  }
}
