/// A decoder for an AVRe+ instruction, given its word and the word after it.
struct AvrDecoder {
  private let word: UInt16
  private let second: UInt16
  /// The word address of the instruction.
  private let address: UInt16
  /// The flash size in words minus 1.
  private let wordMask: UInt16

  /// Creates a decoder for an instruction.
  init(_ word: UInt16, _ second: UInt16, at address: UInt16, wordMask: UInt16) {
    (self.word, self.second) = (word, second)
    (self.address, self.wordMask) = (address, wordMask)
  }

  /// Returns whether an instruction has two words: LDS, STS, JMP or CALL.
  static func isWide(_ word: UInt16) -> Bool {
    word & 0xFC0F == 0x9000 || word & 0xFE0C == 0x940C
  }

  /// The decoded instruction.
  var op: AvrOp {
    switch word >> 12 {
    case 0...2: return registers
    case 3: return immediate(AvrArithmetic.compareConstant)
    case 4: return immediate(AvrArithmetic.subtractConstantWithCarry)
    case 5: return immediate(AvrArithmetic.subtractConstant)
    case 6: return immediate(AvrLogic.orConstant)
    case 7: return immediate(AvrLogic.andConstant)
    case 8, 10: return displaced
    case 9: return various
    case 11: return port
    case 12: return relative(AvrBranch.jump, cycles: 2)
    case 13: return relative(AvrBranch.call, cycles: 3)
    case 14: return immediate(AvrLogic.constant)
    default: return bits
    }
  }

  private var d: UInt8 { UInt8(word >> 4 & 31) }
  private var r: UInt8 { UInt8(word & 15 | word >> 5 & 16) }

  private func make(_ run: AvrHandler, k: UInt16 = 0, cycles: UInt8 = 1) -> AvrOp {
    var op = AvrOp(run)
    (op.d, op.r, op.k, op.cycles) = (d, r, k, cycles)
    return op
  }

  private var undefined: AvrOp { make(AvrControl.undefined, cycles: 0) }

  private func immediate(_ run: AvrHandler) -> AvrOp {
    var op = make(run, k: word & 15 | word >> 4 & 0xF0)
    op.d = 16 | d & 15
    return op
  }

  /// Makes a skip instruction, whose distance depends on the size of the next instruction.
  private func skip(_ run: AvrHandler, k: UInt16 = 0) -> AvrOp {
    var op = make(run, k: k)
    op.offset = Self.isWide(second) ? 3 : 2
    return op
  }

  /// Returns the distance to a target word; addresses wrap at the end of the flash.
  private func distance(to target: UInt16) -> Int16 {
    Int16(target & wordMask) - Int16(address)
  }

  private func relative(_ run: AvrHandler, cycles: UInt8) -> AvrOp {
    var op = make(run, cycles: cycles)
    let by = Int16(bitPattern: word << 4) >> 4
    op.offset = distance(to: address &+ 1 &+ UInt16(bitPattern: by))
    return op
  }

  private func absolute(_ run: AvrHandler, cycles: UInt8) -> AvrOp {
    var op = make(run, cycles: cycles)
    op.slots = 2
    op.offset = distance(to: second)
    return op
  }

  /// The instructions whose highest four bits are 0000 to 0010, which have two register operands.
  private var registers: AvrOp {
    switch word >> 10 {
    case 0 where word >> 8 == 0: return word == 0 ? make(AvrControl.nothing) : undefined
    case 0: return products
    case 1: return make(AvrArithmetic.compareWithCarry)
    case 2: return make(AvrArithmetic.subtractWithCarry)
    case 3: return make(AvrArithmetic.add)
    case 4: return skip(AvrBranch.skipIfEqual)
    case 5: return make(AvrArithmetic.compare)
    case 6: return make(AvrArithmetic.subtract)
    case 7: return make(AvrArithmetic.addWithCarry)
    case 8: return make(AvrLogic.and)
    case 9: return make(AvrLogic.exclusiveOr)
    case 10: return make(AvrLogic.or)
    default: return make(AvrLogic.move)
    }
  }

