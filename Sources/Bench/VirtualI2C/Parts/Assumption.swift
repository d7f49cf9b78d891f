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
  /// The answer that is hardest on a driver, which harsh parts give; `nil` if that is the default.
  public let harsh: Answer?
  private let get: @Sendable (Switches) -> Answer
  private let set: @Sendable (inout Switches, Answer) -> Void

  private init(
    _ key: String, _ answers: Answers, _ summary: String, _ evidence: String, _ test: String,
    _ harsh: Answer?, get: @escaping @Sendable (Switches) -> Answer,
    set: @escaping @Sendable (inout Switches, Answer) -> Void
  ) {
    self.key = key
    self.summary = summary
    self.answers = answers
    self.evidence = evidence
    self.test = test
    self.harsh = harsh
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
  ///   - harsh: the answer that is hardest on a driver. Default: that of the switch.
  /// - Returns: the declaration.
  public static func choice<Behavior: CaseIterable & RawRepresentable<String> & Sendable>(
    _ key: String, _ path: any WritableKeyPath<Switches, Behavior> & Sendable, _ summary: String,
    evidence: String, test: String, harsh: Behavior? = nil
  ) -> Self {
    Self(
      key, .words(Behavior.allCases.map(\.rawValue)), summary, evidence, test,
      harsh.map { .word($0.rawValue) },
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
    evidence: String, test: String, harsh: UInt64? = nil
  ) -> Self {
    Self(
      key, .duration, summary, evidence, test, harsh.map { .duration($0) },
      get: { .duration($0[keyPath: path]) },
      set: { if case .duration(let time) = $1 { $0[keyPath: path] = time } })
  }

  /// Declares a number in a range, or a temperature difference in °C; the other parameters are those of `choice`.
  public static func number(
    _ key: String, _ path: any WritableKeyPath<Switches, Double> & Sendable, _ answers: Answers,
    _ summary: String, evidence: String, test: String, harsh: Double? = nil
  ) -> Self {
    Self(
      key, answers, summary, evidence, test, harsh.map { .number($0) },
      get: { .number($0[keyPath: path]) },
      set: { if case .number(let number) = $1 { $0[keyPath: path] = number } })
  }

  /// Returns the answer that the switches of a chip contain.
  public func answer(in switches: Switches) -> Answer { get(switches) }

  /// Returns the text of the answer that the switches of a chip contain.
  public func answerText(in switches: Switches) -> String { short(get(switches)) }

  /// Sets the switch; an answer of another kind changes nothing.
  public func select(_ answer: Answer, in switches: inout Switches) { set(&switches, answer) }

  /// The entry of the fidelity ledger, whose answers begin with the one in `defaults`.
  public func entry(defaults: Switches) -> FidelityLedger.Assumption {
    FidelityLedger.Assumption(
      key: key, answers: text(of: get(defaults)), harsh: harsh.map(short) ?? "", evidence: evidence,
      test: test)
  }

  private func text(of usual: Answer) -> String {
    guard case .words(let words) = answers, case .word(let usual) = usual else {
      return short(usual)
    }
    return ([usual] + words.filter { $0 != usual }).joined(separator: ", ")
  }

  private func short(_ answer: Answer) -> String {
    switch answer {
    case .word(let word): word
    case .duration(let time) where time < 1_000_000_000: Self.text(Double(time) / 1_000_000) + "ms"
    case .duration(let time): Self.text(Double(time) / 1_000_000_000) + "s"
    case .number(let number):
      Self.text(number) + (answers == .temperatureDifference ? " °C" : "")
    }
  }

  private static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// The switches for the undocumented behavior of a chip, with their declarations.
public protocol UndocumentedSwitches: Sendable {
  /// The switches, each with its rig key and the evidence for its default.
  static var assumptions: [Assumption<Self>] { get }
}

extension UndocumentedSwitches {
  /// Answers each open question in the way that is hardest on a driver.
  ///
  /// - Parameter documented: the keys of questions that a document answers, which keep their answers. Default: none.
  public mutating func turnHarsh(except documented: Set<String> = []) {
    for assumption in Self.assumptions where !documented.contains(assumption.key) {
      if let answer = assumption.harsh { assumption.select(answer, in: &self) }
    }
  }
}
