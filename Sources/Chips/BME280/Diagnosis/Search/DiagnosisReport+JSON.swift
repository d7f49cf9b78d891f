import BME280
import DriverDefects
import I2C
import Text

extension DiagnosisReport {
  /// The diagnosis as one JSON object, its keys sorted.
  package static func json(_ diagnosis: Diagnosis, file: String) -> String {
    let evidence = diagnosis.evidence
    let measuresHumidity = evidence.part.chip?.measuresHumidity ?? true
    let object = JSONValue.object([
      ("address", .integer(evidence.address.rawValue)), ("bus", .integer(evidence.bus)),
      ("chip", evidence.part.chip.map { .string("\($0.name)") } ?? .null),
      ("clean", .bool(diagnosis.isClean)),
      (
        "correct",
        .array(zip(diagnosis.correct, evidence.times).map { json($0, at: $1, measuresHumidity) })
      ),
      ("explained", .bool(!diagnosis.isUnexplained)),
      ("explanations", .array(diagnosis.explanations.map(json))),
      ("failures", .integer(evidence.failures)),
      ("findings", .array(evidence.findings.map(json))),
      ("measurements", .integer(evidence.data.count)), ("trace", .string(file)),
      ("transfers", .integer(evidence.transfers)),
    ])
    return object.compact + "\n"
  }

  private static func json(
    _ value: CompensatedMeasurement, at time: Double, _ measuresHumidity: Bool
  ) -> JSONValue {
    .object([
      ("humidity_rh", measuresHumidity ? .decimal(value.humidity) : .null),
      ("pressure_pa", .decimal(value.pressure)),
      ("t", .decimal(time)), ("temperature_c", .decimal(value.temperature)),
    ])
  }

  private static func json(_ explanation: Explanation) -> JSONValue {
    func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
    let defects = explanation.defects.map { defect in
      JSONValue.object([("class", .string(defect.classID)), ("name", .string(defect.name))])
    }
    return .object([
      ("amounts", strings(explanation.amounts)),
      ("bits", explanation.bits.map { .number(Decimal.fixed($0, 2)) } ?? .null),
      ("by_chance", .bool(explanation.isPossibleByChance)),
      ("chance", explanation.chance.map(JSONValue.decimal) ?? .null),
      ("defects", .array(defects)), ("explained", .integer(explanation.explained)),
      ("formula", .string(explanation.formula)), ("leaves_open", strings(explanation.leavesOpen)),
      ("observed", .integer(explanation.observed)),
      ("rests_on_limits", .bool(explanation.restsOnLimits)),
      ("would_trap", .bool(explanation.crashes)),
    ])
  }

  private static func json(_ finding: ConversationFinding) -> JSONValue {
    .object([
      ("class", finding.classID.map(JSONValue.string) ?? .null), ("count", .integer(finding.count)),
      ("sentence", .string(finding.sentence)), ("t", .decimal(Double(finding.time) / 1e9)),
    ])
  }
}
