import Files

/// The digest by which a page's policy names its own script and style.
public enum PageDigest {
  /// The SHA-256 of a text's UTF-8, in base64 (RFC 4648, section 4).
  public static func sha256Base64(_ text: String) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let bytes = SHA256.digest(text.utf8)
    var encoded: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - part.count))
      for place in 0...3 {
        let index = Int(bits >> UInt32(18 - 6 * place)) & 63
        encoded.append(place <= part.count ? letters[index] : UInt8(ascii: "="))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
