import Text

/// What addresses of a hub's file may be: those of radios, collectors, topics and pages.
///
/// What passes here is not judged again when the hub starts.
enum HubAddresses {
  /// The transports of Bumble 0.0.236, and whether something must stand behind their colon.
  private static let transports = [
    "serial": true, "udp": true, "tcp-client": true, "tcp-server": true, "ws-client": true,
    "ws-server": true, "pty": false, "file": true, "vhci": false, "hci-socket": false, "usb": true,
    "pyusb": true, "android-emulator": false, "android-netsim": false, "unix": true,
    "unix-client": true, "unix-server": true,
  ]

  /// Why a text is no radio as Bumble names transports, such as `usb:0`; `nil` where it is one.
  static func mistake(ofTransport text: String) -> String? {
    let name = String(text.prefix { $0 != ":" })
    let known = transports.keys.inOrder()
    guard let needsMore = transports[name] else {
      return "'\(name.clipped)' is no transport" + NearestWord.hint(name.clipped, among: known)
        + " (known: \(known.joined(separator: ", ")))"
    }
    guard needsMore, text.utf8.count < name.utf8.count + 2 else { return nil }
    return "'\(name)' needs to know which, such as \(name == "usb" ? "usb:0" : "\(name):...")"
  }

  /// Whether a text is an address of HTTP (RFC 9110, section 4.2): a host behind `http://` or `https://`, and a port that is one.
  static func isHTTP(_ text: String) -> Bool {
    guard let begin = text.firstRange(of: "://"),
      ["http", "https"].contains(text[..<begin.lowerBound].lowercased()),
      text.utf8.allSatisfy({ $0 > 32 && $0 != 127 })
    else { return false }
    let authority = text[begin.upperBound...].prefix { !"/?#".contains($0) }
    var host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let isLiteral = host.hasPrefix("[")
    if let colon = host.lastIndex(of: ":"), !isLiteral || host[..<colon].hasSuffix("]") {
      let port = host[host.index(after: colon)...]
      guard let number = Int(port), (1...65535).contains(number), port.utf8.first != 43 else {
        return false
      }
      host = host[..<colon]
    }
    if isLiteral { return host.hasSuffix("]") && host.utf8.count > 4 }
    return !host.isEmpty && !host.contains { ":[]\\<>\"^`{|}%".contains($0) }
  }

  /// Whether topics may begin with a text: MQTT 3.1.1, sections 1.5.3 and 4.7.1, and what mosquitto takes.
  static func isTopic(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && text.visible == text
      && !text.contains { "+#".contains($0) } && !text.hasPrefix("$")
  }

  /// Whether a host is this machine, seen from nowhere else (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && parts.allSatisfy { $0 != nil }
  }
}
