/// A class of defects that shipped in public drivers.
package struct DefectClass: Hashable, Sendable {
  /// The id: `B01` to `B72` and `B16b` for the BME280's family, `P01` to `P09` for any part.
  package let id: String
  /// A short description of the defect.
  package let title: String
  /// The symptom that users observed.
  package let symptom: String
  /// The parts and conditions that hide the symptom; `nil` if it is always visible.
  package let hiddenBy: String?
  /// The instruction for fixing the defect.
  package let fix: String
  /// The section of the datasheet (BST-BME280-DS001), if any.
  package let datasheet: String?
  /// The projects that shipped the defect, with issues and commits.
  package let evidence: String

  package init(
    _ id: String, _ title: String, symptom: String, hiddenBy: String? = nil, fix: String,
    datasheet: String? = nil, evidence: String
  ) {
    self.id = id
    self.title = title
    self.symptom = symptom
    self.hiddenBy = hiddenBy
    self.fix = fix
    self.datasheet = datasheet
    self.evidence = evidence
  }

  /// All classes of the BME280's family, in the order of their ids.
  package static let all =
    calibration + arithmetic + protocols + bus + later + courses
    + [signedBytes, slowFilter, otherCalibration]

  /// Returns the class with an id.
  package static func named(_ id: String) -> DefectClass? { (all + parts).first { $0.id == id } }

  /// The classes that cannot be reproduced by a wrong decoding, order or timing on a bench with one part, and the
  /// reasons.
  package static let inexpressible: [(id: String, reason: String)] = [
    (
      "B31",
      "the first filtered value of a real part is undocumented; see the switch filter_start"
    ),
    (
      "B35",
      "a stale buffer after a failed read shows any earlier bytes; the failed read itself is reported"
    ),
    ("B36", "the address of another device requires two parts with indistinguishable readings"),
    ("B46", "two exchanged settings are valid settings"),
    (
      "B47",
      "registers left by an earlier program are not visible in this one's transfers; see the scenario left-in-normal-mode"
    ),
    (
      "B60", "a repeated value was decoded correctly; see failures-in-weather, unplugged"
    ),
    ("B61", "numbers are formatted after the decoding; see just-below-zero, small-fractions"),
    ("B62", "a wait that suffices at one bus speed is too short at another; see fast-bus"),
    ("B63", "a cached value was decoded correctly; see same-codes"),
    ("B64", "it only shows in a long run; see long-run"),
    ("B65", "resources of a program are not visible in its transfers; see long-run, long-outage"),
    ("B66", "a cached value was decoded correctly; see weather"),
    (
      "B67",
      "a wait ends at the right time as long as the part responds; see lost-in-reading, stuck-measuring"
    ),
    ("B68", "it only shows after many failures; see scattered-failures"),
    ("B69", "the clock of a program is not visible in its transfers; see clock-step"),
    ("B71", "the values follow from the bytes; see changing"),
    ("B72", "the words are those of a real part; see replaced"),
    ("B55", "self-heating is not visible in transfers; see the scenario self-heating"),
    ("B56", "a missing check has no effect as long as the right chip responds; see wrong-chip"),
  ]
}

/// The documentation page that lists the catalogue; tests compare it with the page's file.
package enum CataloguePage {
  /// The page as Markdown.
  package static var text: String {
    var lines = [
      "# Driver defects", "",
      "Classes of defects that shipped in public drivers, for which `aneroid diagnose` searches.",
      "",
      "## Overview", "",
      "The ids are those that `aneroid diagnose` prints. Each class lists the defects that are tried: "
        + "changes of the decoding, which are tried alone, in pairs and finally in threes, and changes of the bus protocol, "
        + "which are detected in the transfers. Sections are those of the BME280's datasheet.",
      "",
    ]
    for defectClass in DefectClass.all {
      lines += description(of: defectClass)
      func names(_ defects: [Defect]) -> String {
        defects.filter { $0.classID == defectClass.id }.map { "`\($0.name)`" }.joined(
          separator: ", ")
      }
      let lone = names(Defect.lone)
      if let reason = DefectClass.inexpressible.first(where: { $0.id == defectClass.id })?.reason {
        lines.append("- Not tried: \(reason).")
      } else {
        lines.append(
          "- Tried: \(names(Defect.all))\(lone.isEmpty ? "" : "; alone only: \(lone)").")
      }
      lines.append("")
    }
    lines += [
      "## Drivers of any part", "",
      "`aneroid audit --part` names these from the situation and the values; the page BuiltInParts lists published defects that it "
        + "exposed.",
      "",
    ]
    for defectClass in DefectClass.parts { lines += description(of: defectClass) + [""] }
    return lines.joined(separator: "\n")
  }

  private static func description(of defectClass: DefectClass) -> [String] {
    var lines = [
      "### \(defectClass.id): \(defectClass.title)", "", "- Users see: \(defectClass.symptom).",
    ]
    if let hidden = defectClass.hiddenBy { lines.append("- Hidden by: \(hidden).") }
    let section = defectClass.datasheet.map { " (section \($0))" } ?? ""
    lines.append("- Fix: \(defectClass.fix)\(section).")
    lines.append("- Shipped in: \(defectClass.evidence).")
    return lines
  }
}
