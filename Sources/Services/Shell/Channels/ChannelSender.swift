import Foundation
import Support
package import WarehouseRuns

/// A channel with the contents of its files, which creates the requests that carry messages.
package struct ChannelSender: Sendable {
  package let channel: NotificationChannel
  private let sender: MessageSender
  private let secret: String?, signature: String?, template: String?

  /// Reads the files of a channel.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - sender: What sends messages over the channel.
  ///   - readsSecrets: `false` to read only the template, as for a check of the settings.
  /// - Throws: `ChannelFailure` if a file cannot be read, or if the template has a misspelt placeholder or makes no JSON
  ///   although `content_type` is JSON.
  package init(
    _ channel: NotificationChannel, from sender: MessageSender, readsSecrets: Bool = true
  ) throws(ChannelFailure) {
    func contents(_ path: String?) throws(ChannelFailure) -> String? {
      guard let path else { return nil }
      guard let data = FileManager.default.contents(atPath: path) else {
        throw ChannelFailure(reason: "cannot read \(path): \(String(cString: strerror(errno)))")
      }
      return String(decoding: data, as: UTF8.self)
    }
    func word(_ path: String?) throws(ChannelFailure) -> String? {
      guard let text = try contents(path)?.trimmingCharacters(in: .whitespacesAndNewlines) else {
        return nil
      }
      // A line break would end the header field and start another one.
      guard !text.isEmpty, text.visible == text else {
        throw ChannelFailure(reason: "\(path ?? ""): one line of text is expected")
      }
      return text
    }
    (self.channel, self.sender) = (channel, sender)
    secret = try word(readsSecrets ? channel.secretFile : nil)
    signature = try word(readsSecrets ? channel.signatureFile : nil)
    template = try contents(channel.templateFile)
    try checkTemplate()
  }

  /// Sends a message.
  ///
  /// If a mail server refuses one of several recipients, the message is sent to each of them separately.
  ///
  /// - Returns: The refusal of some of the recipients, if others accepted the message; otherwise `nil`.
  /// - Throws: `ChannelFailure` with the reason; `CancellationError`.
  @discardableResult
  package func send(_ message: NotificationMessage) async throws -> ChannelFailure? {
    let request = request(message)
    do {
      try await attempt(request)
      return nil
    } catch let failure as ChannelFailure {
      guard failure.isRejection, case .mail(let from, let to, let text) = request.content,
        to.count > 1
      else { throw failure }
      var refusals: [ChannelFailure] = []
      for recipient in to {
        var single = request
        single.content = .mail(from: from, to: [recipient], message: text)
        do {
          try await attempt(single)
        } catch let refusal as ChannelFailure {
          refusals.append(
            ChannelFailure(
              reason: "\(recipient.dropFirst().dropLast()): \(refusal.reason)",
              isRejection: refusal.isRejection))
        }
      }
      guard let first = refusals.first else { return nil }
      if refusals.count == to.count { throw failure }
      return first
    }
  }

  /// Executes a request; what a server repeats of secrets is removed from the reason of a failure.
  private func attempt(_ request: CurlRequest) async throws {
    do {
      try await request.send()
    } catch let failure as ChannelFailure {
      let secrets =
        [secret, signature].compactMap { $0 }
        + (secret?.split(separator: " ").map(String.init) ?? [])
      let reason = secrets.filter { $0.utf8.count >= 4 }.reduce(failure.reason) {
        $0.replacing($1, with: "***")
      }
      throw ChannelFailure(reason: reason, isRejection: failure.isRejection)
    }
  }

  /// Sends a heartbeat.
  ///
  /// - Throws: `ChannelFailure` with the reason; `CancellationError`.
  package func beat() async throws { try await attempt(request(content: .nothing)) }

  /// Sends a test message, or a heartbeat.
  ///
  /// - Returns: The reason of a failure; `nil` if the message was sent.
  package static func test(
    _ channel: NotificationChannel, from sender: MessageSender
  ) async -> String? {
    do {
      let own = try ChannelSender(channel, from: sender)
      guard channel.kind != .heartbeat else {
        try await own.beat()
        return nil
      }
      let message = NotificationMessage.test(
        from: sender, channel: channel.name, link: channel.link)
      return try await own.send(message).map { "sent, but not to all: \($0)" }
    } catch {
      return "failed: \(error)"
    }
  }

  /// Returns the request that carries a message.
  func request(_ message: NotificationMessage) -> CurlRequest {
    switch channel.kind {
    case .mail: mail(message)
    case .webhook: webhook(message)
    case .ntfy: ntfy(message)
    case .gotify: gotify(message)
    case .heartbeat: request(content: .nothing)
    }
  }

  private func request(
    _ address: String? = nil, content: CurlRequest.Content, fields: [String] = []
  ) -> CurlRequest {
    var request = CurlRequest(address: address ?? channel.address, content: content, fields: fields)
    request.authority = channel.authority
    return request
  }

  // MARK: Mail

  private func mail(_ message: NotificationMessage) -> CurlRequest {
    let domain = channel.from.split(separator: "@").last.map(String.init) ?? "localhost"
    let number = (0..<16).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
    var fields = [
      "Date: \(LocalTime.mail(LocalTime.now))", "From: \(channel.from)",
      "To: \(channel.to.joined(separator: ",\r\n "))", "Subject: \(Self.encoded(message.title))",
      "Message-ID: <\(number)@\(domain)>",
      // Replies of absent people would not be read (RFC 3834, section 5).
      "Auto-Submitted: auto-generated",
    ]
    if message.level == .alarm { fields += ["X-Priority: 1", "Importance: high"] }
    let text = message.text.replacing("\n", with: "\r\n") + "\r\n"
    fields += [
      "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
    ]
    let body = Data(text.utf8).base64EncodedString(
      options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    var request = request(
      content: .mail(
        from: "<\(channel.from)>", to: channel.to.map { "<\($0)>" },
        message: fields.joined(separator: "\r\n") + "\r\n\r\n" + body + "\r\n"))
    (request.user, request.password) = (channel.user, secret)
    request.needsTLS = channel.needsTLS
    return request
  }

  /// Returns a text as the value of a header field: unchanged if it is ASCII, otherwise as encoded words of at most 75
  /// characters (RFC 2047, section 2).
  static func encoded(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ (32...126).contains($0) }) || text.utf8.count > 200 else {
      return text
    }
    var words: [[UInt8]] = [[]]
    for character in text {
      let bytes = Array(String(character).utf8)
      if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  // MARK: HTTP

  private func json(_ members: [(String, JSONValue?)]) -> CurlRequest.Content {
    .body(JSONValue.members(members).compact)
  }

  private static let jsonField = "Content-Type: application/json"

  private func webhook(_ message: NotificationMessage) -> CurlRequest {
    let events = "[" + message.events.joined(separator: ",") + "]"
    let body: String
    if let template {
      body = filled(template, message, events)
    } else {
      let head = JSONValue.members([
        ("title", JSONValue.string(message.title)), ("text", .string(message.text)),
        ("level", .string(message.level.word)), (sender.word, .string(sender.name)),
        ("link", message.link.map(JSONValue.string)),
      ]).compact
      body = "\(head.dropLast()),\"events\":\(events)}"
    }
    var fields = ["Content-Type: \(template == nil ? "application/json" : channel.contentType)"]
    if let secret { fields.append("Authorization: \(secret)") }
    if let signature {
      let time = LocalTime.now / 1_000_000_000
      let digest = SHA256.authenticationCode(
        of: Array("\(time).\(body)".utf8), key: Array(signature.utf8))
      fields.append(
        "X-Aneroid-Signature: t=\(time),v1=\(digest.map { String(format: "%02x", $0) }.joined())")
    }
    return request(content: .body(body), fields: fields)
  }

  private var isJSON: Bool { channel.contentType.lowercased().contains("json") }

  /// Returns what the placeholders of a template stand for; in JSON, texts are escaped.
  private func values(_ message: NotificationMessage, _ events: String) -> [String: String] {
    let texts = [
      "title": message.title, "text": message.text, "level": message.level.word,
      sender.word: sender.name,
      "link": message.link ?? "",
    ]
    let escaped = texts.mapValues {
      isJSON ? String(JSONValue.string($0).compact.dropFirst().dropLast()) : $0
    }
    return escaped.merging(["events": events]) { $1 }
  }

  /// Checks the template with a test message.
  private func checkTemplate() throws(ChannelFailure) {
    guard let template, let path = channel.templateFile else { return }
    let test = NotificationMessage.test(from: sender, channel: channel.name, link: channel.link)
    let names = values(test, "").keys.sorted()
    for found in template.matches(of: /\{\{ *(\w+) *\}\}/) where !names.contains(String(found.1)) {
      let hint = NearestWord.hint(String(found.1), among: names)
      guard hint.isEmpty else {
        throw ChannelFailure(reason: "\(path): unknown placeholder '\(found.1)'\(hint)")
      }
    }
    if isJSON, JSONValue(reading: Array(filled(template, test, "[]").utf8)) == nil {
      throw ChannelFailure(
        reason: "\(path): the filled template is not JSON; set 'content_type' if it need not be")
    }
  }

  /// Returns a template with its placeholders replaced.
  ///
  /// Other names in double braces stay, for templates of the receiver.
  private func filled(_ template: String, _ message: NotificationMessage, _ events: String)
    -> String
  {
    let values = values(message, events)
    var (filled, rest) = ("", template[...])
    while let open = rest.firstRange(of: "{{"),
      let close = rest[open.upperBound...].firstRange(of: "}}")
    {
      filled += rest[..<open.lowerBound]
      let name = rest[open.upperBound..<close.lowerBound]
      filled +=
        values[name.filter { $0 != " " }]
        ?? String(rest[open.lowerBound..<close.upperBound])
      rest = rest[close.upperBound...]
    }
    return filled + rest
  }

  /// Returns the request to ntfy, whose JSON interface is at the root of the server.
  private func ntfy(_ message: NotificationMessage) -> CurlRequest {
    let path = channel.address.lastIndex(of: "/") ?? channel.address.endIndex
    let topic = channel.address[path...].dropFirst()
    let tags = ["white_check_mark", "warning", "rotating_light"][message.level.rawValue]
    var fields = [Self.jsonField]
    if let secret { fields.append("Authorization: Bearer \(secret)") }
    return request(
      String(channel.address[..<path]) + "/",
      content: json([
        ("topic", .string(String(topic))), ("title", .string(message.title)),
        // The server makes an attachment of longer messages.
        ("message", .string(Self.clipped(message.text, bytes: 4000))),
        ("priority", .integer([3, 4, 5][message.level.rawValue])),
        ("tags", .array([.string(tags)])),
        ("click", message.link.map(JSONValue.string)),
      ]), fields: fields)
  }

  private func gotify(_ message: NotificationMessage) -> CurlRequest {
    let base = channel.address.hasSuffix("/") ? String(channel.address.dropLast()) : channel.address
    let click = message.link.map { link in
      JSONValue.members([
        ("client::notification", .members([("click", .members([("url", JSONValue.string(link))]))]))
      ])
    }
    return request(
      base + "/message",
      content: json([
        ("title", .string(message.title)), ("message", .string(message.text)),
        ("priority", .integer([2, 5, 8][message.level.rawValue])), ("extras", click),
      ]), fields: [Self.jsonField, "X-Gotify-Key: \(secret ?? "")"])
  }

  private static func clipped(_ text: String, bytes: Int) -> String {
    guard text.utf8.count > bytes else { return text }
    var (clipped, count) = ("", 0)
    for character in text {
      count += String(character).utf8.count
      if count > bytes - 3 { break }
      clipped.append(character)
    }
    return clipped + "…"
  }
}

extension SHA256 {
  /// Returns the HMAC of a message (RFC 2104, section 2).
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var key = key.count > 64 ? digest(key) : key
    key += repeatElement(0, count: 64 - key.count)
    return digest(key.map { $0 ^ 0x5c } + digest(key.map { $0 ^ 0x36 } + message))
  }
}
