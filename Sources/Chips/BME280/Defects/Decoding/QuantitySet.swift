import Quantities

/// Some of the three quantities.
struct QuantitySet: OptionSet, Hashable {
  let rawValue: UInt8

  static let temperature = QuantitySet(rawValue: 1)
  static let pressure = QuantitySet(rawValue: 2)
  static let humidity = QuantitySet(rawValue: 4)
  static let all: QuantitySet = [.temperature, .pressure, .humidity]

  /// Each with its name.
  static let named: [(quantity: QuantitySet, name: String)] = Quantity.allCases.map {
    (QuantitySet($0), $0.rawValue)
  }

  /// How many.
  var count: Int { rawValue.nonzeroBitCount }
}

extension QuantitySet {
  /// Creates the set of one quantity.
  init(_ quantity: Quantity) {
    self =
      switch quantity {
      case .temperature: .temperature
      case .pressure: .pressure
      case .humidity: .humidity
      }
  }
}
