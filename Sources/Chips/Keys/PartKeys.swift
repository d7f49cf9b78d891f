import Parts
import Schema
import Text
import VirtualParts

/// The keys that devices of several chips have alike.
enum PartKeys {
  /// How noisy the part is.
  static let noise = Section.Field.optional(
    "noise", .either([.word(["off", "datasheet"]), .number(0...1000)]),
    "off unless given; a number scales the datasheet's figures")
  /// How long the part's conversions take.
  static let timing = Section.Field.optional(
    "timing", .word(["typical", "maximum", "drawn"]),
    "how long conversions and pauses take; typical unless given")
  /// The part's error.
  static let offset = Section.Field.optional(
    "offset", .section(.deviation), "a constant error")
  /// The change of the part's error.
  static let drift = Section.Field.optional(
    "drift_per_year", .section(.deviation), "how the error grows in a year")

  /// How finely a driver measures temperature and humidity.
  static let resolution = Section.Field.optional(
    "resolution",
    .section(
      Section(
        "The bits of each quantity, as many as the part has unless given; a part takes those that it knows.",
        [
          .optional("temperature", .choice([11, 12, 13, 14]), "of temperature"),
          .optional("humidity", .choice([8, 10, 11, 12, 14]), "of humidity"),
        ])),
    "how finely temperature and humidity are measured")
}

extension PartNoise {
  /// Creates the noise that a key says; none where it is not there.
  init(_ value: CheckedValue?) {
    if let factor = value?.number {
      self = .scaled(factor)
    } else {
      self = value?.text == "datasheet" ? .datasheet : .off
    }
  }

  /// What a report says of it.
  var remark: String {
    switch self {
    case .off: "no noise"
    case .datasheet: "datasheet noise"
    case .scaled(let factor): "\(Decimal.shortest(factor))x datasheet noise"
    }
  }
}

extension PartTiming {
  /// Creates the timing that a key says; typical where it is not there.
  init(_ value: CheckedValue?) {
    switch value?.text {
    case "maximum": self = .maximum
    case "drawn": self = .drawn
    default: self = .typical
    }
  }

  /// What a report says of it.
  var remark: String {
    switch self {
    case .typical: "typical timing"
    case .maximum: "longest timing"
    case .drawn: "drawn timing"
    }
  }
}
