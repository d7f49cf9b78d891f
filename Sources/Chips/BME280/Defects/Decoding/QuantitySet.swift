package import Quantities

/// Some of the three quantities.
package struct QuantitySet: OptionSet, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let temperature = QuantitySet(rawValue: 1)
  package static let pressure = QuantitySet(rawValue: 2)
  package static let humidity = QuantitySet(rawValue: 4)
  package static let all: QuantitySet = [.temperature, .pressure, .humidity]

  /// Each with its name.
  package static let named: [(quantity: QuantitySet, name: String)] = Quantity.allCases.map {
    (QuantitySet($0), $0.rawValue)
  }

  /// How many.
  package var count: Int { rawValue.nonzeroBitCount }
}

extension QuantitySet {
  /// Creates the set of one quantity.
  package init(_ quantity: Quantity) {
    self =
      switch quantity {
      case .temperature: .temperature
      case .pressure: .pressure
      case .humidity: .humidity
      }
  }
}
