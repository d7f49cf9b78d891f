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

  var defaultValueDescription: String { "\(nanoseconds / 1_000_000_000)s" }
}
