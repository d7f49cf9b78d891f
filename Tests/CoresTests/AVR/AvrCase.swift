/// A state and an instruction in the reference's format: 52 bytes.
struct AvrCase: Equatable {
  static let size = 52
  static let ramEnd: UInt16 = 0x8FF

  /// R0 to R31, SREG, and whether the reference stopped.
  var bytes: [UInt8]
  var stack: UInt16
  var pc: UInt16
  var code: [UInt16]
  /// A digest of the data space after it, and the cycles.
  var digest: UInt32 = 0
  var cycles: UInt32 = 0

  /// Creates a random case.
  init(_ encoding: Encoding, _ chance: inout some RandomNumberGenerator) {
    bytes = (0..<32).map { _ in Self.value(&chance) }
    for pair in [26, 28, 30] {
      let address = Self.address(&chance)
      bytes[pair] = UInt8(truncatingIfNeeded: address)
      bytes[pair + 1] = UInt8(address >> 8)
    }
    bytes += [UInt8.random(in: 0...255, using: &chance), 0]
    stack = UInt16.random(in: 0x110...0x8F0, using: &chance)
    pc = UInt16.random(in: 0..<0x4000 - 4, using: &chance)
    let (first, _) = encoding.instruction(&chance)
    let (next, _) = (AvrEncodings.all.randomElement(using: &chance) ?? encoding)
      .instruction(&chance)
    let isDirect = first & 0xFC0F == 0x9000
    code = [first, isDirect ? Self.address(&chance) : next, 0]
  }

  /// Parses the reference's bytes.
  init(_ data: some Collection<UInt8>) {
    let all = Array(data)
    bytes = Array(all[..<34])
    func word(_ at: Int) -> UInt16 { UInt16(all[at]) | UInt16(all[at + 1]) << 8 }
    func long(_ at: Int) -> UInt32 { UInt32(word(at)) | UInt32(word(at + 2)) << 16 }
    (stack, pc) = (word(34), word(36))
    code = [word(38), word(40), word(42)]
    (digest, cycles) = (long(44), long(48))
  }

  /// The bytes for the reference.
  var data: [UInt8] {
    let words = [stack, pc] + code + [0, 0, 0, 0]
    return bytes + words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  /// Returns a register pair before the instruction, by its low register.
  func pair(_ number: Int) -> UInt16 { UInt16(bytes[number]) | UInt16(bytes[number + 1]) << 8 }

  /// Returns a random address, mostly in RAM, some in registers and I/O registers.
  private static func address(_ chance: inout some RandomNumberGenerator) -> UInt16 {
    switch Int.random(in: 0..<8, using: &chance) {
    case 0: UInt16.random(in: 1..<0x100, using: &chance)
    case 1: UInt16.random(in: 0xFE...0x102, using: &chance)
    default: UInt16.random(in: 0x100...ramEnd - 0x40, using: &chance)
    }
  }

  private static func value(_ chance: inout some RandomNumberGenerator) -> UInt8 {
    let edges: [UInt8] = [0, 1, 0x0F, 0x10, 0x7F, 0x80, 0x81, 0xFF]
    return Bool.random(using: &chance)
      ? UInt8.random(in: 0...255, using: &chance) : edges.randomElement(using: &chance) ?? 0
  }
}
