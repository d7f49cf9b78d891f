import ArgumentParser
import I2C

/// A pair of bus numbers on the command line: `1=3`.
struct NumberMapping: ExpressibleByArgument, Equatable {
  let from: Int
  let to: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = Int(parts[0]), let to = Int(parts[1]),
      I2CBusNumber.all.contains(from), I2CBusNumber.all.contains(to)
    else { return nil }
    (self.from, self.to) = (from, to)
  }
}
