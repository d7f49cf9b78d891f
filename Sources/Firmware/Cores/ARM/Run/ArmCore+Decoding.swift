/// The cache of decoded instructions, with one slot per halfword of each page from which code has been executed.
extension ArmCore {
  private static let slots = Int(AddressSpace.pageSize / 2)

  /// The handler of an empty slot; it decodes the instruction at the slot's address into the slot.
  private static let undecoded: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.cpu.pointee.slowJump(step.cpu.pointee.owner, step.op.pointee.address)
  }

  /// The handler of the entries after the last slot of a page; it continues execution in the next page.
  private static let pageEnd: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.cpu.pointee.slowJump(step.cpu.pointee.owner, step.op.pointee.address)
  }

  /// A handler that executes a wrapped operation that writes R13, and then clears bits 1:0 of R13.
  private static let trimming: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let real = step.op.pointee.wrapped
    let next = real.pointee.run(cpu, UnsafeRawPointer(real))
    if next == UnsafeRawPointer(real) { return op }
    step.cpu.pointee.r[unchecked: 13] &= ~3
    return step.next
  }

  /// A handler that executes a wrapped operation that lowers the stack pointer, and then checks the limit of the main
  /// stack.
  private static let lowering: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (real, before, limit) = (step.op.pointee.wrapped, step[13], step.cpu.pointee.stackLimit)
    let next = real.pointee.run(cpu, UnsafeRawPointer(real))
    if next == UnsafeRawPointer(real) { return op }
    step[13] &= ~3
    let isPassed = step[13] < limit && before >= limit
    return isPassed && !step.cpu.pointee.usesProcessStack ? step.askNext(.stackLimit) : step.next
  }

  /// Returns the decoded instruction at an address, or a slot that faults if the program may not execute the address.
  func slot(at address: UInt32) -> UnsafeMutablePointer<ArmOp> {
    if !state.pointee.thumb { return astray(address, System.invalidState) }
    guard let page = page(of: address) else {
      let isForbidden =
        ArmMPU.isNeverCode(address)
        || !protection.allows(address, to: .fetch, by: currentRights)
      return astray(address, isForbidden ? System.fetchForbidden : System.fetchFault)
    }
    let slot = page + Int((address & (AddressSpace.pageSize - 1)) >> 1)
    if slot.pointee.slots == 0 { decode(address, it: 0) }
    return slot
  }

  /// Returns the decoded instruction at an address; if it was decoded with a different ITSTATE, it is decoded again.
  func slot(at address: UInt32, it: UInt8) -> UnsafeMutablePointer<ArmOp> {
    let slot = slot(at: address)
    guard slot != state.pointee.stray, slot.pointee.it != it else { return slot }
    decode(address, it: it)
    return slot
  }

  /// Returns ITSTATE before the instruction at which `loop()` ended.
  func itState(at op: UnsafePointer<ArmOp>) -> UInt8 {
    let address = op.pointee.address
    guard op != UnsafePointer(state.pointee.stray),
      let page = codePage(of: address)
    else { return 0 }
    return page[Int((address & (AddressSpace.pageSize - 1)) >> 1)].it
  }

  private func astray(_ address: UInt32, _ run: ArmHandler) -> UnsafeMutablePointer<ArmOp> {
    state.pointee.stray.pointee = ArmOp(run, at: address)
    return state.pointee.stray
  }

  /// Returns the slots of a page, allocating them on first execution; `nil` if the page is not executable memory.
  private func page(of address: UInt32) -> UnsafeMutablePointer<ArmOp>? {
    guard address < AddressSpace.plainLimit else { return nil }
    let index = Int(address >> AddressSpace.pageBits)
    if let page = state.pointee.decoded[index] { return page }
    let rights = currentRights
    guard memory.readable[index] != nil, protection.allows(address, to: .fetch, by: rights) else {
      return nil
    }
    let page = code[index] ?? makePage(index)
    let isWhole = protection.allowsPage(address, to: .fetch, by: rights)
    if protection.isOn || !partial.isEmpty { discardForbidden(index, isWhole: isWhole) }
    if rights == self.rights, isWhole { state.pointee.decoded[index] = page }
    return page
  }

  /// Discards the instructions of a page that were decoded under other access rights.
  ///
  /// This is necessary if the program may execute only part of the page: each instruction is decoded again, and its
  /// slot faults if the program may not fetch it.
  private func discardForbidden(_ index: Int, isWhole: Bool) {
    let base = UInt32(index) << AddressSpace.pageBits
    if isWhole, partial[index] == nil {
      // The last instruction may end in the next page.
      invalidate(base + AddressSpace.pageSize - 2, count: 2)
    } else if partial[index] != rightsAge {
      invalidate(base, count: AddressSpace.pageSize)
      partial[index] = isWhole ? nil : rightsAge
    }
  }

  private func makePage(_ index: Int) -> UnsafeMutablePointer<ArmOp> {
    let base = UInt32(index) << AddressSpace.pageBits
    let page = UnsafeMutablePointer<ArmOp>.allocate(capacity: Self.slots + 2)
    for slot in 0..<(Self.slots + 2) {
      var op = ArmOp(
        slot < Self.slots ? Self.undecoded : Self.pageEnd, at: base &+ UInt32(slot * 2))
      op.cycles = 0
      op.slots = slot < Self.slots ? 0 : 1
      (page + slot).initialize(to: op)
    }
    code[index] = page
    decodedPages.append(index)
    // From now on, stores to the page use the slow path, which discards overwritten instructions.
    state.pointee.writable[index] = nil
    return page
  }

  /// Returns the slots of the page that contains an address, or `nil` if no instruction of the page has been decoded.
  func codePage(of address: UInt32) -> UnsafeMutablePointer<ArmOp>? {
    address < AddressSpace.plainLimit ? code[Int(address >> AddressSpace.pageBits)] : nil
  }

  private func halfword(_ address: UInt32) -> UInt16? {
    guard address < AddressSpace.plainLimit,
      let page = memory.readable[Int(address >> AddressSpace.pageBits)]
    else { return nil }
    return page.load(
      fromByteOffset: Int(address & (AddressSpace.pageSize - 1)), as: UInt16.self)
  }

  /// Decodes an instruction and, if it starts or is inside an IT block, the rest of the block.
  func decode(_ start: UInt32, it itState: UInt8) {
    var (address, it) = (start, itState)
    repeat {
      guard let page = page(of: address), let first = halfword(address) else { return }
      let slot = page + Int((address & (AddressSpace.pageSize - 1)) >> 1)
      let isWide = ArmDecoder.isWide(first)
      let isForbidden =
        isWide && !protection.allows(address &+ 2, to: .fetch, by: currentRights)
      let second = isWide ? halfword(address &+ 2) : 0
      if isForbidden {
        slot.pointee = ArmOp(System.fetchForbidden, at: address)
      } else if let second {
        let decoder = ArmDecoder(
          first: first, second: second, address: address, it: it, features: features)
        slot.pointee =
          state.pointee.stackLimit != 0 && decoder.lowersStack
          ? wrapped(decoder.op, Self.lowering)
          : decoder.masksStack ? wrapped(decoder.op, Self.trimming) : decoder.op
      } else {
        slot.pointee = ArmOp(System.fetchFault, at: address)
      }
      if !breakpoints.isEmpty, breakpoints.contains(address) { arm(slot) }
      it =
        ArmDecoder.isIT(first) && it == 0 && !model.isBaseline
        ? UInt8(truncatingIfNeeded: first) : ArmDecoder.advance(it)
      address &+= isWide ? 4 : 2
    } while it != 0
  }

  private var features: ArmDecoder.Features {
    .init(
      isBaseline: model.isBaseline, hasFloat: model.hasFloat, allowsFloat: control.allowsFloat)
  }

  private func wrapped(_ op: ArmOp, _ run: ArmHandler) -> ArmOp {
    let real = UnsafeMutablePointer<ArmOp>.allocate(capacity: 1)
    real.initialize(to: op)
    wrappedOps.append(real)
    var outer = op
    outer.run = run
    outer.wrapped = real
    return outer
  }

  /// Discards instructions decoded from bytes that have changed.
  package func invalidate(_ address: UInt32, count: UInt32) {
    // An IT instruction is decoded with its block of at most four instructions, so it may lie up to 18 bytes before.
    var at = max(address & ~1, 18) - 18
    if codePage(of: at) == nil, codePage(of: address) == nil, count < AddressSpace.pageSize / 2,
      codePage(of: address &+ count) == nil
    {
      return
    }
    var page: UnsafeMutablePointer<ArmOp>?
    var number = -1
    while at < address &+ count {
      let index = Int(at >> AddressSpace.pageBits)
      if index != number { (page, number) = (codePage(of: at), index) }
      if let page {
        let slot = page + Int((at & (AddressSpace.pageSize - 1)) >> 1)
        slot.pointee = ArmOp(Self.undecoded, at: at)
        slot.pointee.cycles = 0
        slot.pointee.slots = 0
      }
      at &+= 2
    }
  }

  /// Discards all decoded instructions.
  func discardDecoded() {
    recordDiscarded()
    for index in decodedPages { state.pointee.decoded[index] = nil }
    for index in decodedPages {
      code[index]?.deallocate()
      code[index] = nil
    }
    decodedPages = []
    for op in wrappedOps { op.deallocate() }
    wrappedOps = []
  }
}

extension ArmOp {
  /// The operation that this one wraps; its address is stored in `imm` and the register fields.
  var wrapped: UnsafeMutablePointer<ArmOp> {
    get {
      let low = UInt(imm) | UInt(d) << 32 | UInt(n) << 40
      let address = low | UInt(m) << 48 | UInt(a) << 56
      return UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
    }
    set {
      let address = UInt(bitPattern: newValue)
      imm = UInt32(truncatingIfNeeded: address)
      d = UInt8(truncatingIfNeeded: address >> 32)
      n = UInt8(truncatingIfNeeded: address >> 40)
      m = UInt8(truncatingIfNeeded: address >> 48)
      a = UInt8(truncatingIfNeeded: address >> 56)
    }
  }
}
