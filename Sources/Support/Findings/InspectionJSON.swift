import Text

/// Findings for programs: one JSON object.
package enum InspectionJSON {
  /// The object, on one line.
  package static func text(_ inspection: Inspection) -> String {
    let object = JSONValue.object([
      ("command", .string(inspection.command)), ("subject", .string(inspection.subject)),
      ("errors", .integer(inspection.count(.error))),
      ("warnings", .integer(inspection.count(.warning))),
      ("findings", .array(inspection.findings.map(\.json))),
    ])
    return object.compact + "\n"
  }
}

extension Finding {
  /// What is not known is left out.
  fileprivate var json: JSONValue {
    var fields: [(key: String, value: JSONValue)] = [
      ("rule", .string(rule)), ("severity", .string(severity.rawValue)),
    ]
    if let place {
      fields.append(("file", .string(place.file)))
      if let line = place.line { fields.append(("line", .integer(line))) }
      if let column = place.column { fields.append(("column", .integer(column))) }
    }
    fields.append(("message", .string(message)))
    if !evidence.isEmpty {
      fields.append(
        (
          "evidence",
          .array(
            evidence.map { .object([("name", .string($0.name)), ("text", .string($0.text))]) })
        ))
    }
    return .object(fields)
  }
}
