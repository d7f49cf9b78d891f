import Cores

/// Statistics of the comparisons.
struct Tally {
  let isBaseline: Bool
  private(set) var compared: [String: Int] = [:]
  private(set) var unpredictable: [String: Int] = [:]
  private(set) var differences: [String] = []
  private var faults = 0
  private var excused = 0

  init(isBaseline: Bool = false) { self.isBaseline = isBaseline }

  private static let names =
    (0..<16).map { "r\($0)" } + ["xpsr", "fpscr"] + (0..<32).map { "s\($0)" } + ["fault", "memory"]

  /// Compares two results.
  mutating func add(_ encoding: Encoding, _ each: ArmCase, _ ours: [UInt32], _ judged: [UInt32]) {
    // UNPREDICTABLE: the core faults, Unicorn executes something.
    let isOpen = ArmCore.isUnpredictable(
      first: each.first, second: each.second, it: each.it, isBaseline: isBaseline)
    if isOpen {
      unpredictable[encoding.name, default: 0] += 1
      return
    }
    compared[encoding.name, default: 0] += 1
    if ours[50] != 0, judged[50] != 0 {
      faults += 1
      return
    }
    var judged = judged
    if isExcused(encoding, each, ours, judged) {
      excused += 1
      return
    }
    Self.align(&judged, with: ours, isInBlock: each.isInBlock)
    // The low bits of the stack pointer read as 0; Unicorn keeps them.
    judged[13] &= ~3
    let wrong = ours.indices.filter { ours[$0] != judged[$0] }
    guard !wrong.isEmpty, differences.count < 40 else { return }
    let values = wrong.map {
      "\(Self.names[$0]) \(hex(ours[$0])) not \(hex(judged[$0])) from \(hex(each.words[$0]))"
    }
    let code = "\(hex(UInt32(each.first))) \(hex(UInt32(each.second)))"
    differences.append("\(encoding.name) \(code) it \(each.it): \(values.joined(separator: ", "))")
  }

  /// Returns whether a difference is a known deviation of Unicorn from the architecture.
  private func isExcused(
    _ encoding: Encoding, _ each: ArmCase, _ ours: [UInt32], _ judged: [UInt32]
  ) -> Bool {
    // WFI halts Unicorn, and some hints stop it.
    if each.isHint { return true }
    if (ours[50] == 0) != (judged[50] == 0) {
      // Unicorn's Cortex-M0 executes divisions, IT, CBZ and unaligned loads; ARMv6-M does not have them.
      if isBaseline, judged[50] == 0 {
        let isForeign = Encodings.foreign.contains(encoding.name)
        return ours[50] == (isForeign ? 1 << 16 : 1 << 24)
      }
      // A branch to an unmapped address, or without the Thumb bit, faults at the branch or at the next instruction.
      if ours[50] == 0 { return ours[15] >= ArmCase.codeEnd || ours[16] >> 24 & 1 == 0 }
      // Multiple-word accesses must be aligned; Unicorn accepts unaligned ones.
      return ["DUAL", "LDM", "MULTIPLE", "VLDR", "VLDM"].contains(encoding.name)
        && ours[50] == 1 << 24
    }
    // Fixed point to float rounds to nearest in any mode; Unicorn applies the mode.
    return encoding.name == "VFIXED" && each.first & 4 == 0 && each.words[17] >> 22 & 3 != 0
  }

  /// Aligns results within an IT block: Unicorn executes the block to its end over NOPs, and does not report ITSTATE.
  private static func align(_ judged: inout [UInt32], with ours: [UInt32], isInBlock: Bool) {
    if isInBlock, ours[15] >> 4 == judged[15] >> 4 { judged[15] = ours[15] }
    let mask: UInt32 = 0x0600_FC00
    judged[16] = judged[16] & ~mask | ours[16] & mask
  }

  private func hex(_ value: UInt32) -> String { String(value, radix: 16) }

  /// A summary of the counts.
  var summary: String {
    let all = compared.values.reduce(0, +)
    let open = unpredictable.values.reduce(0, +)
    return
      "\(all) instructions compared, \(faults) of them faults, \(excused) where Unicorn differs "
      + "from the architecture; \(open) UNPREDICTABLE ones left out"
  }
}
