/// What came of the comparisons of an AVR core.
struct AvrTally {
  private(set) var compared: [String: Int] = [:]
  private(set) var undefined: [String: Int] = [:]
  private(set) var excused: [String: Int] = [:]
  private(set) var differences: [String] = []

  /// Compares two results.
  mutating func add(_ encoding: Encoding, _ each: AvrCase, _ ours: AvrCase, _ judged: AvrCase) {
    if Self.isUndefined(each) {
      undefined[encoding.name, default: 0] += 1
      return
    }
    compared[encoding.name, default: 0] += 1
    var judged = judged
    // simavr keeps addresses beyond the 14 bits of the program counter.
    judged.pc &= 0x3FFF
    if ours == judged { return }
    if let reason = Self.excuse(each) {
      excused[reason, default: 0] += 1
      return
    }
    guard differences.count < 60 else { return }
    var text: [String] = []
    func note(_ name: String, _ a: some FixedWidthInteger, _ b: some FixedWidthInteger) {
      if Int(a) != Int(b) { text.append("\(name) \(hex(a)) not \(hex(b))") }
    }
    for number in 0..<32 { note("r\(number)", ours.bytes[number], judged.bytes[number]) }
    note("sreg", ours.bytes[32], judged.bytes[32])
    note("fault", ours.bytes[33], judged.bytes[33])
    note("sp", ours.stack, judged.stack)
    note("pc", ours.pc, judged.pc)
    note("memory", ours.digest, judged.digest)
    note("cycles", ours.cycles, judged.cycles)
    differences.append(
      "\(encoding.name) \(each.code.map(hex)) at \(hex(each.pc)) sreg \(hex(each.bytes[32])) "
        + "X \(hex(each.pair(26))) Y \(hex(each.pair(28))) Z \(hex(each.pair(30))): "
        + text.joined(separator: ", "))
  }

  /// The instruction set manual leaves the result open where a pointer that changes is also what is moved.
  static func isUndefined(_ each: AvrCase) -> Bool {
    let word = each.code[0]
    guard word & 0xFC00 == 0x9000 else { return false }
    let register = word >> 4 & 31
    switch word & 15 {
    case 1, 2, 5: return register >= 30 && (word & 0x200 == 0 || word & 15 != 5)
    case 9, 10: return register == 28 || register == 29
    case 13, 14: return register == 26 || register == 27
    default: return false
    }
  }

  /// What simavr does otherwise than the instruction set manual says.
  private static func excuse(_ each: AvrCase) -> String? {
    let (word, next) = (each.code[0], each.code[1])
    let skips =
      word & 0xFC00 == 0x1000 || word & 0xFC08 == 0xFC00 || word & 0xFD00 == 0x9900
    // Of the next instruction it looks at the bits of JMP and CALL that ADIW and SBIW have too; these have one word.
    if skips, next & 0xFE0C == 0x960C { return "skips over ADIW and SBIW as if of two words" }
    // By the manual a pointer is decremented before the load or store, and one that does not change is left alone.
    let access: (pair: Int, by: UInt16)? =
      switch word & 0xFC0F {
      case 0x900C: (26, 0)
      case 0x900E: (26, 1)
      case 0x900A: (28, 1)
      case 0x9002: (30, 1)
      default: nil
      }
    if let access, Int(each.pair(access.pair) &- access.by) & ~1 == access.pair {
      return "moves a pointer's own register before the pointer is written"
    }
    return nil
  }

  private func hex(_ value: some FixedWidthInteger) -> String { String(value, radix: 16) }

  /// How many of what.
  var summary: String {
    let all = compared.values.reduce(0, +)
    let open = undefined.values.reduce(0, +)
    let named = excused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "\(all) AVR instructions compared; \(open) undefined ones left out; "
      + "excused: \(named.joined(separator: ", "))"
  }
}
