/// The claims that the model of a part makes about the chip: facts with source and test, assumptions with their switch,
/// and simplifications.
///
/// A test fails if a fact names a test that does not exist, or if the documentation page differs from the ledger.
public struct FidelityLedger: Sendable {
  /// A fact about the chip and the test that fails if the model violates it.
  public struct Fact: Sendable {
    /// The behavior of the chip.
    public let statement: String
    /// The document (DS is the data sheet) or observation that the fact comes from.
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

  /// An undocumented behavior of the chip and the switch that selects it.
  public struct Assumption: Sendable {
    /// The key in a rig, under `unknown`.
    public let key: String
    /// The accepted values, the default first.
    public let answers: String
    /// The reason for the default.
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

  /// The title of the page.
  public let title: String
  /// The lines below the overview, which explain the short names of the sources.
  public let preface: [String]
  /// The facts by chapter.
  public let chapters: [(title: String, facts: [Fact])]
  /// The undocumented behaviors, each with its switch.
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
