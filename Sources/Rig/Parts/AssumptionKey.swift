package import Schema
import Text
package import VirtualParts

/// The assumed behavior of a chip where it is not documented: a switch for each open question.
package protocol AssumedBehaviour: SendableMetatype {
  /// Creates the defaults, which are the behavior that the evidence supports.
  init()
}

/// A key under `unknown` in a rig, and the switch that it sets.
///
/// The type is declared here and not next to the parts, so that it is compiled once and not for
/// each switch of each part.
package struct AssumptionKey<Behaviour: AssumedBehaviour> {
  /// The key.
  package let field: Section.Field
  private let set: (inout Behaviour, CheckedValue) -> Void

  private init(
    _ name: String, _ shape: Shape, _ summary: String, usually usual: String,
    _ set: @escaping (inout Behaviour, CheckedValue) -> Void
  ) {
    field = .optional(name, shape, "\(summary); default: \(usual)")
    self.set = set
  }

  /// Creates a key for a switch with several answers: its values in a rig are the names of the
  /// answers.
  package static func word<Switch: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Behaviour, Switch>, _ summary: String
  ) -> Self {
    Self(
      name, .word(Switch.allCases.map(\.rawValue)), summary,
      usually: Behaviour()[keyPath: path].rawValue
    ) { behaviour, value in
      if let chosen = value.text.flatMap(Switch.init(rawValue:)) {
        behaviour[keyPath: path] = chosen
      }
    }
  }

  /// Creates a key for a switch with several answers, whose default depends on the chip and is
  /// described by `usual`.
  package static func word<Switch: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Behaviour, Switch?>, _ summary: String,
    usually usual: String
  ) -> Self {
    Self(name, .word(Switch.allCases.map(\.rawValue)), summary, usually: usual) {
      behaviour, value in
      behaviour[keyPath: path] = value.text.flatMap(Switch.init(rawValue:))
    }
  }

  /// Creates a key that accepts a duration.
  package static func time(
    _ name: String, _ path: WritableKeyPath<Behaviour, UInt64>, _ summary: String
  ) -> Self {
    Self(
      name, .quantity(.duration), summary,
      usually: duration(Behaviour()[keyPath: path])
    ) { behaviour, value in
      if let time = value.nanoseconds { behaviour[keyPath: path] = UInt64(time) }
    }
  }

  /// Creates a key for a number with a given shape; `unit` follows the default in the description
  /// of the key.
  package static func number(
    _ name: String, _ shape: Shape, _ path: WritableKeyPath<Behaviour, Double>, _ summary: String,
    unit: String = ""
  ) -> Self {
    Self(
      name, shape, summary,
      usually: Decimal.shortest(Behaviour()[keyPath: path]) + unit
    ) { behaviour, value in
      if let number = value.number { behaviour[keyPath: path] = number }
    }
  }

  /// Formats a duration as in a rig: `0.2ms`, `1min`.
  private static func duration(_ nanoseconds: UInt64) -> String {
    nanoseconds < 1_000_000_000
      ? "\(Decimal.shortest(Double(nanoseconds) / 1e6))ms"
      : Decimal.duration(nanoseconds).filter { $0 != " " }
  }

  /// Creates a section from keys that are themselves created on first use.
  package static func section(_ keys: @autoclosure @escaping @Sendable () -> [Self]) -> Section {
    Section(
      "Undocumented behavior of the chip and the default we assume; its fidelity page has the evidence.",
      keys().map(\.field))
  }

  /// Creates the behavior that the keys of a section set.
  package static func behaviour(
    _ keys: @autoclosure () -> [Self], _ section: CheckedValue?
  ) -> Behaviour {
    var behaviour = Behaviour()
    guard let section else { return behaviour }
    for key in keys() {
      if let value = section[key.field.name] { key.set(&behaviour, value) }
    }
    return behaviour
  }
}

extension FidelityLedger {
  /// The fidelity page of the documentation, in Markdown.
  package var page: String {
    var lines = [
      "# \(title)",
      "",
      "Where the model behaves like the chip, what it assumes about undocumented behavior, and what it leaves out.",
      "",
      "## Overview",
      "",
    ]
    lines += preface + [""]
    for (title, facts) in chapters {
      let rows = facts.map { [$0.statement, $0.source, $0.test] }
      lines += ["### \(title)", ""] + MarkdownTable(["fact", "source", "test"], rows).lines + [""]
    }
    lines += [
      "### Assumptions",
      "",
      "Each is a key of a device in a rig, under `unknown`; the first answer is the default.",
      "",
    ]
    lines +=
      MarkdownTable(
        ["key", "answers", "evidence", "test"],
        assumptions.map { ["`\($0.key)`", $0.answers, $0.evidence, $0.test] }
      ).lines
    lines += ["", "### Shortcuts", ""]
    lines +=
      MarkdownTable(
        ["left out", "what it means"], shortcuts.map { [$0.statement, $0.consequence] }
      ).lines
    return lines.joined(separator: "\n") + "\n"
  }
}
