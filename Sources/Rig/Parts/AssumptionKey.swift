package import Schema
import Text

/// What is assumed of a chip where nobody knows: a switch for each open question.
package protocol AssumedBehaviour: SendableMetatype {
  /// Creates the assumptions that the evidence speaks for.
  init()
}

/// A key under `unknown` in a rig, and the switch that it sets.
///
/// It is here, and not with the parts, so that it is compiled once and not anew for each of their switches.
package struct AssumptionKey<Behaviour: AssumedBehaviour> {
  /// The key.
  package let field: Section.Field
  private let set: (inout Behaviour, CheckedValue) -> Void

  private init(
    _ name: String, _ shape: Shape, _ summary: String, usually usual: String,
    _ set: @escaping (inout Behaviour, CheckedValue) -> Void
  ) {
    field = .optional(name, shape, "\(summary); \(usual) unless given")
    self.set = set
  }

  /// A key that takes one of a switch's words.
  package static func word<Switch: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Behaviour, Switch>, _ summary: String
  ) -> Self {
    Self(
      name, .word(Switch.allCases.map(\.rawValue)), summary,
      usually: Behaviour()[keyPath: path].rawValue
    ) { behaviour, value in
      if let chosen = value.text.flatMap(Switch.init(rawValue:)) {
        behaviour[keyPath: path] = chosen
      }
    }
  }

  /// A key that takes one of a switch's words, where the usual one is not the same for every chip.
  package static func word<Switch: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ path: WritableKeyPath<Behaviour, Switch?>, _ summary: String,
    usually usual: String
  ) -> Self {
    Self(name, .word(Switch.allCases.map(\.rawValue)), summary, usually: usual) {
      behaviour, value in
      behaviour[keyPath: path] = value.text.flatMap(Switch.init(rawValue:))
    }
  }

  /// A key that takes a time.
  package static func time(
    _ name: String, _ path: WritableKeyPath<Behaviour, UInt64>, _ summary: String
  ) -> Self {
    Self(
      name, .quantity(.duration), summary,
      usually: duration(Behaviour()[keyPath: path])
    ) { behaviour, value in
      if let time = value.nanoseconds { behaviour[keyPath: path] = UInt64(time) }
    }
  }

  /// A key that takes a number of some shape, whose usual value is said with a unit.
  package static func number(
    _ name: String, _ shape: Shape, _ path: WritableKeyPath<Behaviour, Double>, _ summary: String,
    unit: String = ""
  ) -> Self {
    Self(
      name, shape, summary,
      usually: Decimal.shortest(Behaviour()[keyPath: path]) + unit
    ) { behaviour, value in
      if let number = value.number { behaviour[keyPath: path] = number }
    }
  }

  /// A time as a rig says it: `0.2ms`, `1min`.
  private static func duration(_ nanoseconds: UInt64) -> String {
    nanoseconds < 1_000_000_000
      ? "\(Decimal.shortest(Double(nanoseconds) / 1e6))ms"
      : Decimal.duration(nanoseconds).filter { $0 != " " }
  }

  /// The section of some keys, which are made when somebody asks for them.
  package static func section(_ keys: @autoclosure @escaping @Sendable () -> [Self]) -> Section {
    Section(
      "What is assumed where nobody knows the chip; the page of its fidelity has the evidence.",
      keys().map(\.field))
  }

  /// What the keys of a section say.
  package static func behaviour(
    _ keys: @autoclosure () -> [Self], _ section: CheckedValue?
  ) -> Behaviour {
    var behaviour = Behaviour()
    guard let section else { return behaviour }
    for key in keys() {
      if let value = section[key.field.name] { key.set(&behaviour, value) }
    }
    return behaviour
  }
}
