import DriverDefects
import Quantities
import Text

/// An audit for programs: one JSON object, which can also be a baseline.
package enum AuditJSON {
  /// The object, on one line.
  package static func text(_ result: AuditRun.Result) -> String {
    func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
    let object = JSONValue.object([
      ("audit", strings(result.program)),
      ("guessed", strings(result.guessed)),
      ("missing", strings(result.missing.map(\.rawValue))),
      ("findings", .integer(result.judgements.count { $0.verdict.isFinding })),
      ("scenarios", .array(result.judgements.map(\.json))),
      ("conduct", strings(ConductSummary(result.judgements).lines)),
      ("seconds", .decimal(result.seconds)),
    ])
    return object.compact + "\n"
  }
}

extension Judgement {
  fileprivate var json: JSONValue {
    func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
    func classes(_ items: [(classID: String, title: String)]) -> JSONValue {
      .array(
        items.map { .object([("class", .string($0.classID)), ("title", .string($0.title))]) })
    }
    return .object([
      ("scenario", .string(scenario.name)), ("summary", .string(scenario.summary)),
      ("exposes", strings(scenario.classes)), ("verdict", .string(verdict.rawValue)),
      ("reason", .string(reason)), ("cause", .string(verdict.isFinding ? cause : "")),
      ("shown", strings(shown)),
      (
        "differences",
        .array(
          differences.map {
            .object([
              ("quantity", .string($0.quantity.rawValue)), ("shown", .string($0.shown)),
              ("right", .string($0.right)),
            ])
          })
      ),
      ("likely", classes(likely)), ("beside", classes(alsoLikely)),
      (
        "conduct",
        .array(
          conduct.map {
            .object([
              ("class", .string($0.classID ?? "")), ("sentence", .string($0.sentence)),
              ("count", .integer($0.count)),
            ])
          })
      ),
      ("readings", .integer(readings)), ("seconds", .decimal(seconds)),
    ])
  }
}
