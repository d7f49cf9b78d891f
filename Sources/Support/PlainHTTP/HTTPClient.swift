package import Files
import Glibc
import Text

/// A client for one thing: a document by HTTP/1.1 without encryption, over a socket of this machine.
///
/// It follows no redirection, unpacks nothing and keeps no connection. Whatever a server sends, it takes no more than
/// ``longest`` bytes and no longer than it is told to wait. The name of a host is looked up by the system, whose own
/// time for that comes on top; an address of digits needs none.
package enum HTTPClient {
  /// The longest reply that is taken, in bytes, its head and the lengths of its chunks included.
  package static let longest = 1 << 20

  /// Gets a document.
  ///
  /// - Parameters:
  ///   - address: where it is.
  ///   - seconds: after which time nothing is waited for any more.
  /// - Returns: its bytes.
  /// - Throws: `Failure` of kind unavailable: nobody answers, too late, too much, no HTTP, or a status other than 200.
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
    guard reply.status == 200 else { throw failure(address, Self.refusal(reply)) }
    return reply.body
  }

  /// What a reply without the document says.
  private static func refusal(_ reply: HTTPReply) -> String {
    let status = "the status is \(reply.status)"
    guard (300...399).contains(reply.status), let place = reply.location else { return status }
    let isEncrypted = place.lowercased().hasPrefix("https:")
    return "\(status): the document is at \(place.clipped.visible), "
      + (isEncrypted
        ? "where only https leads, and this program speaks plain http"
        : "which is not followed: give that address")
  }

  /// Milliseconds of a clock that only goes on.
  private static func now() -> Int {
    var moment = timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return moment.tv_sec * 1000 + moment.tv_nsec / 1_000_000
  }

  private static func failure(_ address: HTTPAddress, _ what: String) -> Failure {
    Failure(.unavailable, "\(address.text): \(what)")
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
    var reason = "nobody is there"
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
      reason = outcome == EINPROGRESS ? "no connection in time" : String(cString: strerror(outcome))
      close(socket)
    }
    throw failure(address, reason)
  }

  /// Waits until a socket is ready; `false` when the time is over.
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
        throw failure(address, "the request was not taken in time")
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

  /// The reply, as soon as it is whole: who answers need not close the connection.
  private static func reply(
    from socket: Int32, _ address: HTTPAddress, until end: Int
  ) throws(Failure) -> HTTPReply {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      guard isReady(socket, Int16(POLLIN), until: end) else {
        throw failure(address, "no whole reply came in time")
      }
      let count = recv(socket, &chunk, chunk.count, 0)
      if count < 0 {
        guard errno == EAGAIN || errno == EINTR else {
          throw failure(address, String(cString: strerror(errno)))
        }
        continue
      }
      bytes += chunk[..<count]
      guard bytes.count <= longest else { throw failure(address, "the reply is longer than 1 MiB") }
      do throws(HTTPReply.FormatError) {
        if let reply = try HTTPReply(bytes, isClosed: count == 0) { return reply }
      } catch {
        throw failure(address, error.message)
      }
    }
  }
}
