package import Schema
import Support
package import VirtualI2C

/// The deviations from the ideal that the virtual parts of all chips have in common.
package protocol DeviatingOptions: Sendable {
  var noise: PartNoise { get set }
  var timing: PartTiming { get set }
  var offset: PartDeviation { get set }
  var driftPerYear: PartDeviation { get set }

  /// Selects the longest times, and everything else that a data sheet leaves open, against the driver.
  mutating func turnHarsh()
}

extension DeviatingOptions {
  package mutating func turnHarsh() { timing = .maximum }
}

/// Rig keys that the devices of several chips have in common.
extension Key where Value: DeviatingOptions {
  /// The keys for the deviations from the ideal part.
  package static var deviations: [Key] {
    [
      // The keys after it overrule what it selects.
      Key(
        "harsh", .boolean,
        "whether everything that the data sheet leaves open is answered against the driver, and each duration is the longest; "
          + "'unknown' and 'timing' overrule it", absent: "that of the rig, else false"
      ) { options, isHarsh in
        if isHarsh { options.turnHarsh() }
      },
      Key("noise", \.noise, .noise, "a number scales the datasheet's figures"),
      Key("timing", \.timing, .choice, "the duration of conversions and pauses"),
      Key("offset", \.offset, .group(.deviation), "a constant error"),
      Key("drift_per_year", \.driftPerYear, .group(.deviation), "the change of the error per year"),
    ]
  }
}

extension KeyGroup where Value: DeviatingOptions {
  /// Returns the options of a part that the keys of a device set; `nil`, with the errors noted, if one is invalid.
  package func options(_ device: CheckedValue, _ reader: inout PartReader) -> Value? {
    var options = standard
    let errors = reader.checker.errors.count
    read(device, into: &options, &reader)
    return reader.checker.errors.count == errors ? options : nil
  }

  /// Reads the keys of a device into options.
  package func read(
    _ device: CheckedValue, into options: inout Value, _ reader: inout PartReader
  ) {
    if reader.isHarsh, device["harsh"] == nil { options.turnHarsh() }
    read(device, into: &options, &reader.checker)
  }
}

/// Pipeline keys that the drivers of several chips have in common.
package enum PartKeys {
  /// The key for the resolution at which a driver measures temperature and humidity.
  package static let resolution = Section.Field.optional(
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

/// The options that the virtual parts of all chips have in common.
package protocol PartOptions: DeviatingOptions {
  /// The switches for the undocumented behavior of the chip.
  associatedtype Unknown: UndocumentedSwitches

  var unknown: Unknown { get set }

  /// The keys of the switches whose answer is documented, which a harsh part keeps. Default: none.
  var documented: Set<String> { get }
}

extension PartOptions {
  package var documented: Set<String> { [] }

  package mutating func turnHarsh() {
    timing = .maximum
    unknown.turnHarsh(except: documented)
  }
}

extension Key where Value: PartOptions {
  /// The key for the undocumented behavior of the chip.
  package static func unknown(_ switches: KeyGroup<Value.Unknown>) -> Key {
    Key(
      "unknown", \.unknown, .group(switches),
      "undocumented behavior of the chip and the default we assume")
  }
}

extension KeyGroup {
  /// Creates the keys under `unknown` in a rig; each sets the switch for an undocumented behavior of a chip.
  ///
  /// - Parameters:
  ///   - standard: the switches with their defaults.
  ///   - assumptions: the declarations of the switches, created on first use.
  ///   - evidence: where the evidence for the defaults is. Default: on the fidelity page of the chip.
  /// - Returns: the keys.
  package static func unknown(
    _ standard: @autoclosure @escaping @Sendable () -> Value,
    _ assumptions: @autoclosure @escaping @Sendable () -> [Assumption<Value>],
    evidence: String = "its fidelity page has the evidence"
  ) -> KeyGroup {
    KeyGroup(
      "Undocumented behavior of the chip and the default we assume; \(evidence).", standard()
    ) {
      assumptions().map { assumption in
        Key(
          assumption.key, .answer(assumption.answers), assumption.summary,
          get: { assumption.answer(in: $0) }, set: { assumption.select($1, in: &$0) }
        ).example(assumption.answerText(in: standard()))
      }
    }
  }
}

extension KeyFormat {
  /// An answer to an open question about a chip.
  fileprivate static func answer<Switches>(
    _ answers: Assumption<Switches>.Answers
  ) -> KeyFormat where Property == Assumption<Switches>.Answer {
    let shape: Shape =
      switch answers {
      case .words(let words): .word(words)
      case .duration: .quantity(.duration)
      case .number(let range): .number(range)
      case .temperatureDifference: .quantity(.temperatureDifference)
      }
    return KeyFormat(
      shape,
      text: { answer in
        switch answer {
        case .word(let word): word
        case .duration(let time): KeyFormat<UInt64>.duration.defaultText(time)
        case .number(let number):
          answers == .temperatureDifference
            ? QuantityKind.temperatureDifference.text(number) : Decimal.shortest(number)
        }
      },
      convert: { value in
        switch answers {
        case .words: value.text.map { .word($0) }
        case .duration: value.nanoseconds.map { .duration(UInt64($0)) }
        case .number, .temperatureDifference: value.number.map { .number($0) }
        }
      })
  }
}
