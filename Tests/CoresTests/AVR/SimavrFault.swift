/// What simavr 1.6 does otherwise than the instruction set manual (Atmel-0856L) says.
///
/// Each is only believed where simavr's result is exactly the one that its fault gives; everything else is a difference.
enum SimavrFault: String {
  /// CPSE, SBRC, SBRS, SBIC and SBIS skip the whole next instruction, of one word or two. Only LDS, STS, JMP and CALL have
  /// two (manual, chapter 4). simavr 1.6 compares the next word under the mask 0xFC0F, in which ADIW and SBIW with the
  /// low bits of K from 12 on look like JMP and CALL; its later versions compare under 0xFE0F.
  case longArithmetic = "ADIW or SBIW skipped as if of two words"
  /// The registers are the first 32 bytes of the data space. Of `LD Rd, -X` the manual says that X is decremented, and
  /// then Rd is what X points to; simavr reads first, so that a pointer that then points to itself gives its old byte. Of
  /// `ST X, Rr` it says that X is left unchanged, of `ST -X, Rr` that the store comes last; simavr puts its copy of the
  /// pointer back behind the store, which is lost. Y and Z are alike.
  case latePointer = "a pointer to its own register written behind the access"

  /// The fault that explains a result.
  ///
  /// - Parameters:
  ///   - each: the state before the instruction.
  ///   - manual: the result as the manual says.
  ///   - judged: what simavr leaves.
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

  /// What comes of an access through a pointer to its own registers that are written last.
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
