package import Schema
import Support
package import VirtualI2C

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
