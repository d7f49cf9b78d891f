import Glibc
package import Support

/// A minimal client that gets documents over HTTP/1.1 without encryption.
///
/// It does not follow redirections, decompress content or reuse connections. It accepts at most
/// `longest` bytes and waits no longer than its timeout. The system's resolver adds its own
/// timeout for host names; numeric addresses need no resolution.
package enum HTTPClient {
  /// The longest accepted response in bytes, including its header and chunk lengths: 1 MiB.
  package static let longest = 1 << 20

  /// Gets a document.
  ///
  /// - Parameters:
  ///   - address: the address of the document.
  ///   - seconds: the timeout in seconds. Default: 5.
  /// - Returns: the bytes of the document.
  /// - Throws: `Failure` of kind `unavailable` if there is no server, a timeout passes, or the
  ///   response is too long, not HTTP, or has a status other than 200.
  package static func get(
    _ address: HTTPAddress, within seconds: Double = 5
  ) throws(Failure) -> [UInt8] {
    let end = now() + Int(seconds * 1000)
    let socket = try connection(to: address, until: end)
    defer { close(socket) }
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let port = address.port == 80 ? "" : ":\(address.port)"
    let request =
      "GET \(address.path) HTTP/1.1\r\nHost: \(host)\(port)\r\nAccept: application/json\r\n"
      + "Accept-Encoding: identity\r\nUser-Agent: aneroid\r\nConnection: close\r\n\r\n"
    try send(Array(request.utf8), to: socket, address, until: end)
    let reply = try reply(from: socket, address, until: end)
    guard reply.status == 200 else { throw failure(address, Self.reason(reply)) }
    return reply.body
  }

  /// Returns the reason why a response does not contain the document.
  private static func reason(_ reply: HTTPReply) -> String {
    let status = "the status is \(reply.status)"
    guard (300...399).contains(reply.status), let target = reply.location else { return status }
    let isEncrypted = target.lowercased().hasPrefix("https:")
    return "\(status): the document has moved to \(target.clipped.visible), "
      + (isEncrypted
        ? "which requires https; only plain http is supported"
        : "and redirections are not followed; use that address")
  }

  /// Returns the monotonic time in milliseconds.
  private static func now() -> Int {
    var moment = timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return moment.tv_sec * 1000 + moment.tv_nsec / 1_000_000
  }

  private static func failure(_ address: HTTPAddress, _ reason: String) -> Failure {
    Failure(.unavailable, "\(address.text): \(reason)")
  }

  private static func connection(
    to address: HTTPAddress, until end: Int
  ) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address.host, "\(address.port)", &hints, &found)
    guard status == 0 else { throw failure(address, String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    var reason = "the host has no address"
    var next = found
    while let candidate = next?.pointee {
      next = candidate.ai_next
      let type = candidate.ai_socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let socket = Glibc.socket(candidate.ai_family, type, candidate.ai_protocol)
      guard socket >= 0 else { continue }
      var outcome: Int32 = 0
      if connect(socket, candidate.ai_addr, candidate.ai_addrlen) != 0 {
        outcome = errno
        if outcome == EINPROGRESS, isReady(socket, Int16(POLLOUT), until: end) {
          var length = socklen_t(MemoryLayout<Int32>.size)
          getsockopt(socket, SOL_SOCKET, SO_ERROR, &outcome, &length)
        }
      }
      if outcome == 0 { return socket }
      reason = outcome == EINPROGRESS ? "connection timed out" : String(cString: strerror(outcome))
      close(socket)
    }
    throw failure(address, reason)
  }

  /// Waits until a socket is ready; returns `false` after the timeout.
  private static func isReady(_ socket: Int32, _ events: Int16, until end: Int) -> Bool {
    while true {
      let rest = end - now()
      guard rest > 0 else { return false }
      var state = pollfd(fd: socket, events: events, revents: 0)
      let count = poll(&state, 1, Int32(clamping: rest))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }

  private static func send(
    _ bytes: [UInt8], to socket: Int32, _ address: HTTPAddress, until end: Int
  ) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      guard isReady(socket, Int16(POLLOUT), until: end) else {
        throw failure(address, "sending the request timed out")
      }
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(
          socket, buffer.baseAddress.map { $0 + sent }, bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EAGAIN, errno != EINTR {
        throw failure(address, String(cString: strerror(errno)))
      }
      sent += max(count, 0)
    }
  }

  /// Returns the response as soon as it is complete.
  ///
  /// The server need not close the connection.
  private static func reply(
    from socket: Int32, _ address: HTTPAddress, until end: Int
  ) throws(Failure) -> HTTPReply {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      guard isReady(socket, Int16(POLLIN), until: end) else {
        throw failure(address, "the response timed out before it was complete")
      }
      let count = recv(socket, &chunk, chunk.count, 0)
      if count < 0 {
        guard errno == EAGAIN || errno == EINTR else {
          throw failure(address, String(cString: strerror(errno)))
        }
        continue
      }
      bytes += chunk[..<count]
      guard bytes.count <= longest else {
        throw failure(address, "the response is longer than 1 MiB")
      }
      do throws(HTTPReply.FormatError) {
        if let reply = try HTTPReply(bytes, isClosed: count == 0) { return reply }
      } catch {
        throw failure(address, error.message)
      }
    }
  }
}

