import Quantities
import Support

/// The values of a key: their shape in a file, their conversion to a property, and the text of a default.
package struct KeyFormat<Property: Sendable>: Sendable {
  /// The shape of the values in a file.
  package let shape: Shape
  /// Converts a value of a file, or returns `nil` for an invalid value.
  ///
  /// For a group of keys, the current value of the property is the start.
  let convert: @Sendable (CheckedValue, Property?, inout Checker) -> Property?
  /// Returns the text of a default, as in a file; `nil` if a default has none.
  package let defaultText: @Sendable (Property) -> String?

  /// Creates a format whose shape accepts exactly the values that convert.
  ///
  /// - Parameters:
  ///   - shape: the shape of the values in a file.
  ///   - text: returns the text of a default, as in a file; `nil` if a default has none.
  ///   - convert: converts a value of a file; returns `nil` for an invalid value.
  package init(
    _ shape: Shape, text: @escaping @Sendable (Property) -> String?,
    convert: @escaping @Sendable (CheckedValue) -> Property?
  ) {
    self.shape = shape
    defaultText = text
    self.convert = { value, _, _ in convert(value) }
  }

  /// Creates a format that also rejects values that its shape accepts.
  ///
  /// - Parameters:
  ///   - shape: the shape of the values in a file.
  ///   - text: returns the text of a default, as in a file; `nil` if a default has none.
  ///   - convert: converts a value of a file, or throws the reason why it is not accepted.
  package init(
    _ shape: Shape, text: @escaping @Sendable (Property) -> String?,
    checking convert:
      @escaping @Sendable (CheckedValue) throws(QuantityKind.FormatError) ->
      Property?
  ) {
    self.shape = shape
    defaultText = text
    self.convert = { value, _, checker in
      do throws(QuantityKind.FormatError) {
        return try convert(value)
      } catch {
        checker.note(error.message, at: value.position)
        return nil
      }
    }
  }

  /// Returns a format that also rejects values that its shape accepts.
  ///
  /// - Parameters:
  ///   - isAccepted: returns whether a converted value is accepted.
  ///   - message: the error for other values.
  /// - Returns: the format.
  package func accepting(
    _ isAccepted: @escaping @Sendable (Property) -> Bool, else message: String
  ) -> KeyFormat {
    KeyFormat(shape, text: defaultText) { [convert] given, current, checker in
      guard let value = convert(given, current, &checker) else { return nil }
      if isAccepted(value) { return value }
      checker.note(message, at: given.position)
      return nil
    }
  }

  private init(
    _ shape: Shape, text: @escaping @Sendable (Property) -> String? = { _ in nil },
    _ convert: @escaping @Sendable (CheckedValue, Property?, inout Checker) -> Property?
  ) {
    self.shape = shape
    self.convert = convert
    defaultText = text
  }

  /// Returns a format that also stores the position of each value in the file.
  ///
  /// - Parameter set: stores the position.
  /// - Returns: the format.
  package func positioned(
    _ set: @escaping @Sendable (inout Property, Position) -> Void
  ) -> KeyFormat {
    KeyFormat(shape, text: defaultText) { [convert] given, current, checker in
      guard var value = convert(given, current, &checker) else { return nil }
      set(&value, given.position)
      return value
    }
  }

  /// The keys of a group, which set the properties of one value; its default has no text.
  package static func group(_ group: KeyGroup<Property>) -> KeyFormat {
    KeyFormat(.section(group.section)) { given, current, checker in
      guard given.isSound else { return nil }
      var value = current ?? group.standard
      group.read(given, into: &value, &checker)
      return value
    }
  }

  /// A list of at least one value; invalid values are skipped, and a default has no text.
  package static func list<Element>(
    _ element: KeyFormat<Element>
  ) -> KeyFormat where Property == [Element] {
    KeyFormat(.list(element.shape)) { given, _, checker in
      given.list.filter(\.isSound).compactMap { element.convert($0, nil, &checker) }
    }
  }
}

extension KeyFormat<Bool> {
  /// `true` or `false`.
  package static let boolean = KeyFormat(.boolean, text: { "\($0)" }) { $0.boolean }
}

extension KeyFormat<Int> {
  /// An integer in a range.
  package static func integer(_ range: ClosedRange<Int>) -> KeyFormat {
    KeyFormat(.integer(range), text: { "\($0)" }) { $0.integer }
  }
}

extension KeyFormat<Int> {
  /// A duration in whole seconds; a default has the text `30s` or `400d`.
  package static let seconds = KeyFormat(
    .quantity(.duration),
    text: { $0 > 0 && $0.isMultiple(of: 86_400) ? "\($0 / 86_400)d" : "\($0)s" },
    convert: { $0.nanoseconds.map { Int($0 / 1_000_000_000) } })
}

