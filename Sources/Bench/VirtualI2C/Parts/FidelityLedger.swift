/// The claims that the model of a part makes about the chip: facts with their source and test,
/// assumptions with the rig key that changes them, and simplifications.
///
/// A test fails if a fact names a test that does not exist, or if the documentation page differs from the ledger.
public struct FidelityLedger: Sendable {
  /// A fact about the chip and the test that fails if the model violates it.
  public struct Fact: Sendable {
    /// The behavior of the chip.
    public let statement: String
    /// The document or observation that the fact comes from; DS is the data sheet.
    public let source: String
    /// The title of the test that checks the fact.
    public let test: String

    /// Creates a fact.
    public init(statement: String, source: String, test: String) {
      self.statement = statement
      self.source = source
      self.test = test
    }
  }

  /// An undocumented behavior of the chip, and the rig key that selects how the model behaves.
  public struct Assumption: Sendable {
    /// The name of the rig key in the section `unknown`.
    public let key: String
    /// The accepted values of the key, with the default first.
    public let answers: String
    /// The value in a harsh part; empty if that is the default.
    public let harsh: String
    /// The reason for the default.
    public let evidence: String
    /// The title of the test that checks each selectable behavior.
    public let test: String

    /// Creates an assumption.
    ///
    /// Default: a harsh part has the default.
    public init(
      key: String, answers: String, harsh: String = "", evidence: String, test: String
    ) {
      self.key = key
      self.answers = answers
      self.harsh = harsh
      self.evidence = evidence
      self.test = test
    }
  }

  /// A simplification of the model.
  public struct Shortcut: Sendable {
    /// The behavior that is not modelled.
    public let statement: String
    /// The consequence for a user.
    public let consequence: String

    /// Creates a shortcut.
    public init(statement: String, consequence: String) {
      self.statement = statement
      self.consequence = consequence
    }
  }

  /// The title of the documentation page.
  public let title: String
  /// The lines below the overview, which explain the abbreviated names of the sources.
  public let preface: [String]
  /// The facts, grouped into chapters.
  public let chapters: [(title: String, facts: [Fact])]
  /// The undocumented behaviors, each with its rig key.
  public let assumptions: [Assumption]
  /// The simplifications of the model.
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
