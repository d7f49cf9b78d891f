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
