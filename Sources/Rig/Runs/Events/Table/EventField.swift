package import Text

/// One field of an event: what it is called, what it means, and how it is told.
package struct EventField<Event>: Sendable {
  /// Its name, with its unit.
  package let name: String
  /// What it means.
  package let meaning: String
  /// Its value; `nil` where the event does not have it.
  package let value: @Sendable (Event) -> JSONValue?

  /// Creates a field.
  package init(
    _ name: String, _ meaning: String, _ value: @escaping @Sendable (Event) -> JSONValue?
  ) {
    self.name = name
    self.meaning = meaning
    self.value = value
  }
}

/// What an event tells: its fields, in the order in which they are told.
package protocol ToldEvent: Sendable {
  /// The fields of such events.
  static var fields: [EventField<Self>] { get }
}

extension Sequence {
  /// The names of fields and what they mean.
  package func described<Event>() -> [(name: String, meaning: String)]
  where Element == EventField<Event> {
    map { ($0.name, $0.meaning) }
  }
}

extension ToldEvent {
  /// The object of the event, behind the name of its kind.
  package func json(
    _ kind: RunEvent.Kind, _ fields: [EventField<Self>] = Self.fields
  ) -> JSONValue {
    var members: [(key: String, value: JSONValue)] = [("event", .string(kind.rawValue))]
    members.reserveCapacity(fields.count + 1)
    for field in fields {
      if let value = field.value(self) { members.append((field.name, value)) }
    }
    return .object(members)
  }
}
