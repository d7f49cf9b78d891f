package import DriverDefects
package import Quantities
import Runs

/// What a program is worth in one scenario.
package struct Judgement: Sendable {
  /// The judgement, the worst first.
  package enum Verdict: String, Sendable, CaseIterable {
    /// It showed wrong numbers and did not say so.
    case wrong
    /// It showed nothing where there was something to show, or nothing at all.
    case failed
    /// What it showed is within what right formulas differ by, and to the last digit it is a defect's and no right one's.
    case small
    /// It said that it could not measure, where that is so.
    case reported
    /// What it showed is right.
    case right
    /// The scenario did not take place, as the program ended before, or nobody can tell, as it waits by another clock.
    case notRun = "not run"

    /// Creates a verdict from the word for it; reports of before say `told` and `missed`.
    init?(word: String) {
      switch word {
      case "told": self = .reported
      case "missed": self = .notRun
      default: self.init(rawValue: word)
      }
    }

    /// Whether it speaks against the program.
    package var isFinding: Bool { self == .wrong || self == .failed || self == .small }
  }

  /// What is right where there is nothing to show.
  static let nothing = "nothing"

  /// A number that is wrong, with the right one.
  package struct Difference: Sendable {
    /// What it is of.
    package let quantity: Quantity
    /// As the program showed it.
    package let shown: String
    /// As it should be.
    package let right: String
    /// Both in C, Pa or %, and one of the last digit that was shown; `nil` where there is nothing to show.
    var values: (shown: Double, right: Double, digit: Double)?

    /// Both, in words.
    var sentence: String {
      right == nothing ? "\(shown), where there is nothing to show" : "\(shown), not \(right)"
    }
  }

  /// The scenario.
  package let scenario: Scenario
  /// What the program is worth in it.
  package internal(set) var verdict: Verdict
  /// What it showed, quantity by quantity, in the reading that tells most.
  package let shown: [String]
  /// What was wrong of it.
  package internal(set) var differences: [Difference]
  /// Why, in a sentence.
  package internal(set) var reason: String
  /// The defects that explain it: class and title.
  package internal(set) var likely: [(classID: String, title: String)]
  /// The defects that the last digits of its other values tell: class and title.
  package internal(set) var alsoLikely: [(classID: String, title: String)] = []
  /// What explains it without this scenario: what is wrong everywhere, or on the calm bench too.
  package internal(set) var common: String?
  /// What the program did wrong on the bus.
  package let conduct: [ConversationFinding]
  /// Under what it is grouped with others.
  var cause: String {
    if let common { return common }
    if let first = likely.first { return "likely \(first.classID) \(first.title)" }
    return verdict == .wrong ? "wrong, and explained by no known defect" : reason
  }

  /// How many readings it showed, and how long that took by the wall clock, in seconds.
  package let readings: Int, seconds: Double
}
