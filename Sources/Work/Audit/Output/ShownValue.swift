package import Quantities
import Text

/// A number that a program showed.
package struct ShownValue: Hashable, Sendable {
  /// What it is of.
  package var quantity: Quantity { unit.quantity }
  /// As it was written, with its unit; to two decimals where there were more than four.
  package let text: String
  /// In C, Pa or %; `nil` for `nan` and its kin.
  package let value: Double?
  /// One of its last digit, in C, Pa or %: programs round, or cut.
  package let digit: Double

  /// Its unit.
  let unit: SpelledUnit

  /// Reads a number.
  ///
  /// - Parameters:
  ///   - written: as it was written; a comma stands for the decimal point, or between thousands where there is a
  ///     point as well.
  ///   - unit: its unit.
  init(_ written: some StringProtocol, _ unit: SpelledUnit) {
    self.unit = unit
    let hasPoint = written.contains(".")
    let number = String(written.compactMap { $0 == "," ? hasPoint ? nil : "." : $0 })
    let mantissa = number.prefix { $0 != "e" && $0 != "E" }
    let decimals = mantissa.firstIndex(of: ".").map { mantissa[$0...].count - 1 } ?? 0
    var digit = 1.0
    for _ in 0..<decimals { digit /= 10 }
    self.digit = mantissa.count < number.count ? 0 : digit * unit.scale
    let isLong = decimals > 4 || mantissa.count < number.count
    let short = isLong ? Double(number).map { Decimal.fixed($0, 2) } : nil
    text = "\(short ?? String(written)) \(unit.spelling)"
    value = Double(number).flatMap { $0.isFinite ? $0 * unit.scale + unit.offset : nil }
  }
}

extension SpelledUnit {
  /// A value in C, Pa or % in this unit, to the digits that say something.
  func text(_ value: Double) -> String {
    let decimals: [String: Int] = ["pa": 0, "kpa": 3, "inhg": 3, "fraction": 4]
    return "\(Decimal.fixed((value - offset) / scale, decimals[suffix] ?? 2)) \(spelling)"
  }

  /// How it is written behind a number.
  var spelling: String {
    switch suffix {
    case "c": "C"
    case "f": "F"
    case "k": "K"
    case "hpa": "hPa"
    case "pa": "Pa"
    case "kpa": "kPa"
    case "mmhg": "mmHg"
    case "inhg": "inHg"
    case "fraction": ""
    case "mbar": "mbar"
    default: "%"
    }
  }
}

/// The values of one reading, each quantity once.
package typealias ShownReading = [Quantity: ShownValue]
