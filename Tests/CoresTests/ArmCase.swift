import Cores

/// A state with an instruction, as the judge reads it: 52 words.
struct ArmCase {
  static let words = 52
  static let code: UInt32 = 0x10000
  static let ram: UInt32 = 0x2000_0000
  static let codeEnd = code + 16 * 16384 + 0x10000
  static let ramWords = 16384

  var words: [UInt32]
  let first: UInt16
  let second: UInt16

  /// ITSTATE in an xPSR.
  static func it(_ xpsr: UInt32) -> UInt8 { UInt8(xpsr >> 25 & 3 | xpsr >> 8 & 0xFC) }
  var it: UInt8 { Self.it(words[16]) }

  /// Whether it stands in an IT block, or begins one.
  var isInBlock: Bool { it != 0 || first & 0xFF00 == 0xBF00 && first & 15 != 0 }

  /// Whether it is a hint, at which Unicorn may stop.
  var isHint: Bool { first & 0xFF0F == 0xBF00 }

  /// Chooses one.
  init(
    _ encoding: Encoding, isBaseline: Bool = false, _ chance: inout some RandomNumberGenerator
  ) {
    (first, second) = encoding.instruction(&chance)
    var words = (0..<16).map { _ in Self.value(&chance) }
    words[13] = Self.ram + 0x8000 + UInt32.random(in: 0..<256, using: &chance) * 4
    words[15] = 0
    let it: UInt32 = Bool.random(using: &chance) ? 0 : Self.itState(&chance)
    let flags = UInt32.random(in: 0...0x1F, using: &chance) << 27
    let lanes = UInt32.random(in: 0...15, using: &chance) << 16
    let xpsr = flags | lanes | 1 << 24 | (it & 3) << 25 | (it >> 2) << 10
    words.append(isBaseline ? xpsr & 0xF100_0000 : xpsr)
    let mode = UInt32.random(in: 0...0xFF, using: &chance)
    words.append(mode < 160 || isBaseline ? 0 : (mode & 31) << 22)
    words += (0..<32).map { _ in Self.float(&chance) }
    words += [UInt32(first) | UInt32(second) << 16, 0]
    self.words = words
  }

  /// An ITSTATE inside a block: a condition that is not 15, a mask that is not 0.
  private static func itState(_ chance: inout some RandomNumberGenerator) -> UInt32 {
    let condition = UInt32.random(in: 0..<14, using: &chance)
    return condition << 4 | [8, 8, 4, 12, 2, 14][Int.random(in: 0..<6, using: &chance)]
  }

  private static func value(_ chance: inout some RandomNumberGenerator) -> UInt32 {
    let edges: [UInt32] = [0, 1, 2, 31, 32, 33, 255, .max, 0x7FFF_FFFF, 0x8000_0000, 0x7FFF_8000]
    switch Int.random(in: 0..<8, using: &chance) {
    case 0...2: return ram + 0x8000 + UInt32.random(in: 0..<1024, using: &chance) * 4
    case 3: return ram + 0x8000 + UInt32.random(in: 0..<4096, using: &chance)
    case 4: return edges[Int.random(in: 0..<edges.count, using: &chance)]
    case 5: return UInt32.random(in: 0..<512, using: &chance)
    default: return UInt32.random(in: 0...UInt32.max, using: &chance)
    }
  }

  private static func float(_ chance: inout some RandomNumberGenerator) -> UInt32 {
    let sign = UInt32.random(in: 0...1, using: &chance) << 31
    let fraction = UInt32.random(in: 0..<1 << 23, using: &chance)
    let edges: [UInt32] = [
      0, 1, 0x7F_FFFF, 0x80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000,
      0x3F80_0000, 0x4F00_0000, 0x3300_0000, 0x477F_E000, 0x3880_0000,
    ]
    switch Int.random(in: 0..<8, using: &chance) {
    case 0: return sign | edges[Int.random(in: 0..<edges.count, using: &chance)]
    case 1: return sign | fraction
    case 2...4: return sign | UInt32.random(in: 120...134, using: &chance) << 23 | fraction
    case 5: return sign | UInt32.random(in: 150...160, using: &chance) << 23 | fraction
    default: return UInt32.random(in: 0...UInt32.max, using: &chance)
    }
  }
}
