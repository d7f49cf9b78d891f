import BME280
import Foundation
import I2C

/// A diagnosis for people and for programs.
public enum DiagnosisReport {
  /// The diagnosis as text.
  public static func text(_ diagnosis: Diagnosis, file: String) -> String {
    let evidence = diagnosis.evidence
    let chip = evidence.part.chip.map { "\($0.name)" } ?? "a part without a name"
    var lines = [
      "\(file): \(chip) at \(evidence.address) on bus \(evidence.bus), \(evidence.transfers) transfers, "
        + "\(evidence.data.count) measurements"
    ]
    lines += conversation(diagnosis) + program(diagnosis) + values(diagnosis)
    if let obstacle = Obstacle(evidence) { lines += text(obstacle) }
    lines += ["", verdict(diagnosis)]
    return lines.joined(separator: "\n") + "\n"
  }

  /// An obstacle as lines.
  public static func text(_ obstacle: Obstacle) -> [String] {
    ["", obstacle.sentence] + obstacle.checks.map { "  check: \($0)" }
  }

  private static func conversation(_ diagnosis: Diagnosis) -> [String] {
    let findings = diagnosis.evidence.findings
    guard !findings.isEmpty else { return [] }
    return ["", "On the bus"]
      + findings.flatMap { finding in
        let times = finding.count > 1 ? " (\(finding.count) times)" : ""
        let id = (finding.classID ?? "bus").padding(toLength: 5, withPad: " ", startingAt: 0)
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
    let share = "\(first.explained) of \(first.observed) values that were shown"
    if first.isWhole, first.defects.isEmpty {
      return lines + ["  nothing: \(share) are right (\(first.formula))"]
    }
    if !first.isWhole {
      lines.append("  none of the known defects, alone or together, explains all that was shown")
      guard !first.defects.isEmpty else {
        return lines + ["  the right formula gives \(share)"]
      }
      // What gives only a few values gives them by chance.
      guard 3 * first.explained >= first.observed else {
        return lines + ["  nothing comes near: the best gives \(share)"]
      }
    }
    for (index, explanation) in diagnosis.explanations.prefix(5).enumerated() {
      let names = explanation.defects.map(\.title).joined(separator: "  +  ")
      let word = index > 0 ? "or" : first.isWhole ? "explained by" : "nearest"
      lines.append("  \(word): \(names)   (\(explanation.formula))")
      if explanation.crashes {
        lines.append("       a language that traps on overflow would have ended the program here")
      }
    }
    if diagnosis.explanations.count > 5 {
      lines.append("  or \(diagnosis.explanations.count - 5) others: more measurements would tell")
    }
    lines.append("       it gives \(share)")
    if !first.leavesOpen.isEmpty {
      lines.append("       it does not explain every \(first.leavesOpen.joined(separator: ", "))")
    }
    for defectClass in Set(first.defects.compactMap(\.defectClass)).sorted(by: { $0.id < $1.id }) {
      lines.append(
        "  \(defectClass.id.padding(toLength: 5, withPad: " ", startingAt: 0))\(defectClass.title)")
      lines += advice(defectClass) + ["       shipped in: \(defectClass.evidence)"]
    }
    return lines
  }

  private static func values(_ diagnosis: Diagnosis) -> [String] {
    guard !diagnosis.correct.isEmpty else {
      let missing = diagnosis.evidence.part.missingCalibration
      return missing > 0 && !diagnosis.evidence.data.isEmpty
        ? [
          "",
          "What the bytes mean cannot be said: \(missing) bytes of the calibration were never read",
        ] : []
    }
    let isBME = diagnosis.evidence.part.chip?.measuresHumidity ?? true
    var lines = ["", "What the bytes mean"]
    for (value, time) in zip(diagnosis.correct, diagnosis.evidence.times).prefix(10) {
      let humidity = isBME ? String(format: "   %.1f %%RH", value.humidity) : ""
      lines.append(
        String(
          format: "  %10.3f s   %.2f hPa   %.2f C", time, value.pressure / 100, value.temperature)
          + humidity)
    }
    if diagnosis.correct.count > 10 { lines.append("  ... \(diagnosis.correct.count - 10) more") }
    return lines
  }

  private static func verdict(_ diagnosis: Diagnosis) -> String {
    if diagnosis.evidence.data.isEmpty { return "no measurement to judge" }
    if diagnosis.isClean { return "nothing wrong" }
    if diagnosis.isUnexplained { return "something is wrong that no known defect explains alone" }
    let ids =
      diagnosis.evidence.findings.compactMap(\.classID)
      + (diagnosis.explanations.first?.defects.map(\.classID) ?? [])
    let list = Set(ids).sorted().joined(separator: ", ")
    return list.isEmpty ? "something is wrong on the bus" : "found: \(list)"
  }

  /// The diagnosis as one JSON object, its keys sorted.
  public static func json(_ diagnosis: Diagnosis, file: String) -> String {
    let evidence = diagnosis.evidence
    let object: [String: Any] = [
      "trace": file, "address": Int(evidence.address.rawValue), "bus": evidence.bus,
      "chip": evidence.part.chip.map { "\($0.name)" } ?? NSNull() as Any,
      "transfers": evidence.transfers, "failures": evidence.failures,
      "measurements": evidence.data.count, "clean": diagnosis.isClean,
      "explained": !diagnosis.isUnexplained,
      "findings": evidence.findings.map { finding -> [String: Any] in
        [
          "class": finding.classID ?? NSNull() as Any, "sentence": finding.sentence,
          "t": Double(finding.time) / 1e9, "count": finding.count,
        ]
      },
      "explanations": diagnosis.explanations.map { explanation -> [String: Any] in
        [
          "defects": explanation.defects.map { ["class": $0.classID, "name": $0.name] },
          "formula": explanation.formula, "explained": explanation.explained,
          "observed": explanation.observed, "leaves_open": explanation.leavesOpen,
          "would_trap": explanation.crashes,
        ]
      },
      "correct": zip(diagnosis.correct, evidence.times).map { value, time -> [String: Any] in
        [
          "t": time, "temperature_c": value.temperature, "pressure_pa": value.pressure,
          "humidity_rh": value.humidity,
        ]
      },
    ]
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self) + "\n"
  }
}
