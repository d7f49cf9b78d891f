/// Makes an operation of an instruction's one or two halfwords.
///
/// What the architecture calls UNPREDICTABLE is decoded as undefined: a program that does it is told so.
struct ArmDecoder {
  /// Which instructions there are.
  struct Features {
    /// ARMv6-M: the narrow instructions, and few of the wide.
    var isBaseline = false
    /// Whether there is an FPU, and whether CPACR lets programs use it.
    var hasFloat = true
    var allowsFloat = true
  }

  /// The halfwords; the second is 0 where the memory ends.
  let first: UInt32
  let second: UInt32
  let address: UInt32
  /// ITSTATE before the instruction.
  let it: UInt8
  let features: Features
  /// What comes of it.
  var op: ArmOp
  /// Whether the architecture leaves the result open.
  var isUnpredictable = false
  /// Whether R13 is written with a value whose lowest bits may be set: they read as 0.
  var masksStack = false

  /// Whether the instruction makes room on a stack, and somebody has to look whether there is any.
  ///
  /// VPUSH, STR and STRD with a new R13 do, and what takes a number from R13; PUSH looks itself. A move to R13 does not
  /// count: that is how programs go to another stack.
  var lowersStack: Bool {
    switch first {
    case 0xB080...0xB0FF, 0xE96D: true
    case 0x4400...0x44FF: first & 0x87 == 0x85
    case 0xED2D, 0xED6D: true
    case 0xF84D: second & 0x0F00 == 0x0D00
    case 0xF1AD, 0xF5AD, 0xF2AD, 0xF6AD: second & 0x8F00 == 0x0D00
    case 0xEBAD: second & 0x0F00 == 0x0D00
    default: false
    }
  }

  /// Decodes an instruction.
  init(
    first: UInt16, second: UInt16, address: UInt32, it: UInt8 = 0, features: Features = .init()
  ) {
    self.first = UInt32(first)
    self.second = UInt32(second)
    self.address = address
    self.it = it
    self.features = features
    op = ArmOp(System.undefined, at: address)
    op.it = it
    op.slots = Self.isWide(first) ? 2 : 1
    if op.slots == 2 { decodeWide() } else { decodeNarrow() }
  }

  /// Whether a halfword is the first of two.
  static func isWide(_ halfword: UInt16) -> Bool { halfword >> 11 >= 0b11101 }

  /// Whether a halfword is an IT instruction.
  static func isIT(_ halfword: UInt16) -> Bool { halfword & 0xFF00 == 0xBF00 && halfword & 15 != 0 }

  /// ITSTATE after an instruction.
  static func advance(_ it: UInt8) -> UInt8 {
    it & 7 == 0 ? 0 : it & 0xE0 | it << 1 & 0x1F
  }

  /// Whether the instruction stands in an IT block before its end: jumps must not.
  var isInsideIT: Bool { it & 7 != 0 }

  /// The encoding's result is left open by the architecture.
  mutating func unpredictable() {
    op.run = System.undefined
    isUnpredictable = true
    masksStack = false
  }

  mutating func undefined() {
    op.run = System.undefined
    masksStack = false
  }

  /// Sets what the instruction does.
  mutating func set(
    _ run: ArmHandler?, d: UInt32 = 15, n: UInt32 = 16, m: UInt32 = 16, a: UInt32 = 16,
    x: UInt32 = 0, imm: UInt32 = 0, cycles: UInt8 = 1
  ) {
    guard let run else { return undefined() }
    op.run = run
    (op.d, op.n, op.m, op.a) = (UInt8(d), UInt8(n), UInt8(m), UInt8(a))
    op.x = UInt8(x)
    op.imm = imm
    op.cycles = cycles
  }

  /// Bits of the first halfword, and of the second.
  func one(_ low: UInt32, _ count: UInt32) -> UInt32 { first >> low & (1 << count - 1) }
  func two(_ low: UInt32, _ count: UInt32) -> UInt32 { second >> low & (1 << count - 1) }

  /// The value of a number of so many bits with a sign.
  static func signed(_ value: UInt32, _ bits: UInt32) -> UInt32 {
    UInt32(bitPattern: Int32(bitPattern: value << (32 - bits)) >> Int32(32 - bits))
  }

  /// Whether a register must not stand in most wide instructions.
  func isBad(_ registers: UInt32...) -> Bool { registers.contains { $0 == 13 || $0 == 15 } }
}
