/// A defect of the published code that read one tag, by its name.
public struct TagDefect: Hashable, Sendable {
  /// Its id.
  public let id: String
  /// What the code did.
  public let title: String
  /// What its users saw.
  public let symptom: String
  /// What to do instead.
  public let fix: String

  /// The formula of the older tag's humidity part, on the bytes of the newer one.
  public static let wrongPart = TagDefect(
    id: "T01", title: "The formula of the part of the generation before",
    symptom:
      "the humidity is wrong by a quarter of itself less 6: 60 % are shown as 69 %, 24 % as 24 %; an alarm at 65 % comes at 56.8 %",
    fix: "ask the model number, and take the formula of the part that is in it")

  /// The two status bits taken for a value.
  public static let unmasked = TagDefect(
    id: "T02", title: "Status bits are not masked",
    symptom: "the humidity is up to 0.006 % too high",
    fix: "clear the two low bits before anything else")

  /// More bytes copied than there are.
  public static let overlong = TagDefect(
    id: "T03", title: "As many words are copied as there are bytes",
    symptom:
      "of 4 bytes 8 are read: the last two words are zero where the copy is cut, and whatever lies behind where it is not",
    fix: "take half as many words as there are bytes, and check the length first")

  /// The scan stops at the first tag.
  public static let singleTag = TagDefect(
    id: "T04", title: "The scan stops at the first tag, for ever",
    symptom: "of a warehouse one tag is heard, and none after its first loss of connection",
    fix: "scan on, hold or rotate connections, and connect again with a growing delay")

  /// All of them.
  public static let all = [wrongPart, unmasked, overlong, singleTag]
}
