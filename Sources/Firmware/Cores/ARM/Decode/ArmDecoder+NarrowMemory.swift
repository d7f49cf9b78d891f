/// Instructions of one halfword that load, store, jump, or are about the core.
extension ArmDecoder {
  /// A load or store at a constant's distance.
  mutating func decodeLoad(_ kind: LoadStore.Kind, d: UInt32, n: UInt32, imm: UInt32) {
    set(LoadStore.constant[kind.rawValue], d: d, n: n, imm: imm, cycles: 2)
  }

  mutating func decodeNarrowIndexed() {
    let kinds: [LoadStore.Kind] = [.str, .strh, .strb, .ldrsb, .ldr, .ldrh, .ldrb, .ldrsh]
    let kind = kinds[Int(one(9, 3))]
    set(
      LoadStore.indexed[kind.rawValue], d: one(0, 3), n: one(3, 3), m: one(6, 3), cycles: 2)
  }

  mutating func decodeNarrowMemory() {
    let (d, n, distance) = (one(0, 3), one(3, 3), one(6, 5))
    let isLoad = one(11, 1) != 0
    switch first >> 12 {
    case 6: decodeLoad(isLoad ? .ldr : .str, d: d, n: n, imm: distance * 4)
    case 7: decodeLoad(isLoad ? .ldrb : .strb, d: d, n: n, imm: distance)
    case 8: decodeLoad(isLoad ? .ldrh : .strh, d: d, n: n, imm: distance * 2)
    default: decodeLoad(isLoad ? .ldr : .str, d: one(8, 3), n: 13, imm: one(0, 8) * 4)
    }
  }

  /// A load or store of several registers: A says how many they are, and they take a cycle each, and one more.
  mutating func setMultiple(_ run: ArmHandler, n: UInt32, x: UInt32, _ list: UInt32) {
    let count = list.nonzeroBitCount
    set(run, n: n, a: UInt32(count), x: x, imm: list, cycles: UInt8(1 + count))
  }

  mutating func decodeNarrowMultiple() {
    let (n, list) = (one(8, 3), one(0, 8))
    guard list != 0 else { return unpredictable() }
    let isInList = list >> n & 1 != 0
    if one(11, 1) == 0 {
      if isInList, list & (1 << n - 1) != 0 { return unpredictable() }
      setMultiple(Multiple.store, n: n, x: 2, list)
    } else {
      setMultiple(Multiple.load, n: n, x: isInList ? 0 : 2, list)
    }
  }

  mutating func decodeNarrowBranch() {
    let condition = one(8, 4)
    switch condition {
    case 14: undefined()
    case 15: set(System.supervisorCall, imm: one(0, 8))
    default:
      guard it == 0 else { return unpredictable() }
      set(
        Branch.conditional[Int(condition)],
        imm: address &+ 4 &+ Self.signed(one(0, 8) << 1, 9))
    }
  }

  mutating func decodeMiscellaneous() {
    let (d, m) = (one(0, 3), one(3, 3))
    switch one(8, 4) {
    case 0:
      let operation = one(7, 1) == 0 ? DataProcessing.add : DataProcessing.sub
      set(DataProcessing.constant[operation], d: 13, n: 13, imm: one(0, 7) * 4)
    case 2:
      set([Bits.sxth, Bits.sxtb, Bits.uxth, Bits.uxtb][Int(one(6, 2))], d: d, m: m)
    case 1, 3, 9, 11: decodeCompareBranch()
    case 4, 5:
      let list = one(0, 8) | one(8, 1) << 14
      guard list != 0 else { return unpredictable() }
      setMultiple(Multiple.push, n: 13, x: 3, list)
    case 12, 13:
      let list = one(0, 8) | one(8, 1) << 15
      guard list != 0, list >> 15 == 0 || !isInsideIT else { return unpredictable() }
      setMultiple(Multiple.load, n: 13, x: 2, list)
    case 6:
      guard first & 0xFFEC == 0xB660, one(0, 2) != 0, it == 0 else {
        return first & 0xFFE0 == 0xB660 ? unpredictable() : undefined()
      }
      set(System.change, x: one(0, 5))
    case 10:
      let handlers: [ArmHandler?] = [Bits.rev, Bits.rev16, nil, Bits.revsh]
      set(handlers[Int(one(6, 2))], d: d, m: m)
    case 14:
      set(System.breakpoint, imm: one(0, 8))
      if it != 0 { op.it = it & 15 | 0xE0 }
    case 15: decodeHint()
    default: undefined()
    }
  }

  private mutating func decodeCompareBranch() {
    guard !features.isBaseline else { return undefined() }
    guard it == 0 else { return unpredictable() }
    let distance = one(3, 5) << 1 | one(9, 1) << 6
    set(
      one(11, 1) == 0 ? Branch.onZero : Branch.onNotZero, n: one(0, 3),
      imm: address &+ 4 &+ distance)
  }

  private mutating func decodeHint() {
    if one(0, 4) != 0 {
      guard !features.isBaseline else { return undefined() }
      let condition = one(4, 4)
      let isSingle = one(0, 4).nonzeroBitCount == 1
      guard it == 0, condition != 15, condition != 14 || isSingle else { return unpredictable() }
      return set(System.nothing)
    }
    switch one(4, 4) {
    case 2: set(System.waitForEvent)
    case 3: set(System.waitForInterrupt)
    case 4: set(System.sendEvent)
    default: set(System.nothing)
    }
  }
}
