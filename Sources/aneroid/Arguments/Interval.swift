import ArgumentParser
import Rigs

/// A length of time on the command line: `10s`, `500ms`.
struct Interval: ExpressibleByArgument, Equatable {
  let nanoseconds: UInt64

  init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let nanoseconds = RigText.nanoseconds(argument) else { return nil }
    self.nanoseconds = nanoseconds
  }

  var defaultValueDescription: String { "\(nanoseconds / 1_000_000_000)s" }
}
