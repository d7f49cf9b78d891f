/// A defect of the published code that read one tag, by its name.
public struct TagDefect: Hashable, Sendable {
  /// Its id.
  public let id: String
  /// What the code did.
  public let title: String
  /// What its users saw.
  public let symptom: String
  /// With which tags and in which air it does not show; `nil` where it always does.
  public let hiddenBy: String?
  /// What to do instead.
  public let fix: String
  /// Where it shipped.
  public let evidence: String
  /// What shows it: a command, or the code that does it again.
  public let shownBy: String

  /// The formula of the older tag's humidity part, on the bytes of the newer one.
  public static let wrongPart = TagDefect(
    id: "T01", title: "the formula of the part of the generation before",
    symptom:
      "the humidity is wrong by a quarter of itself less 6: 60 % are shown as 69 %, 24 % as 24 %; an alarm at 65 % comes at 56.8 %",
    hiddenBy: "humidities about 24 %, and tags of the generation before, which have that part",
    fix: "ask the model number (2A24), and take the formula of the part that is in it",
    evidence: "the published app of the warehouse; bluepy issue 52; evothings PR 5; contiki PR 986",
    shownBy: "`aneroid run rigs/warehouse.yaml`: false alarms and missed ones, counted")

  /// The two status bits taken for a value.
  public static let unmasked = TagDefect(
    id: "T02", title: "status bits are not masked",
    symptom: "the humidity is up to 0.006 % too high",
    hiddenBy: "displays with two decimals or fewer",
    fix: "clear the two low bits before anything else",
    evidence: "the published app of the warehouse",
    shownBy: "`ArticleDecoding.humidity`, which decodes as the app does")

  /// More bytes copied than there are.
  public static let overlong = TagDefect(
    id: "T03", title: "as many words are copied as there are bytes",
    symptom:
      "of 4 bytes 8 are read: the last two words are zero where the copy is cut, and whatever lies behind where it is not; data of 2 bytes end the app",
    hiddenBy: "code that looks at the first two words alone, as the app does",
    fix: "take half as many words as there are bytes, and check the length first",
    evidence: "the published app of the warehouse; Foundation on Linux copies past the end",
    shownBy: "`aneroid run rigs/warehouse/article-alone.yaml`: 8 bytes are copied of a value of 4")

  /// The scan stops at the first tag.
  public static let singleTag = TagDefect(
    id: "T04", title: "the scan stops at the first tag, for ever",
    symptom: "of a warehouse one tag is heard, and none after its first loss of connection",
    hiddenBy: "a desk with one tag on it, in range",
    fix: "scan on, hold or rotate connections, and connect again with a growing delay",
    evidence: "the published app of the warehouse, which has no handler for a lost connection",
    shownBy:
      "`aneroid run rigs/warehouse/article-alone.yaml`: one of three tags, until its first loss of connection"
  )

  /// All of them.
  public static let all = [wrongPart, unmasked, overlong, singleTag]

  /// The defects as a part of the catalogue's page, in Markdown.
  public static var page: String {
    var lines = [
      "### Tags of a warehouse", "",
      "What the published code of a warehouse's hub does wrong with its wireless tags. No trace of a bus shows it, so that nothing "
        + "of it is tried by `diagnose`.", "",
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
