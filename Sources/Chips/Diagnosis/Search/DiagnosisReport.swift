import BME280
import BME280Model
import I2C
import Quantities
import Support

/// The report of a diagnosis, as text and as JSON.
package enum DiagnosisReport {
  /// Returns the diagnosis as text.
  package static func text(_ diagnosis: Diagnosis, file: String) -> String {
    let evidence = diagnosis.evidence
    var lines = [
      "\(file): \(evidence.part.name) at \(evidence.address) on bus \(evidence.bus), "
        + "\("transfer".counted(evidence.transfers)), \("measurement".counted(evidence.data.count))"
    ]
    lines += protocolErrors(diagnosis) + program(diagnosis) + values(diagnosis)
    if let obstacle = NoDataReason(evidence) { lines += text(obstacle) }
    lines += ["", verdict(diagnosis)]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a reason for missing data as lines.
  package static func text(_ obstacle: NoDataReason) -> [String] {
    ["", obstacle.sentence] + obstacle.checks.map { "  check: \($0)" }
  }

  private static func protocolErrors(_ diagnosis: Diagnosis) -> [String] {
    let findings = diagnosis.evidence.findings
    guard !findings.isEmpty else { return [] }
    return ["", "On the bus"]
      + findings.flatMap { finding in
        let times = finding.count > 1 ? " (\(finding.count) times)" : ""
        let id = (finding.classID ?? "bus").left(5)
        return ["  \(id)\(finding.sentence)\(times)"]
          + (finding.classID.flatMap(DefectClass.named).map(advice) ?? [])
      }
  }

  private static func advice(_ defectClass: DefectClass) -> [String] {
    var lines = ["       fix: \(defectClass.fix)"]
    if let section = defectClass.datasheet { lines.append("       datasheet: section \(section)") }
    return lines
  }

  private static func program(_ diagnosis: Diagnosis) -> [String] {
    guard let first = diagnosis.explanations.first else { return [] }
    var lines = ["", "In the program"]
    let share = "\(first.explained) of \(first.observed) values shown"
    if first.isWhole, first.defects.isEmpty {
      return lines + ["  no defect: \(share) are correct (\(first.formula))"]
    }
    if !first.isWhole {
      lines.append("  no combination of known defects explains all values shown")
      guard !first.defects.isEmpty else {
        return lines + ["  the correct formula reproduces \(share)"]
      }
      // A defect that reproduces only a few values does so by chance.
      guard 3 * first.explained >= first.observed else {
        return lines + ["  no combination comes near: the best reproduces \(share)"]
      }
    }
    for (index, explanation) in diagnosis.explanations.prefix(5).enumerated() {
      let names = explanation.defects.map(\.title).joined(separator: "  +  ")
      let word = index > 0 ? "or" : first.heading
      lines.append("  \(word): \(names)   (\(explanation.formula))")
      if explanation.crashes {
        lines.append("       a language that traps on overflow would have ended the program here")
      }
    }
    if diagnosis.explanations.count > 5 {
      lines.append(
        "  or \(diagnosis.explanations.count - 5) others; more measurements would distinguish them")
    }
    lines.append("       it reproduces \(share)")
    lines += first.amounts.map { "       built-in correction: \($0)" }
    lines += evidence(first)
    if !first.unexplainedQuantities.isEmpty {
      lines.append(
        "       it does not reproduce every \(first.unexplainedQuantities.joined(separator: ", "))")
    }
    // A fix for a defect that is probably not present would be misleading.
    guard !first.isPossibleByChance || first.reliesOnLimits else { return lines }
    for defectClass in Set(first.defects.compactMap(\.defectClass)).inOrder(by: { $0.id < $1.id }) {
      lines.append(
        "  \(defectClass.id.left(5))\(defectClass.title)")
      lines += advice(defectClass) + ["       shipped in: \(defectClass.evidence)"]
    }
    return lines
  }

  /// Returns the lines that describe the evidence for an explanation, or its lack.
  private static func evidence(_ explanation: Explanation) -> [String] {
    if explanation.reliesOnLimits {
      return [
        "       it relies on values at a limit, at which many defects end: not sufficient evidence"
      ]
    }
    guard let sentence = explanation.evidence else { return [] }
    return ["       \(sentence)"]
  }

  private static func values(_ diagnosis: Diagnosis) -> [String] {
    guard !diagnosis.correct.isEmpty else {
      let missing = diagnosis.evidence.part.missingCalibration
      return missing > 0 && !diagnosis.evidence.data.isEmpty
        ? [
          "",
          "The bytes cannot be decoded: \("byte".counted(missing)) of the calibration \(missing == 1 ? "was" : "were") never read",
        ] : []
    }
    let meanings = meanings(diagnosis)
    return ["", "Decoded values"] + meanings.prefix(10)
      + (meanings.count > 10 ? ["  ... \(meanings.count - 10) more"] : [])
  }

  /// Returns one line for each reading, with only those quantities whose registers were read.
  private static func meanings(_ diagnosis: Diagnosis) -> [String] {
    let part = diagnosis.evidence.part
    let isBME = part.chip?.measuresHumidity ?? true
    var knowsTemperature = false
    return zip(diagnosis.correct, part.readings).compactMap { value, reading in
      if reading.fresh.contains(.temperature) { knowsTemperature = true }
      // Without a temperature the other two quantities cannot be computed.
      guard knowsTemperature else { return nil }
      var cells: [String] = []
      if reading.fresh.contains(.pressure) {
        cells.append("\(Decimal.printed(Quantity.pressure.shown(value.pressure), 2)) hPa")
      }
      if reading.fresh.contains(.temperature) {
        cells.append("\(Decimal.printed(value.temperature, 2)) C")
      }
      if isBME, reading.fresh.contains(.humidity) {
        cells.append("\(Decimal.printed(value.humidity, 1)) %RH")
      }
      guard !cells.isEmpty else { return nil }
      return "  \(Decimal.printed(Double(reading.time) / 1e9, 3).right(10)) s   "
        + cells.joined(separator: "   ")
    }
  }

  private static func verdict(_ diagnosis: Diagnosis) -> String {
    if diagnosis.evidence.data.isEmpty { return "no measurement to diagnose" }
    if diagnosis.isClean { return "nothing wrong" }
    if let first = diagnosis.explanations.first, !first.isWhole {
      return "the values are wrong, and no known defect explains them"
    }
    if diagnosis.evidence.findings.isEmpty, let first = diagnosis.explanations.first,
      first.reliesOnLimits
    {
      let ids = Set(diagnosis.explanations.flatMap { $0.defects.map(\.classID) }).inOrder()
      return "the values are wrong; values at a limit do not identify the defect: "
        + ids.joined(separator: ", ") + ", or others"
    }
    let detected = diagnosis.evidence.findings.compactMap(\.classID)
    if diagnosis.isUnexplained {
      let list = Set(detected).inOrder().joined(separator: ", ")
      return (list.isEmpty ? "" : "found: \(list); ")
        + "the values are not explained: defects reproduce them no better than chance"
    }
    let ids = detected + (diagnosis.explanations.first?.defects.map(\.classID) ?? [])
    let list = Set(ids).inOrder().joined(separator: ", ")
    return list.isEmpty ? "protocol error on the bus" : "found: \(list)"
  }
}

extension Explanation {
  /// The words before the list of the explanation's defects.
  fileprivate var heading: String {
    guard isWhole else { return "nearest" }
    return isPossibleByChance ? "possible by chance, no explanation" : "explained by"
  }

  /// The evidence as a sentence, or `nil` if it was not computed.
  var evidence: String? {
    guard let bits, let chance else { return nil }
    let share =
      chance >= 0.01
      ? "\(Decimal.fixed(chance * 100, 0)) of 100 random tables are explained as simply"
      : "less than 1 of 100 random tables is explained as simply"
    let needed = Decimal.fixed(Self.neededBits, 1)
    return "evidence: \(Decimal.fixed(bits, 1)) bits (\(needed) are needed): \(share)"
      + (isPossibleByChance ? "; more values or digits would add evidence" : "")
  }
}

extension DiagnosisReport {
  /// Returns the diagnosis as one JSON object with sorted keys.
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
      ("formula", .string(explanation.formula)),
      ("leaves_open", strings(explanation.unexplainedQuantities)),
      ("observed", .integer(explanation.observed)),
      ("rests_on_limits", .bool(explanation.reliesOnLimits)),
      ("would_trap", .bool(explanation.crashes)),
    ])
  }

  private static func json(_ finding: ProtocolFinding) -> JSONValue {
    .object([
      ("class", finding.classID.map(JSONValue.string) ?? .null), ("count", .integer(finding.count)),
      ("sentence", .string(finding.sentence)), ("t", .decimal(Double(finding.time) / 1e9)),
    ])
  }
}
