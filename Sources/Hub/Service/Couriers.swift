package import Delivery
package import HubCore
import HubQueue
package import HubSettings
import Warehouse

/// Those who bring records to others.
package struct Couriers: Sendable {
  /// To the broker, if there is to be one.
  package let mqtt: MQTTCourier?
  /// To where batches are posted, if anywhere.
  package let http: HTTPCourier?
  private let tell: @Sendable (String) -> Void

  /// The names under which records wait for them, by the settings.
  package static func receivers(_ settings: HubSettings) -> [String] {
    (settings.broker == nil ? [] : [MQTTCourier.receiver])
      + (settings.post == nil ? [] : [HTTPCourier.receiver])
  }

  /// Creates them.
  ///
  /// - Throws: what is wrong with an address.
  package init(
    core: HubCore, settings: HubSettings, secrets: HubSecrets,
    tell: @escaping @Sendable (String) -> Void
  ) throws {
    self.tell = tell
    mqtt = settings.broker.map { broker in
      var mqtt = MQTTSettings(host: broker.host, port: broker.port)
      (mqtt.user, mqtt.password) = (broker.user, secrets.password)
      mqtt.tls = broker.authority.map {
        MQTTSettings.TLS(authority: $0, certificate: broker.certificate, key: broker.key)
      }
      (mqtt.prefix, mqtt.keepAlive) = (broker.prefix, broker.keepAlive)
      mqtt.confirmation = broker.isConfirmedByReceiver ? .receiver : .broker
      return MQTTCourier(
        queue: core.queue, settings: mqtt,
        hooks: Self.hooks(core, settings, broker, tell))
    }
    http = try settings.post.map { post in
      var http = HTTPSettings(address: post.address)
      (http.authorization, http.period, http.batch) =
        (secrets.authorization, post.every, post.batch)
      return try HTTPCourier(queue: core.queue, settings: http, tell: tell)
    }
  }

  private static func hooks(
    _ core: HubCore, _ settings: HubSettings, _ broker: HubSettings.Broker,
    _ tell: @escaping @Sendable (String) -> Void
  ) -> MQTTCourier.Hooks {
    let root = MQTTTopics(prefix: broker.prefix, hub: core.queue.hub).root
    let assistant = HomeAssistant(prefix: broker.discovery ?? "", root: root)
    let gate = CommandGate(
      actions: Set(settings.commands.allowed), people: Set(settings.commands.people))
    var hooks = MQTTCourier.Hooks()
    hooks.tell = tell
    hooks.announcements = {
      let snapshot = core.snapshot
      return (broker.discovery == nil ? [] : assistant.documents(snapshot))
        + assistant.states(snapshot)
    }
    hooks.command = { bytes in
      gate.answer(bytes) { command throws(HubCommand.Refusal) in
        try core.obey(command)
      }.json
    }
    return hooks
  }

  /// Whether the broker is there; `nil` where none is wanted.
  var isBrokerThere: Bool? { mqtt?.counts.isConnected }

  /// Gives up what waits for too long, and says so.
  func keepLimits(of core: HubCore, ages: Bool) {
    do {
      for loss in try core.keepLimits(ages: ages) {
        tell(
          "\("record".counted(loss.count)) (\(loss.range.lowerBound) to \(loss.range.upperBound)) given up for "
            + "\(loss.receiver): too much waited for too long")
      }
    } catch {
      tell("cannot keep the limits of the queue: \(error)")
    }
  }
}

/// What stands in files that only the hub may read.
package struct HubSecrets: Sendable {
  /// The password at the broker.
  package var password: String?
  /// The header `Authorization` of batches.
  package var authorization: String?

  /// None.
  package init() {}
}
