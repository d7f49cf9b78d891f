import ArgumentParser
import Rigs

/// A length of time on the command line: `10s`, `500ms`, `1y` for 365 days.
struct Interval: ExpressibleByArgument, Equatable {
  let nanoseconds: UInt64

  init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    let years = argument.hasSuffix("y") ? Int(argument.dropLast()) : nil
    let text = years.map { "\(min($0, 1000) * 365)d" } ?? argument
    guard let nanoseconds = RigText.nanoseconds(text) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The longest that there is.
  static let longest = "3650d, which is 10y"

  /// Reads an option's value, and says of one that is none what is wrong with it.
  ///
  /// - Throws: `ValidationError`.
  static func read(_ argument: String) throws -> Interval {
    if let interval = Interval(argument: argument) { return interval }
    let mistake = RigText.mistake(inTime: argument) ?? "it is too long"
    let isYears = argument.hasSuffix("y") && Int(argument.dropLast()) != nil
    let text = isYears ? "\(argument) is out of range for a duration" : mistake
    throw ValidationError("\(text); the longest is \(longest)")
  }

  var defaultValueDescription: String { "\(nanoseconds / 1_000_000_000)s" }
}
