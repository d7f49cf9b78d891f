/// How a hub reaches its broker.
package struct MQTTSettings: Sendable, Equatable {
  /// What proves the broker to the hub, and the hub to the broker.
  package struct TLS: Sendable, Equatable {
    /// The certificates of those who may have signed the broker's: a file in PEM.
    package var authority: String
    /// The hub's own certificate, if the broker asks for one.
    package var certificate: String?
    /// The key of that certificate.
    package var key: String?

    /// Creates it.
    package init(authority: String, certificate: String? = nil, key: String? = nil) {
      (self.authority, self.certificate, self.key) = (authority, certificate, key)
    }
  }

  /// Whose word it takes that a record has arrived.
  package enum Confirmation: String, Sendable, CaseIterable {
    /// The broker's (PUBACK): a broker that is killed may forget what it has acknowledged and not yet passed on.
    case broker
    /// The receiver's, which publishes how far it has come: nothing is lost whoever is killed.
    case receiver
  }

  /// The broker.
  package var host: String
  /// Its port: 1883, with TLS 8883.
  package var port: Int
  /// With what the hub logs in; anonymously unless given.
  package var user: String?
  /// The password.
  package var password: String?
  /// TLS; in the clear unless given.
  package var tls: TLS?
  /// After how many silent seconds the broker takes the hub for dead.
  package var keepAlive = 30
  /// How all of its topics begin.
  package var prefix = "aneroid"
  /// Where Home Assistant looks for what there is; nowhere if `nil`.
  package var discovery: String? = "homeassistant"
  /// Whose word it takes that a record has arrived.
  package var confirmation = Confirmation.broker
  /// How many records may be under way.
  package var inFlight = 100
  /// After how many seconds without a receiver's word what is unconfirmed is sent again.
  package var resend = 30

  /// Settings for a broker, the rest as usual.
  package init(host: String, port: Int = 1883) { (self.host, self.port) = (host, port) }
}