  private var products: AvrOp {
    let (high, low) = (UInt8(word >> 4 & 15), UInt8(word & 15))
    var op: AvrOp
    switch (word >> 8 & 3, word >> 7 & 1, word >> 3 & 1) {
    case (1, _, _):
      op = make(AvrLogic.moveWide)
      (op.d, op.r) = (high * 2, low * 2)
      return op
    case (2, _, _):
      op = make(AvrArithmetic.multiplySigned, cycles: 2)
      (op.d, op.r) = (16 + high, 16 + low)
      return op
    case (_, 0, 0): op = make(AvrArithmetic.multiplyMixed, cycles: 2)
    case (_, 0, _): op = make(AvrArithmetic.fraction, cycles: 2)
    case (_, _, 0): op = make(AvrArithmetic.fractionSigned, cycles: 2)
    default: op = make(AvrArithmetic.fractionMixed, cycles: 2)
    }
    (op.d, op.r) = (high & 7 | 16, low & 7 | 16)
    return op
  }

  /// The instructions whose highest four bits are 10x0: LDD and STD.
  private var displaced: AvrOp {
    let k = word & 7 | word >> 7 & 0x18 | word >> 8 & 0x20
    var op = make(word & 0x200 != 0 ? AvrMemory.store : AvrMemory.load, k: k, cycles: 2)
    op.r = word & 8 != 0 ? 28 : 30
    return op
  }

  /// The instructions whose highest four bits are 1011: IN and OUT.
  private var port: AvrOp {
    let address = (word & 15 | word >> 5 & 0x30) + 0x20
    let isOutput = word & 0x800 != 0
    switch address {
    case AvrPorts.stackLow:
      return make(isOutput ? AvrPorts.writeStackLow : AvrPorts.readStackLow)
    case AvrPorts.stackHigh:
      return make(isOutput ? AvrPorts.writeStackHigh : AvrPorts.readStackHigh)
    case AvrPorts.status:
      return make(isOutput ? AvrPorts.writeStatus : AvrPorts.readStatus)
    default: return make(isOutput ? AvrPorts.output : AvrPorts.input, k: address)
    }
  }

  /// The instructions whose highest four bits are 1111: branches, and operations on register bits.
  private var bits: AvrOp {
    let mask: UInt16 = 1 << (word & 7)
    let flag = Int(word & 7)
    if word & 0x800 == 0 {
      var op = make(word & 0x400 == 0 ? AvrBranch.whenSet[flag] : AvrBranch.whenClear[flag])
      let by = Int16(bitPattern: word << 6) >> 9
      op.offset = distance(to: address &+ 1 &+ UInt16(bitPattern: by))
      return op
    }
    if word & 8 != 0 { return undefined }
    switch word >> 9 & 3 {
    case 0: return make(AvrLogic.bitLoad, k: mask)
    case 1: return make(AvrLogic.bitStore, k: mask)
    case 2: return skip(AvrBranch.skipIfClear, k: mask)
    default: return skip(AvrBranch.skipIfSet, k: mask)
    }
  }
}

/// The instructions whose highest four bits are 1001: loads and stores, one-operand and zero-operand instructions, and
/// I/O bits.
extension AvrDecoder {
  private var various: AvrOp {
    switch word >> 8 & 15 {
    case 0, 1: return loads
    case 2, 3: return stores
    case 4, 5: return word & 8 == 0 ? single : others
    case 6: return wide(AvrArithmetic.addWide)
    case 7: return wide(AvrArithmetic.subtractWide)
    case 8: return lowPort(AvrPorts.clearBit)
    case 9: return lowSkip(AvrBranch.skipIfPortClear)
    case 10: return lowPort(AvrPorts.setBit)
    case 11: return lowSkip(AvrBranch.skipIfPortSet)
    default: return make(AvrArithmetic.multiply, cycles: 2)
    }
  }

