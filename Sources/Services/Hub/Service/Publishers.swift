import Channels
package import Delivery
package import HubCore
import HubQueue
package import Notify
import Warehouse
package import WarehouseRuns

/// The publishers that deliver records over MQTT and HTTP.
package struct Publishers: Sendable {
  /// The MQTT publisher; `nil` if no broker is configured.
  package let mqtt: MQTTPublisher?
  /// The HTTP publisher; `nil` if no collector is configured.
  package let http: HTTPPublisher?
  /// The notifiers of the channels to people.
  package let notifiers: [Notifier]
  /// The watch of other hubs at the broker.
  let others: HubWatch
  private let report: @Sendable (String) -> Void

  /// Returns the names that the settings' receivers have in the record queue.
  package static func receivers(_ settings: HubSettings) -> [String] {
    (settings.broker == nil ? [] : [MQTTPublisher.receiver])
      + (settings.post == nil ? [] : [HTTPPublisher.receiver])
      + settings.channels.filter { $0.kind != .heartbeat }.map { Notifier.receiver($0) }
  }

  /// Returns the kinds of records that receivers get, for those that do not get all.
  package static func interests(_ settings: HubSettings) -> [String: Set<String>] {
    Dictionary(
      settings.channels.map { (Notifier.receiver($0), EventWords.kinds) }, uniquingKeysWith: { $1 })
  }

  /// Creates the publishers.
  ///
  /// - Parameters:
  ///   - core: The hub.
  ///   - settings: The settings of the hub file.
  ///   - secrets: The secrets that the settings name.
  ///   - file: The path of the hub file, which messages name.
  ///   - report: The function that receives log lines.
  /// - Throws: An error for an invalid URL, or for a channel's file that cannot be read.
  package init(
    core: HubCore, settings: HubSettings, secrets: HubSecrets, file: String,
    report: @escaping @Sendable (String) -> Void
  ) throws {
    self.report = report
    notifiers = try settings.channels.map { channel in
      Notifier(
        try ChannelSender(channel, from: .hub(core.queue.hub)), core: core, file: file,
        report: report)
    }
    let others = HubWatch(core: core)
    self.others = others
    let isWatching = settings.channels.contains {
      $0.topics.contains(.hub) && $0.kind != .heartbeat
    }
    mqtt = settings.broker.map { broker in
      var mqtt = MQTTSettings(host: broker.host, port: broker.port)
      (mqtt.user, mqtt.password) = (broker.user, secrets.password)
      mqtt.tls = broker.authority.map {
        MQTTSettings.TLS(authority: $0, certificate: broker.certificate, key: broker.key)
      }
      (mqtt.prefix, mqtt.keepAlive) = (broker.prefix, broker.keepAlive)
      mqtt.confirmation = broker.isConfirmedByReceiver ? .receiver : .broker
      return MQTTPublisher(
        queue: core.queue, settings: mqtt,
        hooks: Self.hooks(core, settings, broker, report, others: isWatching ? others : nil))
    }
    http = try settings.post.map { post in
      var http = HTTPSettings(address: post.address)
      (http.authorization, http.period, http.batch) =
        (secrets.authorization, post.every, post.batch)
      return try HTTPPublisher(queue: core.queue, settings: http, report: report)
    }
  }

  private static func hooks(
    _ core: HubCore, _ settings: HubSettings, _ broker: HubSettings.Broker,
    _ report: @escaping @Sendable (String) -> Void, others: HubWatch?
  ) -> MQTTPublisher.Hooks {
    let root = MQTTTopics(prefix: broker.prefix, hub: core.queue.hub).root
    let assistant = HomeAssistant(prefix: broker.discovery ?? "", root: root)
    let gate = CommandGate(
      actions: Set(settings.commands.allowed), people: Set(settings.commands.people))
    var hooks = MQTTPublisher.Hooks()
    hooks.report = report
    if let others { hooks.status = { others.take($0, $1) } }
    hooks.announcements = {
      let snapshot = core.snapshot
      return (broker.discovery == nil ? [] : assistant.documents(snapshot))
        + assistant.states(snapshot)
    }
    hooks.command = { bytes in
      gate.response(bytes) { command throws(HubCommand.Rejection) in
        try core.execute(command)
      }.json
    }
    return hooks
  }

  /// `true` while the broker is connected; `nil` if no broker is configured.
  var isBrokerThere: Bool? { mqtt?.counts.isConnected }

  /// Drops records in excess of the queue's limits, and reports them.
  func keepLimits(of core: HubCore, ages: Bool) {
    do {
      for loss in try core.keepLimits(ages: ages) {
        report(
          "\("record".counted(loss.count)) (\(loss.range.lowerBound) to \(loss.range.upperBound)) dropped for "
            + "\(loss.receiver): queue limit exceeded")
      }
    } catch {
      report("cannot apply the limits of the queue: \(error)")
    }
  }
}

/// The secrets from files that only the hub may read.
package struct HubSecrets: Sendable {
  /// The password for the broker; `nil` if none is set.
  package var password: String?
  /// The value of the `Authorization` header sent with batches; `nil` if none is set.
  package var authorization: String?

  /// Creates secrets in which none is set.
  package init() {}
}
