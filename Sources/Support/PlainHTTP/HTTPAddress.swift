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
    guard text.hasPrefix("http://") else {
      throw Failure(
        .usage,
        "\(text.clipped): an address that begins with http:// is needed; for https put a proxy on this machine"
      )
    }
    let rest = text.dropFirst("http://".count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var host = rest[..<end]
    let query = rest[end...].prefix { $0 != "#" }
    var port: UInt16 = 80
    let bracket = host.lastIndex(of: "]")
    if let colon = host.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else {
        throw Failure(.usage, "\(text.clipped): a port from 1 to 65535 stands behind the colon")
      }
      port = number
      host = host[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard !host.isEmpty, !host.contains("@"), isClean else {
      throw Failure(
        .usage, "\(text.clipped): a host is needed, without blanks and without a name before it")
    }
    self.host = String(host)
    self.port = port
    path = query.hasPrefix("/") ? String(query) : "/" + query
    self.text = text
  }
}
