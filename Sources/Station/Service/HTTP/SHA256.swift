/// SHA-256 (FIPS 180-4), for the hashes of the page's scripts.
enum SHA256 {
  private static let constants: [UInt32] = {
    // The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    var found: [UInt32] = []
    var candidate = 2
    while found.count < 64 {
      if !(2..<candidate).contains(where: { candidate % $0 == 0 }) {
        found.append(fraction(root(Double(candidate), 3)))
      }
      candidate += 1
    }
    return found
  }()

  private static func root(_ value: Double, _ degree: Double) -> Double {
    var guess = value
    for _ in 0..<200 {
      let power = degree == 3 ? guess * guess : guess
      guess -= (power * guess - value) / (degree * power)
    }
    return guess
  }

  private static func fraction(_ value: Double) -> UInt32 {
    UInt32((value - value.rounded(.down)) * 4_294_967_296)
  }

  /// The hash of some bytes.
  static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var message = Array(bytes)
    let bits = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(bits >> UInt64(shift) & 255))
    }
    var state = [2.0, 3, 5, 7, 11, 13, 17, 19].map { fraction(root($0, 2)) }
    for start in stride(from: 0, to: message.count, by: 64) {
      compress(&state, message[start..<(start + 64)])
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(word >> UInt32($0) & 255) } }
  }

  private static func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
    var w = [UInt32](repeating: 0, count: 64)
    for index in 0..<16 {
      let at = block.startIndex + 4 * index
      w[index] = block[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    func turned(_ value: UInt32, _ by: UInt32) -> UInt32 { value >> by | value << (32 - by) }
    for index in 16..<64 {
      let (a, b) = (w[index - 15], w[index - 2])
      let s0 = turned(a, 7) ^ turned(a, 18) ^ a >> 3
      let s1 = turned(b, 17) ^ turned(b, 19) ^ b >> 10
      w[index] = w[index - 16] &+ s0 &+ w[index - 7] &+ s1
    }
    var h = state
    for index in 0..<64 {
      let s1 = turned(h[4], 6) ^ turned(h[4], 11) ^ turned(h[4], 25)
      let choice = (h[4] & h[5]) ^ (~h[4] & h[6])
      let one = h[7] &+ s1 &+ choice &+ constants[index] &+ w[index]
      let s0 = turned(h[0], 2) ^ turned(h[0], 13) ^ turned(h[0], 22)
      let majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2])
      h = [one &+ s0 &+ majority, h[0], h[1], h[2], h[3] &+ one, h[4], h[5], h[6]]
    }
    for index in 0..<8 { state[index] = state[index] &+ h[index] }
  }

  /// Bytes in base 64.
  static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let three = bytes[start..<min(start + 3, bytes.count)]
      let value = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
      for index in 0..<4 {
        text.append(index <= three.count ? letters[value >> (18 - 6 * index) & 63] : "=")
      }
    }
    return text
  }
}
