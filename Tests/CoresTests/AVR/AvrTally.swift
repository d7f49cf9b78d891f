/// Statistics of the comparisons of an AVR core.
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
    if let fault = SimavrFault(each, manual: ours, judged) {
      excused[fault.rawValue, default: 0] += 1
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

  /// Returns whether the instruction set manual (Atmel-0856L) leaves the result undefined: in the chapters LD, ST and
  /// LPM, the transferred register is part of a pointer that is incremented or decremented.
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

  private func hex(_ value: some FixedWidthInteger) -> String { String(value, radix: 16) }

  /// A summary of the counts.
  var summary: String {
    let all = compared.values.reduce(0, +)
    let open = undefined.values.reduce(0, +)
    let named = excused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "\(all) AVR instructions compared; \(open) undefined ones left out; "
      + "faults of simavr: \(named.joined(separator: ", "))"
  }
}

/// Known deviations of simavr 1.6 from the instruction set manual (Atmel-0856L).
///
/// Each is only accepted if simavr's result is exactly the one that the deviation produces; everything else is a
/// difference.
enum SimavrFault: String {
  /// CPSE, SBRC, SBRS, SBIC and SBIS skip the whole next instruction, of one word or two. Only LDS, STS, JMP and CALL
  /// have two (manual, chapter 4). simavr 1.6 compares the next word under the mask 0xFC0F, in which ADIW and SBIW with
  /// the low bits of K from 12 on look like JMP and CALL; its later versions compare under 0xFE0F.
  case longArithmetic = "ADIW or SBIW skipped as if of two words"
  /// The registers are the first 32 bytes of the data space. For `LD Rd, -X` the manual says that X is decremented and
  /// then Rd is loaded from the address in X; simavr reads first, so that a pointer to itself returns its old byte. For
  /// `ST X, Rr` the manual says that X is unchanged, for `ST -X, Rr` that the store comes last; simavr writes its copy
  /// of the pointer back after the store, which is lost. The same applies to Y and Z.
  case latePointer = "a pointer to its own register written after the access"

  /// Returns the deviation that explains a result.
  ///
  /// - Parameters:
  ///   - each: the state before the instruction.
  ///   - manual: the result according to the manual.
  ///   - judged: simavr's result.
  init?(_ each: AvrCase, manual: AvrCase, _ judged: AvrCase) {
    if Self.skips(each.code[0]), each.code[1] & 0xFE0C == 0x960C {
      var faulty = manual
      faulty.pc = (faulty.pc + 1) & 0x3FFF
      faulty.cycles += 1
      guard faulty == judged else { return nil }
      self = .longArithmetic
    } else if let faulty = Self.misordered(each, manual), faulty == judged {
      self = .latePointer
    } else {
      return nil
    }
  }

  private static func skips(_ word: UInt16) -> Bool {
    word & 0xFC00 == 0x1000 || word & 0xFC08 == 0xFC00 || word & 0xFD00 == 0x9900
  }

  /// Returns the result of an access through a pointer to its own registers that are written last.
  private static func misordered(_ each: AvrCase, _ manual: AvrCase) -> AvrCase? {
    let word = each.code[0]
    let (pair, step): (Int, UInt16)
    switch word & 0xFC0F {
    case 0x900C: (pair, step) = (26, 0)
    case 0x900E: (pair, step) = (26, 1)
    case 0x900A: (pair, step) = (28, 1)
    case 0x9002: (pair, step) = (30, 1)
    default: return nil
    }
    let pointer = each.pair(pair) &- step
    guard Int(pointer) & ~1 == pair else { return nil }
    var faulty = manual
    faulty.bytes[pair] = UInt8(truncatingIfNeeded: pointer)
    faulty.bytes[pair + 1] = UInt8(pointer >> 8)
    let isStore = word & 0x200 != 0
    if !isStore { faulty.bytes[Int(word >> 4 & 31)] = each.bytes[Int(pointer)] }
    return faulty
  }
}
