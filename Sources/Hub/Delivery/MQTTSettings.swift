package import HubQueue

/// The settings of an MQTT broker.
package struct MQTTSettings: Sendable, Equatable {
  /// The TLS certificates.
  package struct TLS: Sendable, Equatable {
    /// The CA certificates of the broker, a PEM file.
    package var authority: String
    /// The client certificate, if the broker requires one.
    package var certificate: String?
    /// The private key of the client certificate.
    package var key: String?

    /// Creates TLS settings.
    package init(authority: String, certificate: String? = nil, key: String? = nil) {
      (self.authority, self.certificate, self.key) = (authority, certificate, key)
    }
  }

  /// The party that confirms delivery of a record.
  package enum Confirmation: String, Sendable, CaseIterable {
    /// The broker, by PUBACK. A broker that is killed may lose records that it acknowledged but did not pass on.
    case broker
    /// The receiver, by publishing the sequence number up to which it has all records.
    ///
    /// No failure loses records.
    case receiver
  }

  /// The host name or address of the broker.
  package var host: String
  /// The TCP port.
  ///
  /// Default: 1883, or 8883 with TLS.
  package var port: Int
  /// The user name.
  ///
  /// Default: none, for an anonymous login.
  package var user: String?
  /// The password.
  package var password: String?
  /// The TLS certificates.
  ///
  /// Default: none, for an unencrypted connection.
  package var tls: TLS?
  /// The MQTT keep-alive interval in seconds.
  package var keepAlive = 30
  /// The prefix of all topics.
  package var prefix = "aneroid"
  /// The discovery prefix of Home Assistant; `nil` for no discovery.
  package var discovery: String? = "homeassistant"
  /// The party that confirms delivery.
  package var confirmation = Confirmation.broker
  /// The maximum number of unacknowledged records.
  package var inFlight = 100
  /// The time in seconds without a receiver's confirmation after which records are published again.
  package var resend = 30

  /// Creates settings with default values.
  package init(host: String, port: Int = 1883) { (self.host, self.port) = (host, port) }
}

/// The topics of a hub.
package struct MQTTTopics: Sendable, Equatable {
  /// The root of all topics: prefix and hub.
  package let root: String

  /// Creates the topics of a hub.
  package init(prefix: String, hub: String) { root = "\(prefix)/\(Self.level(hub))" }

  /// The retained status: `online`, or `offline` by the will.
  package var status: String { root + "/status" }
  /// The topic of commands.
  package var command: String { root + "/command" }
  /// The topic of replies to commands.
  package var reply: String { root + "/reply" }
  /// The topic of receivers' confirmations.
  package var received: String { root + "/received" }

  /// Returns the topic of a record.
  package func record(_ record: NewRecord) -> String {
    "\(root)/\(Self.level(record.kind))/\(Self.level(record.key))"
  }

  /// Returns a text as one topic level; characters with a meaning in topics become `_`.
  package static func level(_ text: String) -> String {
    let level = String(
      text.unicodeScalars.map { scalar -> Character in
        scalar.value < 32 || "+#/".unicodeScalars.contains(scalar) ? "_" : Character(scalar)
      })
    return level.isEmpty ? "_" : level
  }
}
