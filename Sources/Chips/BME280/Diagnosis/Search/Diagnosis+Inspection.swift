import DriverDefects
package import Findings
import Text

extension Diagnosis {
  /// What the diagnosis found: on the bus, in what was shown, and what is missing.
  ///
  /// - Parameter file: the trace.
  /// - Returns: the findings.
  package func inspection(of file: String) -> Inspection {
    Self.inspection(
      of: file, onTheBus + inTheProgram + (NoDataReason(evidence).map { [$0.finding] } ?? []))
  }

  /// The inspection of a trace in which there is nothing to diagnose.
  package static func inspection(of file: String, _ reason: NoDataReason) -> Inspection {
    inspection(of: file, [reason.finding])
  }

  private static func inspection(of file: String, _ findings: [Finding]) -> Inspection {
    let placed = findings.map { finding in
      var finding = finding
      finding.place = Finding.Place(file: file)
      return finding
    }
    return Inspection(
      "aneroid diagnose", of: file,
      nouns: Inspection.Nouns(rule: "check", message: "found", defect: "found something wrong"),
      placed)
  }

  private var onTheBus: [Finding] {
    guard !evidence.findings.isEmpty else {
      return [Finding(.passed, "bus", "nothing wrong in \("transfer".counted(evidence.transfers))")]
    }
    return evidence.findings.map { found in
      let times = found.count > 1 ? " (\(found.count) times)" : ""
      let advice = found.classID.flatMap(DefectClass.named)?.advice ?? []
      return Finding(
        .error, found.classID ?? "bus", found.sentence + times,
        evidence: [Finding.Evidence("time", Decimal.elapsed(found.time))] + advice)
    }
  }

  private var inTheProgram: [Finding] {
    guard let first = explanations.first else { return [] }
    let share = "\(first.explained) of \(first.observed) values that were shown"
    if first.isWhole, first.defects.isEmpty {
      return [Finding(.passed, "values", "\(share) are right (\(first.formula))")]
    }
    guard first.isWhole else {
      return [
        Finding(
          .error, "values",
          "none of the known defects, alone or together, explains all that was shown: "
            + "the best gives \(share)")
      ]
    }
    guard !first.isPossibleByChance else {
      let names = first.defects.map(\.title).joined(separator: " + ")
      return [
        Finding(
          .error, "values",
          "\(share) are wrong and not explained: \(names) would give them by chance",
          evidence: first.evidence.map { [Finding.Evidence("evidence", $0)] } ?? [])
      ]
    }
    return first.defects.map { defect in
      Finding(
        .error, defect.classID, "\(defect.title) gives \(share) (\(first.formula))",
        evidence: defect.defectClass?.advice ?? [])
    }
  }
}

extension DefectClass {
  /// How it is mended, and where the data sheet says so.
  fileprivate var advice: [Finding.Evidence] {
    [Finding.Evidence("fix", fix)]
      + (datasheet.map { [Finding.Evidence("datasheet", "section \($0)")] } ?? [])
  }
}

extension NoDataReason {
  /// What is missing, and what to check.
  fileprivate var finding: Finding {
    Finding(.error, "data", sentence, evidence: checks.map { Finding.Evidence("check", $0) })
  }
}
