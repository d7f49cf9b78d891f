import Cores

/// The core under test, with the same memory as the reference.
final class ArmBench {
  let core: ArmCore
  private let ram: UnsafeMutablePointer<UInt32>
  private let code: UnsafeMutableRawPointer
  static let batch = 16384

  private let isBaseline: Bool

  init(_ model: ArmCore.Model = .cortexM4F) {
    isBaseline = model.isBaseline
    let memory = AddressSpace()
    code =
      memory.addMemory(
        at: 0, count: ArmCase.code + 16 * UInt32(Self.batch) + 0x10000, isWritable: false
      )
      .bytes
    ram =
      memory.addMemory(at: ArmCase.ram, count: UInt32(ArmCase.ramWords) * 4, isWritable: true)
      .bytes.assumingMemoryBound(to: UInt32.self)
    core = ArmCore(model, memory: memory)
    memory.add(Nothing(), at: 0xE004_0000, count: 0xB_F000)
    for index in 0..<ArmCase.ramWords { ram[index] = Self.pattern(index) }
  }

  /// A device for core registers, which the reference maps as memory that is 0 before an instruction.
  private final class Nothing: BusDevice {
    func read(_ offset: UInt32, bytes: UInt32) -> UInt32? { 0 }
    func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool { true }
  }

  private static func pattern(_ index: Int) -> UInt32 { UInt32(index) &* 0x9E37_79B1 }

  /// Writes the instructions of a batch to their addresses.
  func load(_ cases: [ArmCase]) {
    code.initializeMemory(as: UInt8.self, repeating: 0, count: Int(ArmCase.codeEnd))
    for (index, each) in cases.enumerated() {
      let pointer = code + Int(ArmCase.code) + 16 * index
      pointer.storeBytes(of: 0xBF00 | UInt16(each.it), as: UInt16.self)
      (pointer + 2).storeBytes(of: each.first, as: UInt16.self)
      (pointer + 4).storeBytes(of: each.second, as: UInt16.self)
      for nop in 3..<8 { (pointer + nop * 2).storeBytes(of: 0xBF00, as: UInt16.self) }
    }
    for (index, word) in [0x8C00_F380, 0x1A10_EEE1, 0x0A10_EEF1].enumerated() {
      (code + 0x8000 + index * 4).storeBytes(of: UInt32(word), as: UInt32.self)
    }
    core.reset()
    if !isBaseline { core.allowFloat() }
  }

  /// Returns the state after the instruction in the reference's format; a fault is given by its CFSR bit.
  func run(_ words: [UInt32], at index: Int) -> [UInt32] {
    for number in 0..<15 { core[register: number] = words[number] }
    core[register: 15] = ArmCase.code + 16 * UInt32(index) + 2
    core.xpsr = words[16]
    core.fpscr = words[17]
    for number in 0..<32 { core[float: number] = words[18 + number] }
    _ = core.step()
    var result = (0..<16).map { core[register: $0] }
    result += [core.xpsr, core.fpscr]
    result += (0..<32).map { core[float: $0] }
    result += [core.faults, digest()]
    if core.faults != 0 || core.isAsleep {
      core.reset()
      if !isBaseline { core.allowFloat() }
    }
    return result
  }

  private func digest() -> UInt32 {
    var sum: UInt32 = 0
    for index in 0..<ArmCase.ramWords where ram[index] != Self.pattern(index) {
      sum = (sum ^ ram[index] ^ UInt32(index) << 16) &* 0x0100_0193 &+ UInt32(index)
      ram[index] = Self.pattern(index)
    }
    return sum
  }
}

/// A state and an instruction in the reference's format: 52 words.
struct ArmCase {
  static let words = 52
  static let code: UInt32 = 0x10000
  static let ram: UInt32 = 0x2000_0000
  static let codeEnd = code + 16 * 16384 + 0x10000
  static let ramWords = 16384

  var words: [UInt32]
  let first: UInt16
  let second: UInt16

  /// Returns the ITSTATE of an xPSR.
  static func it(_ xpsr: UInt32) -> UInt8 { UInt8(xpsr >> 25 & 3 | xpsr >> 8 & 0xFC) }
  var it: UInt8 { Self.it(words[16]) }

  /// Whether the instruction is in an IT block, or starts one.
  var isInBlock: Bool { it != 0 || first & 0xFF00 == 0xBF00 && first & 15 != 0 }

  /// Whether the instruction is a hint, at which Unicorn may stop.
  var isHint: Bool { first & 0xFF0F == 0xBF00 }

  /// Creates a random case.
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

  /// Returns an ITSTATE inside a block: a condition other than 15 and a non-zero mask.
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