/// The address of an HTTP source: `http://host:port/path?query`.
package struct HTTPAddress: Hashable, Sendable {
  /// The name or address of the host; an IPv6 address has no brackets.
  package let host: String
  /// The port.
  ///
  /// Default: 80.
  package let port: UInt16
  /// The path and query, which begin with `/`.
  package let path: String
  /// The address as the user wrote it.
  package let text: String

  /// Parses an address.
  ///
  /// - Throws: `Failure` of kind `usage` if the address is invalid, or if it begins with https,
  ///   because encryption is not supported.
  package init(_ text: String) throws(Failure) {
    let scheme = text.prefix("https://".count).lowercased()
    guard scheme.hasPrefix("http://") else {
      let reason =
        scheme == "https://"
        ? "https is not supported, only plain http: run a proxy on this machine that forwards to this address, "
          + "and use its http address"
        : "an address must begin with http://"
      throw Failure(.usage, "\(text.clipped): \(reason)")
    }
    let rest = text.dropFirst("http://".count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var host = rest[..<end]
    let query = rest[end...].prefix { $0 != "#" }
    var port: UInt16 = 80
    let bracket = host.lastIndex(of: "]")
    if let colon = host.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      guard let number = HTTPHead.number(host[host.index(after: colon)...]),
        (1...65_535).contains(number)
      else {
        throw Failure(.usage, "\(text.clipped): a port from 1 to 65535 must follow the colon")
      }
      port = UInt16(number)
      host = host[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard !host.isEmpty, !host.contains(where: { "@[]".contains($0) }), isClean else {
      throw Failure(
        .usage, "\(text.clipped): an address needs a host, without blanks and without a user name")
    }
    self.host = String(host)
    self.port = port
    path = query.hasPrefix("/") ? String(query) : "/" + query
    self.text = text
  }
}

/// The rule by which a server accepts or rejects a request, depending on the request's Host header.
///
/// In a DNS rebinding attack, a foreign page whose name resolves to this machine sends its own name
/// as Host, so foreign names are rejected. The header is parsed strictly by RFC 9110, section 7.2.
/// It must contain a name or an address, with an optional port; anything else is rejected.
public struct HostRule: Sendable {
  /// The result of checking a Host header.
  public enum Judgement: Hashable, Sendable {
    /// The header contains a name of this server.
    case own
    /// The header is missing, contains a foreign name, or is invalid.
    case foreign
    /// The request contains more than one Host header.
    case several
  }

  /// The accepted names in lower case; IPv6 addresses are in brackets.
  private let names: Set<String>

  /// Creates a rule.
  ///
  /// The names of the local host are always accepted.
  ///
  /// - Parameters:
  ///   - host: the name or address on which the server listens; an IPv6 address may be in brackets.
  ///   - others: additional names; their ports are ignored. Default: none.
  public init(host: String, others: [String] = []) {
    let own = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let all = ["localhost", "127.0.0.1", "[::1]", own] + others
    names = Set(all.map { Self.name($0) ?? $0.lowercased() })
  }

  /// Checks the Host headers of a request.
  ///
  /// Pass one value for each header, without surrounding blanks.
  public func judge(_ fields: [String]) -> Judgement {
    guard fields.count < 2 else { return .several }
    guard let name = fields.first.flatMap(Self.name) else { return .foreign }
    return names.contains(name) ? .own : .foreign
  }

  /// Returns the name in `name`, `name:port` or `[address]:port` in lower case; `nil` for anything else.
  static func name(_ text: String) -> String? {
    let bytes = Array(text.lowercased().utf8)
    guard bytes.count <= 260 else { return nil }
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 1,
        bytes[1..<bracket].allSatisfy(isOfAddress)
      else { return nil }
      end = bracket + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
      guard end > 0, bytes[..<end].allSatisfy(isOfName) else { return nil }
    }
    return isPort(bytes[end...]) ? String(decoding: bytes[..<end], as: UTF8.self) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Returns whether a byte is valid in an IPv6 address: a digit, a to f, a colon, or a dot of an
  /// embedded IPv4 address.
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...102).contains(byte) || byte == 58 || byte == 46
  }

  /// Returns whether a byte is valid in a name: a letter, a digit, `.`, `-` or `_`.
  private static func isOfName(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...122).contains(byte) || byte == 46 || byte == 45 || byte == 95
  }

  /// Returns whether the bytes are empty or are a colon followed by an optional port.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    let digits = bytes.dropFirst()
    return first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy(isDigit)
      && (Int(String(decoding: digits, as: UTF8.self)) ?? 0) <= 65535
  }
}
