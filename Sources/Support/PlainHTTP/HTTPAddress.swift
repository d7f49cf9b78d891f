package import Files
import Text

/// Where an HTTP source is: `http://host:port/path?query`.
package struct HTTPAddress: Hashable, Sendable {
  /// The host: a name or an address; one of IPv6 without its brackets.
  package let host: String
  /// The port; 80 unless it is said.
  package let port: UInt16
  /// The path with its query, from `/` on.
  package let path: String
  /// As it was written.
  package let text: String

  /// Reads an address.
  ///
  /// - Throws: `Failure` of kind usage, also for https: nothing here encrypts.
  package init(_ text: String) throws(Failure) {
    let scheme = text.prefix("https://".count).lowercased()
    guard scheme.hasPrefix("http://") else {
      let reason =
        scheme == "https://"
        ? "https is encrypted, and this program speaks plain http only: put a proxy on this machine that asks "
          + "there, and give its http address"
        : "an address that begins with http:// is needed"
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
        throw Failure(.usage, "\(text.clipped): a port from 1 to 65535 stands behind the colon")
      }
      port = UInt16(number)
      host = host[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard !host.isEmpty, !host.contains(where: { "@[]".contains($0) }), isClean else {
      throw Failure(
        .usage, "\(text.clipped): a host is needed, without blanks and without a name before it")
    }
    self.host = String(host)
    self.port = port
    path = query.hasPrefix("/") ? String(query) : "/" + query
    self.text = text
  }
}