  private func pointed(_ run: AvrHandler, _ pair: UInt8) -> AvrOp {
    var op = make(run, cycles: 2)
    op.r = pair
    return op
  }

  private func direct(_ run: AvrHandler) -> AvrOp {
    var op = make(run, k: second, cycles: 2)
    op.slots = 2
    return op
  }

  private var loads: AvrOp {
    switch word & 15 {
    case 0: return direct(AvrMemory.loadDirect)
    case 1: return pointed(AvrMemory.loadIncrementing, 30)
    case 2: return pointed(AvrMemory.loadDecrementing, 30)
    case 4: return make(AvrMemory.loadProgram, cycles: 3)
    case 5: return make(AvrMemory.loadProgramIncrementing, cycles: 3)
    case 9: return pointed(AvrMemory.loadIncrementing, 28)
    case 10: return pointed(AvrMemory.loadDecrementing, 28)
    case 12: return pointed(AvrMemory.load, 26)
    case 13: return pointed(AvrMemory.loadIncrementing, 26)
    case 14: return pointed(AvrMemory.loadDecrementing, 26)
    case 15: return make(AvrMemory.pop, cycles: 2)
    default: return undefined
    }
  }

  private var stores: AvrOp {
    switch word & 15 {
    case 0: return direct(AvrMemory.storeDirect)
    case 1: return pointed(AvrMemory.storeIncrementing, 30)
    case 2: return pointed(AvrMemory.storeDecrementing, 30)
    case 9: return pointed(AvrMemory.storeIncrementing, 28)
    case 10: return pointed(AvrMemory.storeDecrementing, 28)
    case 12: return pointed(AvrMemory.store, 26)
    case 13: return pointed(AvrMemory.storeIncrementing, 26)
    case 14: return pointed(AvrMemory.storeDecrementing, 26)
    case 15: return make(AvrMemory.push, cycles: 2)
    default: return undefined
    }
  }

  /// The instructions 1001 010d dddd 0xxx, which have one operand.
  private var single: AvrOp {
    switch word & 7 {
    case 0: return make(AvrLogic.complement)
    case 1: return make(AvrArithmetic.negate)
    case 2: return make(AvrLogic.swap)
    case 3: return make(AvrArithmetic.increment)
    case 5: return make(AvrLogic.arithmeticRight)
    case 6: return make(AvrLogic.shiftRight)
    case 7: return make(AvrLogic.rotateRight)
    default: return undefined
    }
  }

  /// The instructions 1001 010x xxxx 1xxx: changes of flags, DEC, jumps, calls, returns and core control.
  private var others: AvrOp {
    switch word & 7 {
    case 0: return hints
    case 1:
      switch word {
      case 0x9409: return make(AvrBranch.jumpIndirect, cycles: 2)
      case 0x9509: return make(AvrBranch.callIndirect, cycles: 3)
      default: return undefined
      }
    case 2: return make(AvrArithmetic.decrement)
    case 4, 5: return absolute(AvrBranch.jump, cycles: 3)
    case 6, 7: return absolute(AvrBranch.call, cycles: 4)
    default: return undefined
    }
  }

  private var hints: AvrOp {
    let flag = Int(word >> 4 & 7)
    switch word >> 4 & 31 {
    case 0...7: return make(AvrControl.set[flag])
    case 8...15: return make(AvrControl.clear[flag])
    case 16: return make(AvrBranch.ret, cycles: 4)
    case 17: return make(AvrBranch.reti, cycles: 4)
    case 24: return make(AvrControl.sleep)
    case 25: return make(AvrControl.breakpoint, cycles: 0)
    case 26: return make(AvrControl.resetWatchdog)
    case 28:
      var op = make(AvrMemory.loadProgram, cycles: 3)
      op.d = 0
      return op
    case 30: return make(AvrControl.storeProgram)
    default: return undefined
    }
  }

