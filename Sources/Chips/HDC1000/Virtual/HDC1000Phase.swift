/// What a virtual HDC1000 is doing; times in nanoseconds since the start of the run.
enum HDC1000Phase: Hashable {
  /// Nothing at all: there is no supply.
  case off
  /// It starts, after power-on or a reset.
  case starting(until: UInt64)
  /// It sleeps, until a measurement is asked for.
  case asleep
  /// It measures one quantity or both.
  case measuring(HDC1000Channels, until: UInt64)

  /// When it ends by itself, or `nil`.
  var end: UInt64? {
    switch self {
    case .off, .asleep: nil
    case .starting(let until), .measuring(_, let until): until
    }
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }

  var isMeasuring: Bool {
    if case .measuring = self { return true }
    return false
  }
}

/// The quantities of one measurement.
struct HDC1000Channels: OptionSet, Hashable {
  let rawValue: UInt8

  static let temperature = HDC1000Channels(rawValue: 1)
  static let humidity = HDC1000Channels(rawValue: 2)

  /// Whether a quantity is among them.
  func measures(_ quantity: HDC1000Quantity) -> Bool {
    isSuperset(of: quantity == .temperature ? .temperature : .humidity)
  }
}
