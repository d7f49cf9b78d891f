/// What a sensor is doing; times in nanoseconds since the start of the run.
enum Phase: Hashable {
  /// Nothing at all: there is no supply.
  case off
  /// The calibration is being copied from the NVM after power-on or reset.
  case starting(until: UInt64)
  /// Nothing, until a write to ctrl_meas.
  case asleep
  /// A conversion, after which a forced part sleeps and a normal one stands by.
  case converting(since: UInt64, until: UInt64)
  /// The pause of normal mode.
  case standby(until: UInt64)

  /// When it ends by itself, or `nil`.
  var end: UInt64? {
    switch self {
    case .asleep, .off: nil
    case .starting(let until), .converting(_, let until), .standby(let until): until
    }
  }

  var isConverting: Bool {
    if case .converting = self { return true }
    return false
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }
}
