/// The names by which a server may be addressed: what stands in a request's field Host decides whether it is answered.
///
/// A page of somebody else whose name leads to this machine sends its own name there, which is not one of these
/// (DNS rebinding). The field is read strictly, by RFC 9110, section 7.2: a name or an address, and a port or none;
/// what is anything else is nobody's name.
public struct HostRule: Sendable {
  /// What a field Host is.
  public enum Judgement: Hashable, Sendable {
    /// A name of this server.
    case own
    /// None, somebody else's, or no name at all.
    case stranger
    /// There is more than one, and nobody knows which is meant.
    case several
  }

  /// The names, in small letters, addresses of IPv6 in brackets.
  private let names: Set<String>

  /// Creates a rule: this machine is always one of the names.
  ///
  /// - Parameters:
  ///   - host: where the server listens: a name or an address, one of IPv6 with its brackets or without.
  ///   - others: more names; a port behind one is left out.
  public init(host: String, others: [String] = []) {
    let own = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let all = ["localhost", "127.0.0.1", "[::1]", own] + others
    names = Set(all.map { Self.name($0) ?? $0.lowercased() })
  }

  /// Judges the fields of a request, each value once as it was sent, without the blanks around it.
  public func judge(_ fields: [String]) -> Judgement {
    guard fields.count < 2 else { return .several }
    guard let name = fields.first.flatMap(Self.name) else { return .stranger }
    return names.contains(name) ? .own : .stranger
  }

  /// The name of `name`, `name:port` or `[address]:port` in small letters; `nil` for anything else.
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

  /// Whether a byte may stand in an address of IPv6: digits, a to f, colons, and the points of an IPv4 address at its end.
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...102).contains(byte) || byte == 58 || byte == 46
  }

  /// Whether a byte may stand in a name: letters, digits, `.`, `-` and `_`.
  private static func isOfName(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...122).contains(byte) || byte == 46 || byte == 45 || byte == 95
  }

  /// Whether this is nothing, or a colon and a port or none.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    let digits = bytes.dropFirst()
    return first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy(isDigit)
      && (Int(String(decoding: digits, as: UTF8.self)) ?? 0) <= 65535
  }
}
