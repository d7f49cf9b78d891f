import DriverDefects
package import Quantities
import Text

/// What a program showed of one measurement, as exactly as it was said.
package struct Observation: Hashable, Sendable {
  /// Values between two bounds.
  package struct Band: Hashable, Sendable {
    /// The bounds, in C, Pa or %RH.
    package let low: Double, high: Double
    /// Whether it stands for one number with its digits, and is no range.
    let isRounded: Bool

    /// Creates a band.
    ///
    /// - Parameters:
    ///   - low: the lower bound.
    ///   - high: the upper bound.
    ///   - isRounded: whether it stands for one number, whose digits may have been cut instead of rounded.
    package init(low: Double, high: Double, isRounded: Bool = false) {
      self.low = low
      self.high = high
      self.isRounded = isRounded
    }

    /// Whether a value lies in it.
    func contains(_ value: Double) -> Bool { low <= value && value <= high }

    /// Whether a program that shows a value shows it so, rounded or with further digits cut off.
    func showsOrCuts(_ value: Double) -> Bool { contains(value) || cuts(value) }

    /// Whether a program that cuts further digits off, towards 0, shows a value so.
    func cuts(_ value: Double) -> Bool {
      let half = (high - low) / 2
      let middle = low + half
      return isRounded && abs(value) >= abs(middle) && abs(value) < abs(middle) + 2 * half
        && (value < 0) == (middle < 0)
    }

    /// Reads `1789hPa`, `26.21C`, `40%` or a range `1300..1800hPa`.
    ///
    /// A single value stands for all that are rounded to its digits.
    ///
    /// - Parameters:
    ///   - text: the value with its unit.
    ///   - quantity: the quantity, in one of whose units it is.
    package init?(_ text: String, of quantity: Quantity) {
      var units = quantity.units.map { (symbol: "\($0.symbol)", unit: $0) }
      if quantity == .humidity { units.append(("%RH", units[0].unit)) }
      let found = units.inOrder { $0.symbol.count > $1.symbol.count }
        .first { text.lowercased().hasSuffix($0.symbol.lowercased()) }
      guard let (symbol, unit) = found else { return nil }
      let number = text.dropLast(symbol.count).filter { $0 != " " }
      func band(_ text: Substring) -> (low: Double, high: Double)? {
        guard let value = Double(text), value.isFinite, text.first != "+" else { return nil }
        let decimals = text.firstIndex(of: ".").map { text[$0...].count - 1 } ?? 0
        var half = 0.5
        for _ in 0..<decimals { half /= 10 }
        // What is computed in another order may fall on the other side of the half.
        half *= 1.000001
        return (value - half, value + half)
      }
      let ends: (low: Double, high: Double)?
      if let dots = number.firstRange(of: "..") {
        let (first, last) = (Double(number[..<dots.lowerBound]), Double(number[dots.upperBound...]))
        ends = first.flatMap { first in last.map { (min(first, $0), max(first, $0)) } }
      } else {
        ends = band(number[...])
      }
      guard let ends else { return nil }
      self.init(
        low: unit.kept(ends.low), high: unit.kept(ends.high),
        isRounded: number.firstRange(of: "..") == nil)
    }

    /// A pressure: hPa, Pa, kPa, mbar, mmHg, inHg, atm.
    package static func pressure(_ text: String) -> Band? { Band(text, of: .pressure) }

    /// A temperature: C, F, K.
    package static func temperature(_ text: String) -> Band? { Band(text, of: .temperature) }

    /// A relative humidity: %, %RH.
    package static func humidity(_ text: String) -> Band? { Band(text, of: .humidity) }
  }

  /// When it was shown, in seconds since the start of the trace, if that is known.
  package var time: Double?
  /// The temperature in C.
  package var temperature: Band?
  /// The pressure in Pa.
  package var pressure: Band?
  /// The relative humidity in %.
  package var humidity: Band?

  /// The quantities of which the program showed nothing, NaN or a dash, although it shows them otherwise.
  var absent: QuantitySet = []

  /// Creates an observation.
  package init(
    time: Double? = nil, temperature: Band? = nil, pressure: Band? = nil, humidity: Band? = nil
  ) {
    self.time = time
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// How many values it has.
  var count: Int { [temperature, pressure, humidity].count { $0 != nil } + absent.count }

  /// Which values it has, those included of which nothing was shown.
  var quantities: QuantitySet {
    var quantities = absent
    if temperature != nil { quantities.insert(.temperature) }
    if pressure != nil { quantities.insert(.pressure) }
    if humidity != nil { quantities.insert(.humidity) }
    return quantities
  }

  /// What was shown of a quantity; `nil` where it was not, or was none.
  func band(of quantity: QuantitySet) -> Band? {
    switch quantity {
    case .temperature: temperature
    case .pressure: pressure
    default: humidity
    }
  }

  /// Whether a program that computes a value would have shown what was, rounded, and with further digits cut off.
  func fits(
    _ value: Double?, _ quantity: QuantitySet, isKnown: Bool
  ) -> (rounded: Bool, cut: Bool) {
    if absent.contains(quantity) { return (value == nil, value == nil) }
    guard let band = band(of: quantity), let value, isKnown else { return (false, false) }
    return (band.contains(value), band.cuts(value))
  }

  /// The values at which results are cut off, in C, Pa and %RH: many ways end there.
  static func limits(of quantity: QuantitySet) -> [Double] {
    switch quantity {
    case .temperature: [-40, 85]
    case .pressure: [30_000, 110_000]
    default: [0, 100]
    }
  }
}
