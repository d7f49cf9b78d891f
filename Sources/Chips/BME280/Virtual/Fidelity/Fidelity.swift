/// What the model claims of the chip: each fact with its source and its test, each assumption with its
/// switch, and each shortcut.
///
/// A test fails when a fact names no test that exists, or when the page in the documentation differs
/// from ``page``.
public enum Fidelity {
  /// A fact of the chip and the test that fails when the model breaks it.
  public struct Fact: Sendable {
    /// What the chip does.
    public let statement: String
    /// Where it is documented (DS is the datasheet) or was seen.
    public let source: String
    /// The title of the test.
    public let test: String
  }

  /// An open question of the chip and the switch that answers it.
  public struct Assumption: Sendable {
    /// The key in a rig, under `unknown`.
    public let key: String
    /// The answers that can be chosen, the assumed one first.
    public let answers: String
    /// Why the first is assumed.
    public let evidence: String
    /// The title of the test.
    public let test: String
  }

  /// Something that the model leaves out.
  public struct Shortcut: Sendable {
    /// What is left out.
    public let statement: String
    /// What that means for a user.
    public let consequence: String
  }

  /// The page of the documentation.
  public static var page: String {
    var lines = [
      "# Fidelity",
      "",
      "What the model does as the chip does, what it assumes where nobody knows, and what it leaves out.",
      "",
      "## Overview",
      "",
      "Printed by `aneroid doctor --fidelity`. Each fact names the test that fails when the model breaks",
      "it. DS is Bosch's data sheet of the BME280; *seen* means captured from real parts.",
      "",
    ]
    for (title, facts) in chapters {
      lines += ["### \(title)", "", "| fact | source | test |", "|---|---|---|"]
      lines += facts.map { "| \($0.statement) | \($0.source) | \($0.test) |" } + [""]
    }
    lines += [
      "### Assumptions",
      "",
      "Each is a key of a device in a rig, under `unknown`; the answer named first holds without it.",
      "",
      "| key | answers | evidence | test |",
      "|---|---|---|---|",
    ]
    lines += assumptions.map { "| `\($0.key)` | \($0.answers) | \($0.evidence) | \($0.test) |" }
    lines += ["", "### Shortcuts", "", "| left out | what it means |", "|---|---|"]
    lines += shortcuts.map { "| \($0.statement) | \($0.consequence) |" }
    return lines.joined(separator: "\n") + "\n"
  }
}
