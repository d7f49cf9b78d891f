import ArgumentParser
import Findings

/// A form in which a command tells what it found; some of them are its own.
protocol ReportFormat: ExpressibleByArgument, RawRepresentable, CaseIterable
where RawValue == String {}

extension ReportFormat {
  /// The form that the findings of all commands have in common, where this is one; its own JSON comes before.
  var findings: FindingFormat? { FindingFormat(rawValue: rawValue) }
}

/// The forms of a command that has none of its own but text.
enum PlainFormat: String, ReportFormat {
  case text, json, junit, github, markdown

  /// What the command found in this form.
  ///
  /// - Parameters:
  ///   - inspection: what it found.
  ///   - text: the same for people.
  /// - Returns: the text, its last line ended.
  func text(_ inspection: Inspection, text: () -> String) -> String {
    findings?.text(inspection) ?? text()
  }
}
