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

  /// The instruction set manual (Atmel-0856L) says of these that their result is undefined: in its chapters LD, ST and
  /// LPM, a register of the pointer that is incremented or decremented is what is loaded or stored.
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

  /// How many of what.
  var summary: String {
    let all = compared.values.reduce(0, +)
    let open = undefined.values.reduce(0, +)
    let named = excused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "\(all) AVR instructions compared; \(open) undefined ones left out; "
      + "faults of simavr: \(named.joined(separator: ", "))"
  }
}
