package import Schema
import Support
package import VirtualI2C

/// The deviations from the ideal that the virtual parts of all chips have in common.
package protocol DeviatingOptions: Sendable {
  var noise: PartNoise { get set }
  var timing: PartTiming { get set }
  var offset: PartDeviation { get set }
  var driftPerYear: PartDeviation { get set }
}

/// Rig keys that the devices of several chips have in common.
extension Key where Value: DeviatingOptions {
  /// The keys for the deviations from the ideal part.
  package static var deviations: [Key] {
    [
      Key("noise", \.noise, .noise, "a number scales the datasheet's figures"),
      Key("timing", \.timing, .choice, "the duration of conversions and pauses"),
      Key("offset", \.offset, .group(.deviation), "a constant error"),
      Key("drift_per_year", \.driftPerYear, .group(.deviation), "the change of the error per year"),
    ]
  }
}

extension KeyFormat {
  /// A serial number with the given number of hexadecimal digits and of bits.
  package static func serialNumber(
    digits: Int, bits: Int, _ number: @escaping @Sendable (UInt64) -> Property
  ) -> KeyFormat {
    let needed = "a serial number takes \(digits) digits"
    return KeyFormat(.hexadecimal, text: { _ in nil }) {
      value throws(QuantityKind.FormatError) in
      guard let text = value.text else { return nil }
      guard text.count == digits, let parsed = UInt64(text, radix: 16), parsed >> UInt64(bits) == 0
      else {
        throw QuantityKind.FormatError(
          message: bits < 4 * digits ? "\(needed) and at most \(bits) bits" : needed)
      }
      return number(parsed)
    }
  }
}

extension KeyFormat<PartNoise> {
  /// `off`, `datasheet` or a factor.
  package static let noise = KeyFormat(
    .either([.word(["off", "datasheet"]), .number(0...1000)]),
    text: { noise in
      switch noise {
      case .off: "off"
      case .datasheet: "datasheet"
      case .scaled(let factor): Decimal.shortest(factor)
      }
    },
    convert: { value in
      value.number.map(PartNoise.scaled) ?? (value.text == "datasheet" ? .datasheet : .off)
    })
}

extension PartNoise {
  /// A short description for reports.
  package var summary: String {
    switch self {
    case .off: "no noise"
    case .datasheet: "datasheet noise"
    case .scaled(let factor): "\(Decimal.shortest(factor))x datasheet noise"
    }
  }
}

extension PartTiming {
  /// A short description for reports.
  package var summary: String {
    switch self {
    case .typical: "typical timing"
    case .maximum: "longest timing"
    case .drawn: "drawn timing"
    }
  }
}
