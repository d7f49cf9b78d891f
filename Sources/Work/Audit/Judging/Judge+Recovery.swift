import DriverDefects
import DriverDiagnosis
import Quantities
import Text

extension Judge {
  /// The verdict on a program that goes on after a failure that has passed, and shows no values any more.
  func withoutRecovery(_ outcome: Outcome) -> Finding? {
    guard scenario.passes, outcome.status == nil, let timing, !outcome.times.isEmpty,
      !outcome.times.contains(where: { $0.start >= timing.event })
    else { return nil }
    let said = (outcome.errors.last ?? outcome.lines.last).map { ": \($0.prefix(100))" } ?? ""
    return (.failed, "the failure is over, it goes on, and it shows no values again\(said)", [])
  }

  /// The verdict on a program that reads the data in parts on the bench that is made for that, and mixed none by chance.
  func withSplitReads(_ outcome: Outcome) -> Finding? {
    let id = "B30"
    guard scenario.classes == [id],
      let finding = outcome.evidence?.findings.first(where: { $0.classID == id })
    else { return nil }
    return (.small, "its values may mix two measurements: \(finding.sentence)", [])
  }
}

extension [Judgement] {
  /// The judgements, with those failures that end a program which goes on after others.
  ///
  /// - Parameter outcomes: what they were made of, by the name of the scenario.
  /// - Returns: the judgements.
  func withUnhandledEnds(_ outcomes: [String: Outcome]) -> [Judgement] {
    let goesOn = contains { judgement in
      guard judgement.scenario.passes, judgement.verdict == .right,
        let outcome = outcomes[judgement.scenario.name], let evidence = outcome.evidence
      else { return false }
      return evidence.failures > 0 && (outcome.status ?? 0) == 0
    }
    guard goesOn else { return self }
    return map { judgement in
      guard judgement.scenario.passes, [.right, .reported].contains(judgement.verdict),
        let end = outcomes[judgement.scenario.name]?.unhandledEnd
      else { return judgement }
      var judgement = judgement
      judgement.verdict = .failed
      judgement.reason = "it goes on after other failures, and this one ends it: \(end)"
      return judgement
    }
  }
}

extension Outcome {
  /// How runtimes say that nothing has caught an error.
  private static let uncaughtMarks = [
    "Traceback (most recent call last)", "panicked at", "terminate called", "panic: ",
    "Exception in thread", "Uncaught ",
  ]

  /// By what it was ended that it has not caught; `nil` where it goes on or ends by itself.
  fileprivate var unhandledEnd: String? {
    guard let status, status != 0, reason == nil else { return nil }
    if status > 128 { return "signal \(status - 128)" }
    let isUncaught = errors.contains { line in Self.uncaughtMarks.contains { line.contains($0) } }
    return isUncaught ? errors.last.map { String($0.prefix(100)) } : nil
  }
}
