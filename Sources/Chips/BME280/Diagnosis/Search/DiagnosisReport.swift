import BME280
import DriverDefects
import I2C
import Quantities
import Text

/// A diagnosis for people and for programs.
package enum DiagnosisReport {
  /// The diagnosis as text.
  package static func text(_ diagnosis: Diagnosis, file: String) -> String {
    let evidence = diagnosis.evidence
    var lines = [
      "\(file): \(evidence.part.name) at \(evidence.address) on bus \(evidence.bus), "
        + "\("transfer".counted(evidence.transfers)), \("measurement".counted(evidence.data.count))"
    ]
    lines += conversation(diagnosis) + program(diagnosis) + values(diagnosis)
    if let obstacle = NoDataReason(evidence) { lines += text(obstacle) }
    lines += ["", verdict(diagnosis)]
    return lines.joined(separator: "\n") + "\n"
  }

  /// An obstacle as lines.
  package static func text(_ obstacle: NoDataReason) -> [String] {
    ["", obstacle.sentence] + obstacle.checks.map { "  check: \($0)" }
  }

  private static func conversation(_ diagnosis: Diagnosis) -> [String] {
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
      let word = index > 0 ? "or" : first.heading
      lines.append("  \(word): \(names)   (\(explanation.formula))")
      if explanation.crashes {
        lines.append("       a language that traps on overflow would have ended the program here")
      }
    }
    if diagnosis.explanations.count > 5 {
      lines.append("  or \(diagnosis.explanations.count - 5) others: more measurements would tell")
    }
    lines.append("       it gives \(share)")
    lines += first.amounts.map { "       built in: \($0) everywhere" }
    lines += evidence(first)
    if !first.leavesOpen.isEmpty {
      lines.append("       it does not explain every \(first.leavesOpen.joined(separator: ", "))")
    }
    // How to mend what may well not be there would mislead.
    guard !first.isPossibleByChance || first.restsOnLimits else { return lines }
    for defectClass in Set(first.defects.compactMap(\.defectClass)).inOrder(by: { $0.id < $1.id }) {
      lines.append(
        "  \(defectClass.id.left(5))\(defectClass.title)")
      lines += advice(defectClass) + ["       shipped in: \(defectClass.evidence)"]
    }
    return lines
  }

  /// What an explanation is worth, and what speaks against it.
  private static func evidence(_ explanation: Explanation) -> [String] {
    if explanation.restsOnLimits {
      return ["       it rests on values at a limit, where many ways end: no evidence alone"]
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
          "What the bytes mean cannot be said: \("byte".counted(missing)) of the calibration \(missing == 1 ? "was" : "were") never read",
        ] : []
    }
    let meanings = meanings(diagnosis)
    return ["", "What the bytes mean"] + meanings.prefix(10)
      + (meanings.count > 10 ? ["  ... \(meanings.count - 10) more"] : [])
  }

  /// A line for each reading, with the quantities whose registers were read for it.
  private static func meanings(_ diagnosis: Diagnosis) -> [String] {
    let part = diagnosis.evidence.part
    let isBME = part.chip?.measuresHumidity ?? true
    var knowsTemperature = false
    return zip(diagnosis.correct, part.readings).compactMap { value, reading in
      if reading.fresh.contains(.temperature) { knowsTemperature = true }
      // Without a temperature nobody can say what the other two mean.
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
    if diagnosis.evidence.data.isEmpty { return "no measurement to judge" }
    if diagnosis.isClean { return "nothing wrong" }
    if let first = diagnosis.explanations.first, !first.isWhole {
      return "something is wrong that no known defect explains alone"
    }
    if diagnosis.evidence.findings.isEmpty, let first = diagnosis.explanations.first,
      first.restsOnLimits
    {
      let ids = Set(diagnosis.explanations.flatMap { $0.defects.map(\.classID) }).inOrder()
      return "something is wrong; values at a limit do not tell what: "
        + ids.joined(separator: ", ") + ", or others"
    }
    let heard = diagnosis.evidence.findings.compactMap(\.classID)
    if diagnosis.isUnexplained {
      let list = Set(heard).inOrder().joined(separator: ", ")
      return (list.isEmpty ? "" : "found: \(list); ")
        + "the values are not explained: defects give them only as chance would"
    }
    let ids = heard + (diagnosis.explanations.first?.defects.map(\.classID) ?? [])
    let list = Set(ids).inOrder().joined(separator: ", ")
    return list.isEmpty ? "something is wrong on the bus" : "found: \(list)"
  }
}

extension Explanation {
  /// The words before its defects.
  fileprivate var heading: String {
    guard isWhole else { return "nearest" }
    return isPossibleByChance ? "possible by chance, no explanation" : "explained by"
  }

  /// Its evidence as a sentence; `nil` if none was weighed.
  var evidence: String? {
    guard let bits, let chance else { return nil }
    let share =
      chance >= 0.01
      ? "\(Decimal.fixed(chance * 100, 0)) of 100 random tables are explained as simply"
      : "less than 1 of 100 random tables is explained as simply"
    let needed = Decimal.fixed(Self.neededBits, 1)
    return "evidence: \(Decimal.fixed(bits, 1)) bits (\(needed) are needed): \(share)"
      + (isPossibleByChance ? "; more values or digits would tell" : "")
  }
}
