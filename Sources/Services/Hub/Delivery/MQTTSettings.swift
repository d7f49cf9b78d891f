package import HubQueue

/// The settings of the connection to an MQTT broker.
package struct MQTTSettings: Sendable, Equatable {
  /// The certificates of a TLS connection.
  package struct TLS: Sendable, Equatable {
    /// The path of the PEM file with the CA certificates that sign the broker's certificate.
    package var authority: String
    /// The client certificate; `nil` if the broker requires none.
    package var certificate: String?
    /// The private key of the client certificate; `nil` without a client certificate.
    package var key: String?

    package init(authority: String, certificate: String? = nil, key: String? = nil) {
      (self.authority, self.certificate, self.key) = (authority, certificate, key)
    }
  }

  /// The party that confirms delivery of a record.
  package enum Confirmation: String, Sendable, CaseIterable {
    /// The broker confirms with PUBACK. A broker that is killed may lose records that it
    /// acknowledged but did not pass on.
    case broker
    /// The receiver confirms by publishing the sequence number up to which it has all records.
    ///
    /// With this setting, no failure loses a record.
    case receiver
  }

  /// The host name or address of the broker.
  package var host: String
  /// The TCP port.
  ///
  /// Default: 1883, or 8883 with TLS.
  package var port: Int
  /// The user name; `nil` for an anonymous login.
  ///
  /// Default: `nil`.
  package var user: String?
  package var password: String?
  /// The certificates of a TLS connection; `nil` for an unencrypted connection.
  ///
  /// Default: `nil`.
  package var tls: TLS?
  /// The MQTT keep-alive interval in seconds.
  package var keepAlive = 30
  /// The prefix of all topics.
  package var prefix = "aneroid"
  /// The discovery prefix of Home Assistant; `nil` disables discovery.
  package var discovery: String? = "homeassistant"
  /// The party that confirms delivery of a record.
  package var confirmation = Confirmation.broker
  /// The maximum number of published records that are not acknowledged yet.
  package var inFlight = 100
  /// The time in seconds without a confirmation from the receiver, after which records are
  /// published again.
  package var resend = 30

  /// Creates settings with default values.
  package init(host: String, port: Int = 1883) { (self.host, self.port) = (host, port) }
}

/// The names of a hub's topics.
package struct MQTTTopics: Sendable, Equatable {
  private let prefix: String
  /// The root of all topics, which consists of the prefix and the name of the hub.
  package let root: String

  /// Creates the topics of a hub.
  package init(prefix: String, hub: String) {
    (self.prefix, root) = (prefix, "\(prefix)/\(Self.level(hub))")
  }

  /// The topic of the retained status, which is `online`, or `offline` as the will.
  package var status: String { root + "/status" }
  /// The filter of the statuses of all hubs with the same prefix.
  package var statuses: String { prefix + "/+/status" }
  /// The topic on which the hub receives commands.
  package var command: String { root + "/command" }
  /// The topic on which the hub replies to commands.
  package var reply: String { root + "/reply" }
  /// The topic on which receivers confirm records.
  package var received: String { root + "/received" }

  /// Returns the hub whose status a topic is; `nil` for other topics.
  package func hub(ofStatus topic: String) -> String? {
    guard topic.hasPrefix(prefix + "/"), topic.hasSuffix("/status") else { return nil }
    let hub = topic.dropFirst(prefix.count + 1).dropLast("/status".count)
    return hub.isEmpty || hub.contains("/") ? nil : String(hub)
  }

  /// Returns the topic of a record.
  package func record(_ record: NewRecord) -> String {
    "\(root)/\(Self.level(record.kind))/\(Self.level(record.key))"
  }

  /// Returns a text as one topic level, in which characters that have a meaning in topics are
  /// replaced by `_`.
  package static func level(_ text: String) -> String {
    let level = String(
      text.unicodeScalars.map { scalar -> Character in
        scalar.value < 32 || "+#/".unicodeScalars.contains(scalar) ? "_" : Character(scalar)
      })
    return level.isEmpty ? "_" : level
  }
}
