import CMosquitto
import Glibc

/// A client of a broker, moved by whoever calls `step`: everything happens in the thread of that call.
final class MQTTConnection {
  /// What has happened since it was last asked.
  struct Happenings {
    /// The broker's answer to the wish to connect: 0 if it took the hub in.
    var connection: Int32?
    /// Whether the connection has ended.
    var isOver = false
    /// Why, in the library's words, as far as it knows.
    var reason = "the connection has ended"
    /// The publications that the broker has acknowledged.
    var acknowledged: [Int32] = []
    /// What came for topics that are subscribed to.
    var messages: [(topic: String, payload: [UInt8], isRetained: Bool)] = []
  }

  private static let library: Int32 = mosquitto_lib_init()

  private let client: OpaquePointer
  private let settings: MQTTSettings
  fileprivate var happenings = Happenings()
  private var hasConnected = false
  /// What the library has complained of last, such as a certificate.
  fileprivate var complaint: String?

  /// Creates a client that is not connected yet.
  ///
  /// - Parameters:
  ///   - settings: the broker.
  ///   - identifier: the client's name, which no other client of the broker has.
  ///   - will: what the broker publishes, retained, when the client is gone without a word; nothing unless given.
  /// - Throws: what is wrong with the settings.
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
        "read the certificates of TLS (\(tls.authority))")
    }
    _ = mosquitto_max_inflight_messages_set(client, UInt32(settings.inFlight))
    listen()
  }

  deinit { mosquitto_destroy(client) }

  /// Connects, or connects again; what was under way is sent again by the library.
  func connect() throws {
    happenings = Happenings()
    let result =
      hasConnected
      ? mosquitto_reconnect(client)
      : mosquitto_connect(client, settings.host, Int32(settings.port), Int32(settings.keepAlive))
    try check(result, "connect to \(settings.host):\(settings.port)")
    hasConnected = true
  }

  /// Reads and writes what there is, for at most so long.
  ///
  /// - Returns: what has happened.
  func step(milliseconds: Int32) -> Happenings {
    let result = mosquitto_loop(client, milliseconds, 1)
    if result != MOSQ_ERR_SUCCESS.code {
      happenings.isOver = true
      happenings.reason = MQTTError.words(result) + (complaint.map { " (\($0))" } ?? "")
      complaint = nil
    }
    defer { happenings = Happenings() }
    return happenings
  }

  /// Publishes at least once.
  ///
  /// - Returns: the number under which the broker will acknowledge it, or `nil` if it cannot be sent now.
  func publish(_ topic: String, _ payload: String, retained: Bool = false) -> Int32? {
    var number: Int32 = 0
    let count = Int32(payload.utf8.count)
    let result = mosquitto_publish(client, &number, topic, count, payload, 1, retained)
    return result == MOSQ_ERR_SUCCESS.code ? number : nil
  }

  /// Subscribes to a topic, at least once.
  func subscribe(_ topic: String) throws {
    try check(mosquitto_subscribe(client, nil, topic, 1), "subscribe to \(topic)")
  }

  /// Takes leave, so that the will is not published.
  func disconnect() { _ = mosquitto_disconnect(client) }

  private func check(_ result: Int32, _ what: String) throws {
    guard result != MOSQ_ERR_SUCCESS.code else { return }
    throw MQTTError(what: what, code: result, number: result == MOSQ_ERR_ERRNO.code ? errno : 0)
  }

  private func listen() {
    mosquitto_connect_callback_set(client) { _, context, result in
      MQTTConnection.of(context)?.happenings.connection = result
    }
    mosquitto_disconnect_callback_set(client) { _, context, _ in
      MQTTConnection.of(context)?.happenings.isOver = true
    }
    mosquitto_publish_callback_set(client) { _, context, number in
      MQTTConnection.of(context)?.happenings.acknowledged.append(number)
    }
    mosquitto_log_callback_set(client) { _, context, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MQTTConnection.of(context)?.complaint = String(cString: text)
    }
    mosquitto_message_callback_set(client) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let bytes = UnsafeRawBufferPointer(
        start: message.payload, count: Int(max(0, message.payloadlen)))
      MQTTConnection.of(context)?.happenings.messages.append(
        (String(cString: topic), Array(bytes), message.retain))
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
    context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension mosq_err_t {
  /// As the functions of the library return it.
  var code: Int32 { Int32(rawValue) }
}

/// What the client could not do.
struct MQTTError: Error, CustomStringConvertible {
  let what: String
  let code: Int32
  var number: Int32 = 0

  var description: String {
    let reason = number != 0 ? String(cString: strerror(number)) : Self.words(code)
    return "cannot \(what): \(reason)"
  }

  /// What an error of the library means.
  static func words(_ code: Int32) -> String {
    mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// Why a broker did not take a client in.
  static func refusal(_ code: Int32) -> String {
    mosquitto_connack_string(code).map { String(cString: $0) } ?? "reason \(code)"
  }
}
