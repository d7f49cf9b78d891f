/// SHA-256 (FIPS 180-4), which identifies recordings, tables and traces.
public struct SHA256: Sendable {
  private var state = initial
  private var block: [UInt8] = []
  /// The length of the message so far, in bytes.
  private var length: UInt64 = 0

  /// Starts the digest of a message that is added in parts.
  public init() { block.reserveCapacity(64) }

  /// Adds a part of the message.
  public mutating func add(_ part: some Sequence<UInt8>) {
    for byte in part {
      block.append(byte)
      length += 1
      if block.count == 64 { Self.take(&block, into: &state) }
    }
  }

  /// The 32-byte digest of the parts added so far.
  public var digest: [UInt8] {
    // Append the padding: a one bit, zeros, and the length in bits in the last eight bytes of a
    // block.
    var (state, block) = (state, block)
    block.append(0x80)
    if block.count > 56 {
      block += repeatElement(0, count: 64 - block.count)
      Self.take(&block, into: &state)
    }
    block += repeatElement(0, count: 56 - block.count)
    block += Self.bytes(of: length * 8)
    Self.take(&block, into: &state)
    return state.flatMap { Self.bytes(of: $0) }
  }

  /// Returns the 32-byte digest of a message.
  public static func digest(_ message: some Collection<UInt8>) -> [UInt8] {
    var sum = SHA256()
    sum.add(message)
    return sum.digest
  }

  /// The digest of the parts added so far, as 64 hexadecimal digits.
  public var digits: String {
    // No `joined()`: each generic call that is the first of its kind delays the start of the command.
    digest.reduce(into: "") { $0 += Hexadecimal.digits($1) }
  }

  /// Returns the digest of a text, encoded in UTF-8, as 64 hexadecimal digits.
  public static func digits(_ text: String) -> String {
    var sum = SHA256()
    sum.add(text.utf8)
    return sum.digits
  }

  /// Adds a block to the state (section 6.2.2) and clears the block.
  private static func take(_ block: inout [UInt8], into state: inout [UInt32]) {
    var schedule = [UInt32](repeating: 0, count: 64)
    for index in 0..<64 {
      if index < 16 {
        schedule[index] = block[index * 4..<index * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
      } else {
        let (early, late) = (schedule[index - 15], schedule[index - 2])
        let sigma0 = turned(early, 7) ^ turned(early, 18) ^ early >> 3
        let sigma1 = turned(late, 17) ^ turned(late, 19) ^ late >> 10
        schedule[index] = sigma1 &+ schedule[index - 7] &+ sigma0 &+ schedule[index - 16]
      }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let sum1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      let chosen = e & f ^ ~e & g
      let first = h &+ sum1 &+ chosen &+ constants[index] &+ schedule[index]
      let sum0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      let majority = a & b ^ a & c ^ b & c
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    block.removeAll(keepingCapacity: true)
  }

  private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private static let initial: [UInt32] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ]

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ]
}

/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the text of bytes, padded to a multiple of four characters.
  package static func text(_ bytes: [UInt8]) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - part.count))
      for digit in 0...3 {
        let index = Int(bits >> UInt32(18 - 6 * digit)) & 63
        encoded.append(digit <= part.count ? letters[index] : UInt8(ascii: "="))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
