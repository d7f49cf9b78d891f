/// What a virtual BMP180 is doing; times in nanoseconds since the start of the run.
enum BMP180Phase: Hashable {
  /// Nothing at all: there is no supply.
  case off
  /// It starts, after power-on or a reset.
  case starting(until: UInt64)
  /// It sleeps, until a conversion is asked for.
  case asleep
  /// It converts.
  case converting(BMP180Conversion, until: UInt64)

  /// When it ends by itself, or `nil`.
  var end: UInt64? {
    switch self {
    case .off, .asleep: nil
    case .starting(let until), .converting(_, let until): until
    }
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }

  var isConverting: Bool {
    if case .converting = self { return true }
    return false
  }
}
