/// The cache of decoded instructions: a slot for each word of the flash, and few behind its end.
extension AvrCore {
  /// What an instruction at the flash's end may lead to; it goes on at the beginning.
  static let spare = 4

  /// Decodes what it stands for, in place.
  private static let undecoded: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.cpu.pointee.slowDecode(step.cpu.pointee.owner, step.address)
  }

  /// Goes on where the flash begins.
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

  /// Makes a slot one that is not decoded.
  static func blank(_ slot: UnsafeMutablePointer<AvrOp>) {
    var blank = AvrOp(undecoded)
    (blank.cycles, blank.slots) = (0, 0)
    slot.pointee = blank
  }

  /// The decoded instruction at an address in words.
  func decoded(_ address: UInt16) -> UnsafeMutablePointer<AvrOp> {
    let slot = state.pointee.ops + Int(address & state.pointee.wordMask)
    return slot.pointee.slots == 0 ? decode(address) : slot
  }

  /// Decodes the instruction at an address in words.
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

  /// Forgets what was decoded from some bytes of the flash, which have changed.
  package func forget(_ address: Int, count: Int) {
    paths = []
    // An instruction depends on the word behind it, and a skip on the next instruction's size.
    let (first, last) = (max(address / 2 - 1, 0), (address + count - 1) / 2)
    for index in first...max(first, last) where index < model.flashWords { forgetSlot(index) }
    forgetSlot(model.flashWords - 1)
    state.pointee.limit = 0
  }
}