extension KeyFormat<UInt8> {
  /// A byte in a range, by default any; a default has the text `0xFF`.
  package static func byte(_ range: ClosedRange<Int> = 0...255) -> KeyFormat {
    KeyFormat(.integer(range), text: { "0x" + Hexadecimal.digits($0).uppercased() }) {
      $0.integer.map { UInt8($0) }
    }
  }
}

extension KeyFormat where Property: FixedWidthInteger {
  /// A duration, in nanoseconds; a default has the text `0.2ms` or `1min`.
  package static var duration: KeyFormat { duration(atLeast: 0) }

  /// A duration, in nanoseconds; a shorter one counts as `least`.
  package static func duration(atLeast least: Property) -> KeyFormat {
    KeyFormat(
      .quantity(.duration),
      text: { time in
        0 < time && time < 1_000_000_000
          ? "\(Decimal.shortest(Double(time) / 1e6))ms"
          : Decimal.duration(UInt64(time)).filter { $0 != " " }
      },
      convert: { $0.nanoseconds.map { max(Property($0), least) } })
  }
}

extension KeyFormat<UInt64> {
  /// A bus frequency, in Hz; a default has the text `100kHz`.
  package static let frequency = KeyFormat(
    .quantity(.frequency), text: { QuantityKind.frequency.text(Double($0)) },
    convert: { $0.number.map { UInt64($0) } })
}

extension KeyFormat<Double> {
  /// A decimal number in a range.
  package static func number(_ range: ClosedRange<Double>) -> KeyFormat {
    KeyFormat(.number(range), text: { Decimal.shortest($0) }) { $0.number }
  }

  /// A number with a unit, in the stored unit of its kind; a default has the text `1013.25hPa`.
  package static func quantity(_ kind: QuantityKind) -> KeyFormat {
    KeyFormat(.quantity(kind), text: { kind.text($0) }) { $0.number }
  }
}

extension KeyFormat<DocumentValue> {
  /// A value of any shape; a default has no text.
  package static let anything = KeyFormat(.anything, text: { _ in nil }) { $0.unchecked }
}

extension KeyFormat<[String]> {
  /// A list of texts.
  package static let texts = KeyFormat(.list(.text), text: { _ in nil }) {
    $0.list.compactMap(\.text)
  }
}

extension KeyFormat<String> {
  /// Any text that is not empty.
  package static let text = KeyFormat(.text, text: { $0 }) { $0.text }

  /// A path, relative to the file that contains it.
  package static let path = KeyFormat(.path, text: { $0 }) { $0.text }
}

extension KeyFormat where Property: Equatable {
  /// One of the listed cases, each written as an integer.
  ///
  /// - Parameters:
  ///   - cases: the cases in the order of the documentation.
  ///   - number: returns the integer of a case.
  /// - Returns: the format.
  package static func choice(
    of cases: [Property], by number: @escaping @Sendable (Property) -> Int
  ) -> KeyFormat {
    KeyFormat(.choice(cases.map(number)), text: { "\(number($0))" }) { value in
      cases.first { number($0) == value.integer }
    }
  }

  /// One of the listed cases, each written as a word.
  ///
  /// - Parameters:
  ///   - cases: the cases in the order of the documentation.
  ///   - word: returns the word of a case.
  /// - Returns: the format.
  package static func choice(
    of cases: [Property], by word: @escaping @Sendable (Property) -> String
  ) -> KeyFormat {
    KeyFormat(.word(cases.map(word)), text: word) { value in
      cases.first { word($0) == value.text }
    }
  }
}

extension KeyFormat where Property: CaseIterable & RawRepresentable<String> {
  /// The raw value of a case.
  package static var choice: KeyFormat {
    KeyFormat(.word(Property.allCases.map(\.rawValue)), text: \.rawValue) {
      $0.text.flatMap(Property.init(rawValue:))
    }
  }
}

extension KeyFormat<Range<UInt64>> {
  /// A time span with the keys `at` and `for`, in nanoseconds since the start of the run; `summary` describes it.
  package static func span(_ summary: String) -> KeyFormat {
    let section = Section(
      summary,
      [
        .required("at", .quantity(.duration), "its start"),
        .required("for", .quantity(.duration), "its length"),
      ])
    return KeyFormat(.section(section), text: { _ in nil }) { span in
      let start = UInt64(span["at"]?.nanoseconds ?? 0)
      return start..<(start + UInt64(span["for"]?.nanoseconds ?? 0))
    }
  }
}

extension QuantityKind {
  /// Returns a stored value as in a file, in a unit or that of the example: `1013.25hPa`, `21C`.
  package func text(_ value: Double, in symbol: String? = nil) -> String {
    let symbol = symbol ?? String(example.drop { $0.isNumber || "+-.".contains($0) })
    guard let unit = unit(symbol) else { return Decimal.shortest(value) }
    return Decimal.shortest(unit.number(value)) + symbol
  }
}
