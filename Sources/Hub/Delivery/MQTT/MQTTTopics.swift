package import HubQueue

/// Where a hub publishes and listens.
package struct MQTTTopics: Sendable, Equatable {
  /// How all begin: prefix and hub.
  package let root: String

  /// Creates it.
  package init(prefix: String, hub: String) { root = "\(prefix)/\(Self.level(hub))" }

  /// `online` or, by the will, `offline`; retained.
  package var status: String { root + "/status" }
  /// Where people send commands.
  package var command: String { root + "/command" }
  /// Where they are answered.
  package var reply: String { root + "/reply" }
  /// Where a receiver tells how far it has come.
  package var received: String { root + "/received" }

  /// Where a record goes.
  package func record(_ record: NewRecord) -> String {
    "\(root)/\(Self.level(record.kind))/\(Self.level(record.key))"
  }

  /// One level of a topic: what has a meaning in topics becomes `_`.
  package static func level(_ text: String) -> String {
    let level = String(
      text.unicodeScalars.map { scalar -> Character in
        scalar.value < 32 || "+#/".unicodeScalars.contains(scalar) ? "_" : Character(scalar)
      })
    return level.isEmpty ? "_" : level
  }
}
