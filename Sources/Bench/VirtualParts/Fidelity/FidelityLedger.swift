/// What the model of one part claims of the chip: each fact with its source and its test, each
/// assumption with its switch, and each shortcut.
///
/// A test fails when a fact names no test that exists, or when the page in the documentation differs
/// from the ledger.
public struct FidelityLedger: Sendable {
  /// A fact of the chip and the test that fails when the model breaks it.
  public struct Fact: Sendable {
    /// What the chip does.
    public let statement: String
    /// Where it is documented (DS is the datasheet) or was seen.
    public let source: String
    /// The title of the test.
    public let test: String

    /// Creates a fact.
    public init(statement: String, source: String, test: String) {
      self.statement = statement
      self.source = source
      self.test = test
    }
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

    /// Creates an assumption.
    public init(key: String, answers: String, evidence: String, test: String) {
      self.key = key
      self.answers = answers
      self.evidence = evidence
      self.test = test
    }
  }

  /// Something that the model leaves out.
  public struct Shortcut: Sendable {
    /// What is left out.
    public let statement: String
    /// What that means for a user.
    public let consequence: String

    /// Creates a shortcut.
    public init(statement: String, consequence: String) {
      self.statement = statement
      self.consequence = consequence
    }
  }

  /// The title of the page.
  public let title: String
  /// The lines under its overview: what the sources' short names stand for.
  public let preface: [String]
  /// The facts by chapter.
  public let chapters: [(title: String, facts: [Fact])]
  /// The open questions, each with its switch.
  public let assumptions: [Assumption]
  /// What the model leaves out.
  public let shortcuts: [Shortcut]

  /// Creates the ledger of a part.
  public init(
    title: String, preface: [String], chapters: [(title: String, facts: [Fact])],
    assumptions: [Assumption], shortcuts: [Shortcut]
  ) {
    self.title = title
    self.preface = preface
    self.chapters = chapters
    self.assumptions = assumptions
    self.shortcuts = shortcuts
  }
}