  private func wide(_ run: AvrHandler) -> AvrOp {
    var op = make(run, k: word & 15 | word >> 2 & 0x30, cycles: 2)
    op.d = 24 + UInt8(word >> 4 & 3) * 2
    return op
  }

  private func lowPort(_ run: AvrHandler) -> AvrOp {
    var op = make(run, cycles: 2)
    (op.d, op.r) = (UInt8(word >> 3 & 31) + 0x20, UInt8(word & 7))
    return op
  }

  private func lowSkip(_ run: AvrHandler) -> AvrOp {
    var op = skip(run, k: 1 << (word & 7))
    op.d = UInt8(word >> 3 & 31) + 0x20
    return op
  }
}

/// A function that executes an instruction: it receives the state and the operation, and returns the next operation.
typealias AvrHandler =
  @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> UnsafeRawPointer

/// A decoded instruction; the cache has one for each flash word.
struct AvrOp {
  var run: AvrHandler
  /// A constant, a bit mask, or an address in the data space.
  var k: UInt16 = 0
  /// The distance in words to the target of a jump or skip.
  var offset: Int16 = 0
  /// The number of the destination register, or another field of the instruction.
  var d: UInt8 = 0
  /// The number of the source register, or another field of the instruction.
  var r: UInt8 = 0
  /// Cycles of the instruction if it does not jump.
  var cycles: UInt8 = 1
  /// The length of the instruction in words, 1 or 2; 0 before it is decoded.
  var slots: UInt8 = 1

  init(_ run: AvrHandler) { self.run = run }
}

/// The cache of decoded instructions, with one slot per flash word and a few after the end.
extension AvrCore {
  /// The number of slots after the end of the flash, where execution wraps to address 0.
  static let spare = 4

  /// The handler of an empty slot; it decodes the instruction at the slot's address into the slot.
  private static let undecoded: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.cpu.pointee.slowDecode(step.cpu.pointee.owner, step.address)
  }

  /// The handler of the slots after the end of the flash; it continues execution at address 0.
  private static let end: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.jump(step.address)
  }

  static func blank(_ ops: UnsafeMutablePointer<AvrOp>, _ count: Int) {
    var (blank, wrapping) = (AvrOp(undecoded), AvrOp(end))
    (blank.cycles, blank.slots, wrapping.cycles) = (0, 0, 0)
    ops.initialize(repeating: blank, count: count)
    (ops + count).initialize(repeating: wrapping, count: spare)
  }

  /// Marks a slot as undecoded.
  static func blank(_ slot: UnsafeMutablePointer<AvrOp>) {
    var blank = AvrOp(undecoded)
    (blank.cycles, blank.slots) = (0, 0)
    slot.pointee = blank
  }

  /// Returns the decoded instruction at a word address.
  func decoded(_ address: UInt16) -> UnsafeMutablePointer<AvrOp> {
    let slot = state.pointee.ops + Int(address & state.pointee.wordMask)
    return slot.pointee.slots == 0 ? decode(address) : slot
  }

  /// Decodes the instruction at a word address.
  func decode(_ address: UInt16) -> UnsafeMutablePointer<AvrOp> {
    let index = address & state.pointee.wordMask
    let slot = state.pointee.ops + Int(index)
    slot.pointee =
      AvrDecoder(
        flashWord(Int(index)), flashWord(Int(index) + 1), at: index,
        wordMask: state.pointee.wordMask
      ).op
    if !breakpoints.isEmpty, breakpoints.contains(index) { arm(slot) }
    return slot
  }

  /// Discards instructions decoded from flash bytes that have changed.
  package func invalidate(_ address: Int, count: Int) {
    paths = []
    // An instruction depends on the word after it, and a skip on the size of the next instruction.
    let (first, last) = (max(address / 2 - 1, 0), (address + count - 1) / 2)
    for index in first...max(first, last) where index < model.flashWords { discardSlot(index) }
    discardSlot(model.flashWords - 1)
    state.pointee.limit = 0
  }
}
