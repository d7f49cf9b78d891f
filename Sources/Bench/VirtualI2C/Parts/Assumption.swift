/// An undocumented behavior of a chip: the switch that selects how the model behaves, and the evidence for its default.
///
/// The rig keys under `unknown`, the reference page and the fidelity page are derived from this declaration.
public struct Assumption<Switches: Sendable>: Sendable {
  /// The possible answers to the open question.
  public enum Answers: Hashable, Sendable {
    /// One of several named behaviors.
    case words([String])
    /// A duration.
    case duration
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// A temperature difference in °C.
    case temperatureDifference
  }

  /// An answer to the open question.
  public enum Answer: Hashable, Sendable {
    /// The name of a behavior.
    case word(String)
    /// A duration in nanoseconds.
    case duration(UInt64)
    /// A number, or a temperature difference in °C.
    case number(Double)
  }

  /// The rig key in the section `unknown`.
  public let key: String
  /// The open question.
  public let summary: String
  /// The possible answers.
  public let answers: Answers
  /// The reason for the default.
  public let evidence: String
  /// The title of the test that checks each selectable behavior.
  public let test: String
  private let get: @Sendable (Switches) -> Answer
  private let set: @Sendable (inout Switches, Answer) -> Void

  private init(
    _ key: String, _ answers: Answers, _ summary: String, _ evidence: String, _ test: String,
    get: @escaping @Sendable (Switches) -> Answer,
    set: @escaping @Sendable (inout Switches, Answer) -> Void
  ) {
    self.key = key
    self.summary = summary
    self.answers = answers
    self.evidence = evidence
    self.test = test
    self.get = get
    self.set = set
  }

  /// Declares a switch between named behaviors.
  ///
  /// - Parameters:
  ///   - key: the rig key in the section `unknown`.
  ///   - path: the switch.
  ///   - summary: the open question.
  ///   - evidence: the reason for the default.
  ///   - test: the title of the test that checks each behavior.
  /// - Returns: the declaration.
  public static func choice<Behavior: CaseIterable & RawRepresentable<String> & Sendable>(
    _ key: String, _ path: any WritableKeyPath<Switches, Behavior> & Sendable, _ summary: String,
    evidence: String, test: String
  ) -> Self {
    Self(
      key, .words(Behavior.allCases.map(\.rawValue)), summary, evidence, test,
      get: { .word($0[keyPath: path].rawValue) },
      set: { switches, answer in
        if case .word(let word) = answer, let behavior = Behavior(rawValue: word) {
          switches[keyPath: path] = behavior
        }
      })
  }

  /// Declares a duration in nanoseconds; the parameters are those of `choice`.
  public static func duration(
    _ key: String, _ path: any WritableKeyPath<Switches, UInt64> & Sendable, _ summary: String,
    evidence: String, test: String
  ) -> Self {
    Self(
      key, .duration, summary, evidence, test, get: { .duration($0[keyPath: path]) },
      set: { if case .duration(let time) = $1 { $0[keyPath: path] = time } })
  }

  /// Declares a number in a range, or a temperature difference in °C; the other parameters are those of `choice`.
  public static func number(
    _ key: String, _ path: any WritableKeyPath<Switches, Double> & Sendable, _ answers: Answers,
    _ summary: String, evidence: String, test: String
  ) -> Self {
    Self(
      key, answers, summary, evidence, test, get: { .number($0[keyPath: path]) },
      set: { if case .number(let number) = $1 { $0[keyPath: path] = number } })
  }

  /// Returns the answer that the switches of a chip contain.
  public func answer(in switches: Switches) -> Answer { get(switches) }

  /// Sets the switch; an answer of another kind changes nothing.
  public func select(_ answer: Answer, in switches: inout Switches) { set(&switches, answer) }

  /// The entry of the fidelity ledger, whose answers begin with the one in `defaults`.
  public func entry(defaults: Switches) -> FidelityLedger.Assumption {
    FidelityLedger.Assumption(
      key: key, answers: text(of: get(defaults)), evidence: evidence, test: test)
  }

  private func text(of usual: Answer) -> String {
    switch (answers, usual) {
    case (.words(let words), .word(let usual)):
      ([usual] + words.filter { $0 != usual }).joined(separator: ", ")
    case (_, .word(let word)): word
    case (_, .duration(let time)) where time < 1_000_000_000:
      Self.text(Double(time) / 1_000_000) + "ms"
    case (_, .duration(let time)): Self.text(Double(time) / 1_000_000_000) + "s"
    case (.temperatureDifference, .number(let number)): Self.text(number) + " °C"
    case (_, .number(let number)): Self.text(number)
    }
  }

  private static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
