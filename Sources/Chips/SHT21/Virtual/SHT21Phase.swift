/// What a virtual SHT21 is doing; times in nanoseconds since the start of the run.
enum SHT21Phase: Hashable {
  /// Nothing at all: there is no supply.
  case off
  /// It starts, after power-on or a soft reset.
  case starting(until: UInt64)
  /// It waits for a command.
  case idle
  /// It measures.
  case measuring(SHT21Quantity, until: UInt64, holdsClock: Bool)
  /// A result waits to be read.
  case ready

  /// When it ends by itself, or `nil`.
  var end: UInt64? {
    switch self {
    case .off, .idle, .ready: nil
    case .starting(let until), .measuring(_, let until, _): until
    }
  }
}
