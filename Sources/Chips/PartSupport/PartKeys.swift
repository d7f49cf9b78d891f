import Parts
import Schema
import Text
import VirtualParts

/// Rig keys that the devices of several chips have in common.
enum PartKeys {
  /// The key for the noise of the part.
  static let noise = Section.Field.optional(
    "noise", .either([.word(["off", "datasheet"]), .number(0...1000)]),
    "a number scales the datasheet's figures; default: off")
  /// The key for the conversion time of the part.
  static let timing = Section.Field.optional(
    "timing", .word(["typical", "maximum", "drawn"]),
    "the duration of conversions and pauses; default: typical")
  /// The key for the constant error of the part.
  static let offset = Section.Field.optional(
    "offset", .section(.deviation), "a constant error")
  /// The key for the drift of the part's error.
  static let drift = Section.Field.optional(
    "drift_per_year", .section(.deviation), "the change of the error per year")

  /// The key for the resolution at which a driver measures temperature and humidity.
  static let resolution = Section.Field.optional(
    "resolution",
    .section(
      Section(
        "The resolution of each quantity in bits; a part accepts those that it supports. Default: its highest.",
        [
          .optional("temperature", .choice([11, 12, 13, 14]), "of temperature"),
          .optional("humidity", .choice([8, 10, 11, 12, 14]), "of humidity"),
        ])),
    "the resolution of temperature and humidity")
}

extension PartNoise {
  /// Creates the noise from the value of the key `noise`.
  ///
  /// Default: no noise.
  init(_ value: CheckedValue?) {
    if let factor = value?.number {
      self = .scaled(factor)
    } else {
      self = value?.text == "datasheet" ? .datasheet : .off
    }
  }

  /// A short description for reports.
  var summary: String {
    switch self {
    case .off: "no noise"
    case .datasheet: "datasheet noise"
    case .scaled(let factor): "\(Decimal.shortest(factor))x datasheet noise"
    }
  }
}

extension PartTiming {
  /// Creates the timing from the value of the key `timing`.
  ///
  /// Default: typical.
  init(_ value: CheckedValue?) {
    switch value?.text {
    case "maximum": self = .maximum
    case "drawn": self = .drawn
    default: self = .typical
    }
  }

  /// A short description for reports.
  var summary: String {
    switch self {
    case .typical: "typical timing"
    case .maximum: "longest timing"
    case .drawn: "drawn timing"
    }
  }
}
