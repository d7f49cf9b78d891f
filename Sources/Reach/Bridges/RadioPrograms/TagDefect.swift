/// A defect in published code that reads wireless tags.
public struct TagDefect: Hashable, Sendable {
  /// The ID, such as T01.
  public let id: String
  /// A short description of the defect.
  public let title: String
  /// The symptom that users see.
  public let symptom: String
  /// The conditions under which the defect has no effect; `nil` if it always has one.
  public let hiddenBy: String?
  /// The correction.
  public let fix: String
  /// The published source of the defect.
  public let evidence: String
  /// The command or code that reproduces it.
  public let shownBy: String

  /// Code that applies the older tag's humidity formula to bytes from the newer tag.
  public static let wrongPart = TagDefect(
    id: "T01", title: "the humidity formula of the previous generation's sensor",
    symptom:
      "the humidity is off by a quarter of its value minus 6: 60 % is shown as 69 %, 24 % "
      + "as 24 %; an alarm at 65 % fires at 56.8 %",
    hiddenBy: "humidity near 24 %, and tags of the previous generation, which have that sensor",
    fix: "read the model number (2A24) and use the formula of the sensor in that model",
    evidence: "the published app of the warehouse; bluepy issue 52; evothings PR 5; contiki PR 986",
    shownBy: "`aneroid run rigs/warehouse.yaml`: counts false and missed alarms")

  /// Code that interprets two status bits as part of the value.
  public static let unmasked = TagDefect(
    id: "T02", title: "status bits are not masked",
    symptom: "the humidity is up to 0.006 % too high",
    hiddenBy: "displays with two decimals or fewer",
    fix: "clear the two low bits first",
    evidence: "the published app of the warehouse",
    shownBy: "`ArticleDecoding.humidity`, which decodes as the app does")

  /// Code that copies more bytes than the value has.
  public static let overlong = TagDefect(
    id: "T03", title: "the byte count is used as a word count",
    symptom:
      "8 bytes are copied of a value of 4: the last two words are zero if the copy is "
      + "bounded, otherwise adjacent memory; a value of 2 bytes crashes the app",
    hiddenBy: "code that uses only the first two words, as the app does",
    fix: "check the length and copy half as many words as bytes",
    evidence: "the published app of the warehouse; Foundation on Linux copies past the end",
    shownBy: "`aneroid run rigs/warehouse/article-alone.yaml`: copies 8 bytes of a value of 4")

  /// Code that stops its scan at the first tag.
  public static let singleTag = TagDefect(
    id: "T04", title: "the scan stops permanently at the first tag",
    symptom: "of all tags in a warehouse one is received, and none after its first disconnection",
    hiddenBy: "a single tag in range",
    fix: "continue scanning, hold or rotate connections, and reconnect with increasing delays",
    evidence: "the published app of the warehouse, which does not handle disconnections",
    shownBy:
      "`aneroid run rigs/warehouse/article-alone.yaml`: receives one of three tags, until "
      + "its first disconnection"
  )

  /// All defects.
  public static let all = [wrongPart, unmasked, overlong, singleTag]

  /// The catalogue page's section on these defects, in Markdown.
  public static var page: String {
    var lines = [
      "### Tags of a warehouse", "",
      "Defects in the published code of a warehouse hub that reads wireless tags. They are "
        + "not visible in a bus "
        + "trace, so `diagnose` does not check for them.", "",
    ]
    for defect in all {
      lines += ["### \(defect.id): \(defect.title)", "", "- Users see: \(defect.symptom)."]
      if let hidden = defect.hiddenBy { lines.append("- Hidden by: \(hidden).") }
      lines += [
        "- Fix: \(defect.fix).", "- Shipped in: \(defect.evidence).",
        "- Shown by: \(defect.shownBy).", "",
      ]
    }
    return lines.joined(separator: "\n")
  }
}
