/// An instruction encoding: fixed bits, and random bits for each letter.
struct Encoding: Sendable {
  let name: String
  /// The bits that are 1, and the random bits.
  let fixed: UInt32
  let open: UInt32
  /// Whether the encoding has two halfwords.
  let isWide: Bool

  /// Parses a line: a name, then 16 or 32 marks with optional spaces.
  init(_ line: some StringProtocol) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let marks = parts[1].filter { $0 != " " }
    precondition(marks.count == 16 || marks.count == 32, "\(line)")
    name = String(parts[0])
    isWide = marks.count == 32
    fixed = marks.reduce(0) { $0 << 1 | ($1 == "1" ? 1 : 0) }
    open = marks.reduce(0) { $0 << 1 | ($1 == "1" || $1 == "0" ? 0 : 1) }
  }

  /// Returns a random instruction: the first halfword, and the second or a NOP.
  func instruction(_ chance: inout some RandomNumberGenerator) -> (UInt16, UInt16) {
    let bits = fixed | UInt32.random(in: 0...UInt32.max, using: &chance) & open
    if isWide { return (UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)) }
    return (UInt16(bits), 0xBF00)
  }
}

/// All encodings that are compared with the reference.
///
/// Not included are those that need more than one instruction, or that Unicorn does not support: SVC, BKPT, WFI and
/// WFE, CPS, special registers except APSR, exclusive accesses.
enum Encodings {
  static let all = narrow.split(separator: "\n").map { Encoding($0) } + wideLines
  /// The ARMv6-M encodings among them.
  static let baseline =
    narrow.split(separator: "\n").map { Encoding($0) }
    + wideLines.filter { foreign.union(["BL", "MRS", "MSR"]).contains($0.name) }
  /// Encodings that only ARMv7-M has.
  static let foreign: Set = ["MOVW", "DIVIDE", "CBZ", "IT"]
  private static let wideLines =
    (wide + wideMemory + float).split(separator: "\n").map { Encoding($0) }

  private static let narrow = """
    LSL 00000iiiiimmmddd
    LSR 00001iiiiimmmddd
    ASR 00010iiiiimmmddd
    ADDSUB 00011xxmmmnnnddd
    CONSTANT 001xxdddiiiiiiii
    DATA 010000xxxxmmmddd
    HIGH 010001xxdmmmmddd
    LITERAL 01001dddiiiiiiii
    INDEXED 0101xxxmmmnnnddd
    WORD 011xxiiiiinnnddd
    HALF 1000xiiiiinnnddd
    STACK 1001xdddiiiiiiii
    ADDRESS 1010xdddiiiiiiii
    ADDSP 10110000xiiiiiii
    EXTEND 10110010xxmmmddd
    CBZ 1011x0x1iiiiinnn
    PUSH 1011010liiiiiiii
    POP 1011110piiiiiiii
    REV 10111010xxmmmddd
    MULTIPLE 1100xnnniiiiiiii
    BRANCH 1101cc0ciiiiiiii
    BRANCH 11010cccciiiiiii
    JUMP 11100iiiiiiiiiii
    IT 10111111xxxxxxxx
    """

  private static let wide = """
    CONSTANT 11110i0oooosnnnn 0iiiddddiiiiiiii
    PLAIN 11110i100000nnnn 0iiiddddiiiiiiii
    PLAIN 11110i101010nnnn 0iiiddddiiiiiiii
    MOVW 11110i10x100iiii 0iiiddddiiiiiiii
    SAT 1111001100s0nnnn 0iiiddddii0wwwww
    SAT 1111001110s0nnnn 0iiiddddii0wwwww
    SAT16 11110011x010nnnn 0000dddd0000wwww
    FIELD 111100110100nnnn 0iiiddddii0wwwww
    FIELD 111100110110nnnn 0iiiddddii0wwwww
    FIELD 111100111100nnnn 0iiiddddii0wwwww
    SHIFTED 1110101oooosnnnn 0iiiddddiittmmmm
    SHIFT 111110100ttsnnnn 1111dddd0000mmmm
    EXTEND 111110100xxxnnnn 1111dddd10rrmmmm
    PARALLEL 111110101xxxnnnn 1111dddd0xxxmmmm
    QADD 111110101000nnnn 1111dddd10xxmmmm
    REVERSE 1111101010010mmm 1111dddd10xx0mmm
    SEL 111110101010nnnn 1111dddd1000mmmm
    MUL 111110110xxxnnnn aaaadddd00xxmmmm
    LONG 111110111xx0nnnn lllldddd0000mmmm
    DIVIDE 1111101110x1nnnn 1111dddd1111mmmm
    UMAAL 111110111110nnnn lllldddd0110mmmm
    SMLALXY 111110111100nnnn lllldddd10xxmmmm
    SMLALD 11111011110xnnnn lllldddd110xmmmm
    BCOND 11110scccciiiiii 10j0jiiiiiiiiiii
    B 11110siiiiiiiiii 10j1jiiiiiiiiiii
    BL 11110siiiiiiiiii 11j1jiiiiiiiiiii
    MRS 1111001111101111 1000dddd00000000
    MSR 111100111000nnnn 1000xx0000000000

    """

  private static let wideMemory = """
    FAR 11111000xxxxnnnn ttttiiiiiiiiiiii
    NEAR 111110000xxxnnnn tttt1puwiiiiiiii
    INDEXED 111110000xxxnnnn tttt000000iimmmm
    SIGNED 11111001xxx1nnnn ttttiiiiiiiiiiii
    SIGNED 1111100100x1nnnn tttt1puwiiiiiiii
    SIGNED 1111100100x1nnnn tttt000000iimmmm
    DUAL 11101001u1wlnnnn ttttssssiiiiiiii
    DUAL 11101000u11lnnnn ttttssssiiiiiiii
    TABLE 111010001101nnnn 11110000000xmmmm
    LDM 1110100010wlnnnn iiiiiiiiiiiiiiii
    LDM 1110100100wlnnnn iiiiiiiiiiiiiiii

    """

  private static let float = """
    VDATA 111011100dxxnnnn dddd1010nxm0mmmm
    VDIV 111011101d00nnnn dddd1010n0m0mmmm
    VFMA 111011101d01nnnn dddd1010nxm0mmmm
    VFMA 111011101d10nnnn dddd1010nxm0mmmm
    VMOVI 111011101d11iiii dddd10100000iiii
    VSINGLE 111011101d11000x dddd1010x1m0mmmm
    VHALF 111011101d11001x dddd1010x1m0mmmm
    VCMP 111011101d110100 dddd1010x1m0mmmm
    VCMPZ 111011101d110101 dddd1010x1000000
    VCVT 111011101d111000 dddd1010x1m0mmmm
    VCVT 111011101d11110x dddd1010x1m0mmmm
    VFIXED 111011101d111x1x dddd1010x1i0iiii
    VMOV 11101110000xnnnn tttt1010n0010000
    VMOVD 1110111000xxnnnn tttt101100010000
    VMRS 1110111011110001 tttt101000010000
    VMSR 1110111011100001 tttt101000010000
    VPAIR 11101100010xssss tttt101x00m1mmmm
    VLDR 11101101ud0lnnnn dddd101xiiiiiiii
    VLDM 111011001dwlnnnn dddd101x000iiiii
    VLDM 111011010d1lnnnn dddd101x000iiiii
    """
}
