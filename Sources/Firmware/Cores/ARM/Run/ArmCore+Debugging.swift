/// What a debugger sets: addresses at which the core stops, and accesses after which it does.
extension ArmCore {
  /// Stops the core before an instruction, with ``ArmStop/halted``.
  ///
  /// The next run, or a single step, goes on with that instruction. An instruction of an IT block that is skipped does
  /// not stop. Nothing in memory changes.
  package func addBreakpoint(at address: UInt32) {
    guard breakpoints.insert(address & ~1).inserted, let slot = decodedSlot(address & ~1) else {
      return
    }
    arm(slot)
  }

  /// Takes a breakpoint away.
  package func removeBreakpoint(at address: UInt32) {
    guard breakpoints.remove(address & ~1) != nil, let slot = decodedSlot(address & ~1) else {
      return
    }
    decode(address & ~1, it: slot.pointee.it)
  }

  /// Stops the core after an instruction that loads or stores in a range, with ``ArmStop/watched(_:)``.
  package func addWatch(_ watch: MemoryWatch) {
    if !watches.contains(watch) { watches.append(watch) }
    hideViews()
  }

  /// Takes a watchpoint away.
  package func removeWatch(_ watch: MemoryWatch) {
    watches.removeAll { $0 == watch }
  }

  /// The slot of an instruction that has been decoded.
  private func decodedSlot(_ address: UInt32) -> UnsafeMutablePointer<ArmOp>? {
    guard let page = codePage(of: address) else { return nil }
    let slot = page + Int((address & (AddressSpace.pageSize - 1)) >> 1)
    return slot.pointee.slots == 0 ? nil : slot
  }

  /// Makes a decoded instruction stop the core.
  func arm(_ slot: UnsafeMutablePointer<ArmOp>) {
    slot.pointee.run = Self.halting
    slot.pointee.cycles = 0
  }

  private static let halting: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.ask(.halt)
  }

  /// Runs the instruction at which a breakpoint has stopped the core.
  func passBreakpoint() {
    let address = state.pointee.pc
    breakpoints.remove(address)
    decode(address, it: state.pointee.it)
    state.pointee.limit = cycles + 1
    loop()
    breakpoints.insert(address)
    if let slot = decodedSlot(address) { arm(slot) }
  }

  /// Notes an access that a debugger waits for.
  func noteAccess(_ address: UInt32, _ bytes: UInt32, isStore: Bool) {
    guard watchHit == nil,
      let watch = watches.first(where: { $0.matches(address, bytes, isStore: isStore) })
    else { return }
    watchHit = MemoryWatchHit(address: address, isStore: isStore, watch: watch)
    state.pointee.limit = 0
  }
}
