import DriverDefects
import DriverDiagnosis
package import Text

extension TableStudy {
  /// What was found, as one object.
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
