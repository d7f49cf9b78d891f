import CMosquitto
import Glibc

/// An MQTT client that works only while `step` is called; all callbacks run on the calling thread.
final class MQTTConnection {
  /// The events since the last call of `step`.
  struct Events {
    /// The broker's CONNACK return code: 0 if it accepted the connection.
    var connection: Int32?
    /// `true` if the connection has ended.
    var isOver = false
    /// The reason for the end of the connection, as reported by the library if possible.
    var reason = "the connection was closed"
    /// The message numbers of the acknowledged publications.
    var acknowledged: [Int32] = []
    /// The messages received on subscribed topics.
    var messages: [(topic: String, payload: [UInt8], isRetained: Bool)] = []
  }

  private static let library: Int32 = mosquitto_lib_init()

  private let client: OpaquePointer
  private let settings: MQTTSettings
  fileprivate var events = Events()
  private var hasConnected = false
  /// The last error that the library logged, such as a rejected certificate.
  fileprivate var complaint: String?

  /// Creates a client without connecting.
  ///
  /// - Parameters:
  ///   - settings: The settings of the broker.
  ///   - identifier: The client identifier, unique at the broker.
  ///   - will: The retained message that the broker publishes if the connection is lost. Default:
  ///     none.
  /// - Throws: An error if the settings are invalid.
  init(
    _ settings: MQTTSettings, identifier: String, will: (topic: String, payload: String)? = nil
  ) throws {
    _ = Self.library
    guard let client = mosquitto_new(identifier, true, nil) else {
      throw MQTTError(what: "create a client", code: MOSQ_ERR_NOMEM.code)
    }
    self.client = client
    self.settings = settings
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    if let will {
      try check(
        mosquitto_will_set(
          client, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true), "set the will"
      )
    }
    if let user = settings.user {
      try check(mosquitto_username_pw_set(client, user, settings.password), "set the user")
    }
    if let tls = settings.tls {
      try check(
        mosquitto_tls_set(client, tls.authority, nil, tls.certificate, tls.key, nil),
        "read the TLS certificates (\(tls.authority))")
    }
    _ = mosquitto_max_inflight_messages_set(client, UInt32(settings.inFlight))
    listen()
  }

  deinit { mosquitto_destroy(client) }

  /// Connects or reconnects; the library resends unacknowledged messages.
  func connect() throws {
    events = Events()
    let result =
      hasConnected
      ? mosquitto_reconnect(client)
      : mosquitto_connect(client, settings.host, Int32(settings.port), Int32(settings.keepAlive))
    try check(result, "connect to \(settings.host):\(settings.port)")
    hasConnected = true
  }

  /// Sends and receives data for a limited time.
  ///
  /// - Returns: The events since the last call.
  func step(milliseconds: Int32) -> Events {
    let result = mosquitto_loop(client, milliseconds, 1)
    if result != MOSQ_ERR_SUCCESS.code {
      events.isOver = true
      events.reason = MQTTError.words(result) + (complaint.map { " (\($0))" } ?? "")
      complaint = nil
    }
    defer { events = Events() }
    return events
  }

  /// Publishes a message with QoS 1.
  ///
  /// - Returns: The message number with which the broker acknowledges the message; `nil` if it
  ///   cannot be sent now.
  func publish(_ topic: String, _ payload: String, retained: Bool = false) -> Int32? {
    var number: Int32 = 0
    let count = Int32(payload.utf8.count)
    let result = mosquitto_publish(client, &number, topic, count, payload, 1, retained)
    return result == MOSQ_ERR_SUCCESS.code ? number : nil
  }

  /// Subscribes to a topic with QoS 1.
  func subscribe(_ topic: String) throws {
    try check(mosquitto_subscribe(client, nil, topic, 1), "subscribe to \(topic)")
  }

  /// Disconnects in the regular way, so the broker does not publish the will.
  func disconnect() { _ = mosquitto_disconnect(client) }

  private func check(_ result: Int32, _ what: String) throws {
    guard result != MOSQ_ERR_SUCCESS.code else { return }
    throw MQTTError(what: what, code: result, number: result == MOSQ_ERR_ERRNO.code ? errno : 0)
  }

  private func listen() {
    mosquitto_connect_callback_set(client) { _, context, result in
      MQTTConnection.of(context)?.events.connection = result
    }
    mosquitto_disconnect_callback_set(client) { _, context, _ in
      MQTTConnection.of(context)?.events.isOver = true
    }
    mosquitto_publish_callback_set(client) { _, context, number in
      MQTTConnection.of(context)?.events.acknowledged.append(number)
    }
    mosquitto_log_callback_set(client) { _, context, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MQTTConnection.of(context)?.complaint = String(cString: text)
    }
    mosquitto_message_callback_set(client) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let bytes = UnsafeRawBufferPointer(
        start: message.payload, count: Int(max(0, message.payloadlen)))
      MQTTConnection.of(context)?.events.messages.append(
        (String(cString: topic), Array(bytes), message.retain))
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
    context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension mosq_err_t {
  /// The error code as the number that the functions of the library return.
  var code: Int32 { Int32(rawValue) }
}

/// A failed operation of the client.
struct MQTTError: Error, CustomStringConvertible {
  let what: String
  let code: Int32
  var number: Int32 = 0

  var description: String {
    let reason = number != 0 ? String(cString: strerror(number)) : Self.words(code)
    return "cannot \(what): \(reason)"
  }

  /// Returns the text for an error code of the library.
  static func words(_ code: Int32) -> String {
    mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// Returns the text for a CONNACK return code.
  static func rejection(_ code: Int32) -> String {
    mosquitto_connack_string(code).map { String(cString: $0) } ?? "reason \(code)"
  }
}
