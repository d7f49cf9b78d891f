/// Instructions of two halfwords that jump or are about the core.
extension ArmDecoder {
  mutating func decodeWideBranch() {
    switch two(12, 3) & 5 {
    case 0:
      if features.isBaseline || one(7, 3) == 7 { return decodeControl() }
      guard it == 0 else { return unpredictable() }
      let low = one(0, 6) << 12 | two(0, 11) << 1
      let distance = one(10, 1) << 20 | two(11, 1) << 19 | two(13, 1) << 18 | low
      set(Branch.conditional[Int(one(6, 4))], imm: address &+ 4 &+ Self.signed(distance, 21))
    case 1 where !features.isBaseline:
      guard !isInsideIT else { return unpredictable() }
      set(Branch.always, imm: farTarget)
    case 5:
      guard !isInsideIT else { return unpredictable() }
      set(Branch.link, imm: farTarget)
    default: undefined()
    }
  }

  private var farTarget: UInt32 {
    let sign = one(10, 1)
    let high = sign << 24 | (~(two(13, 1) ^ sign) & 1) << 23 | (~(two(11, 1) ^ sign) & 1) << 22
    return address &+ 4 &+ Self.signed(high | one(0, 10) << 12 | two(0, 11) << 1, 25)
  }

  private mutating func decodeControl() {
    switch (first, two(12, 3)) {
    case (0xF380...0xF38F, 0), (0xF380...0xF38F, 2): decodeSpecialWrite()
    case (0xF3AF, 0) where !features.isBaseline:
      guard two(8, 4) == 0 else { return two(8, 3) == 0 ? unpredictable() : undefined() }
      switch two(0, 8) {
      case 2: set(System.waitForEvent)
      case 3: set(System.waitForInterrupt)
      case 4: set(System.sendEvent)
      default: set(System.nothing)
      }
    case (0xF3BF, 0):
      guard two(8, 4) == 15 else { return unpredictable() }
      switch two(4, 4) {
      case 2 where !features.isBaseline:
        two(0, 4) == 15 ? set(System.clearExclusive) : unpredictable()
      case 4, 5, 6: set(System.nothing, cycles: 2)
      default: undefined()
      }
    case (0xF3EF, 0):
      guard !isBad(two(8, 4)), isSpecial(two(0, 8)) else { return unpredictable() }
      set(System.read, d: two(8, 4), imm: two(0, 8))
    default: undefined()
    }
  }

  private func isSpecial(_ number: UInt32) -> Bool {
    switch number {
    case 0...3, 5...9, 16, 20: true
    case 17...19: !features.isBaseline
    default: false
    }
  }

  private mutating func decodeSpecialWrite() {
    let (mask, number) = (two(10, 2), two(0, 8))
    guard first & 0xFFF0 == 0xF380, two(8, 2) == 0, two(13, 1) == 0, !isBad(one(0, 4)),
      isSpecial(number), mask == 2 || mask != 0 && number <= 3
    else { return unpredictable() }
    set(System.write, n: one(0, 4), x: mask, imm: number)
  }
}
