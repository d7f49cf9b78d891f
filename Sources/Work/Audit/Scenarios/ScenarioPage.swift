import DriverDefects
import Text

/// The scenarios as text.
package enum ScenarioPage {
  /// A line for each scenario, with the classes that it exposes.
  package static var list: String {
    let width = Scenario.all.map(\.name.count).max() ?? 0
    let lines = Scenario.all.map { scenario in
      let name = scenario.name + String(repeating: " ", count: width - scenario.name.count)
      let classes = scenario.classes.isEmpty ? "" : "  (\(scenario.classes.joined(separator: " ")))"
      return "\(name)  \(scenario.summary)\(classes)"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The page of the documentation.
  package static var page: String {
    var lines = [
      "# The scenarios of an audit",
      "",
      "Each is a bench made to make some defects that shipped visible in what a program shows.",
      "",
      "## Overview",
      "",
      "`aneroid audit --list` names them, `aneroid audit --show NAME` prints the rig of one, which",
      "`aneroid exec --rig` takes. The classes are those of the catalogue (`aneroid diagnose --catalogue`).",
      "",
    ]
    let rows = Scenario.all.map { scenario in
      let classes = scenario.classes.compactMap(DefectClass.named).map { "\($0.id) \($0.title)" }
      return ["`\(scenario.name)`", scenario.summary, classes.joined(separator: "; ")]
    }
    lines += MarkdownTable(["scenario", "what is special", "exposes"], rows).lines
    return lines.joined(separator: "\n") + "\n"
  }
}
