/// The catalogue as a page of the documentation, which the tests compare with its file.
package enum CataloguePage {
  /// The page as Markdown.
  package static var text: String {
    var lines = [
      "# What drivers do wrong", "",
      "Classes of defects that shipped in public drivers: what diagnose looks for.", "",
      "## Overview", "",
      "The ids are those that `aneroid diagnose` prints. Behind each class stand the defects that are tried: "
        + "changes of the way from bytes to values, which are looked for alone, in pairs and at last in threes, and of what is done "
        + "on the bus, which is heard in the conversation. Sections are those of the BME280's datasheet.",
      "",
    ]
    for defectClass in DefectClass.all {
      lines += [
        "### \(defectClass.id): \(defectClass.title)", "", "- Users see: \(defectClass.symptom).",
      ]
      if let hidden = defectClass.hiddenBy { lines.append("- Hidden by: \(hidden).") }
      let section = defectClass.datasheet.map { " (section \($0))" } ?? ""
      lines.append("- Fix: \(defectClass.fix)\(section).")
      lines.append("- Shipped in: \(defectClass.evidence).")
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
    return lines.joined(separator: "\n")
  }
}
