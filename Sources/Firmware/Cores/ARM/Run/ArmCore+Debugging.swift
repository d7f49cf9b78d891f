/// Breakpoints and watchpoints.
extension ArmCore {
  /// Adds a breakpoint; the core stops before it executes the instruction, and the stop reason is `ArmStop/halted`.
  ///
  /// The next run or single step continues with that instruction. An instruction that an IT block skips does not stop
  /// the core. Memory is unchanged.
  package func addBreakpoint(at address: UInt32) {
    guard breakpoints.insert(address & ~1).inserted, let slot = decodedSlot(address & ~1) else {
      return
    }
    arm(slot)
  }

  /// Removes a breakpoint.
  package func removeBreakpoint(at address: UInt32) {
    guard breakpoints.remove(address & ~1) != nil, let slot = decodedSlot(address & ~1) else {
      return
    }
    decode(address & ~1, it: slot.pointee.it)
  }

  /// Adds a watchpoint; the core stops after an access to its memory range, and the stop reason is
  /// `ArmStop/watched(_:)`.
  package func addWatch(_ watch: MemoryWatch) {
    if !watches.contains(watch) { watches.append(watch) }
    disableFastPath()
  }

  /// Removes a watchpoint.
  package func removeWatch(_ watch: MemoryWatch) {
    watches.removeAll { $0 == watch }
  }

  /// Returns the cache slot of the instruction at an address; `nil` if the instruction has not been decoded.
  private func decodedSlot(_ address: UInt32) -> UnsafeMutablePointer<ArmOp>? {
    guard let page = codePage(of: address) else { return nil }
    let slot = page + Int((address & (AddressSpace.pageSize - 1)) >> 1)
    return slot.pointee.slots == 0 ? nil : slot
  }

  /// Replaces the handler of a decoded instruction with one that stops the core.
  func arm(_ slot: UnsafeMutablePointer<ArmOp>) {
    slot.pointee.run = Self.halting
    slot.pointee.cycles = 0
  }

  private static let halting: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.ask(.halt)
  }

  /// Executes the instruction at the breakpoint that stopped the core.
  func passBreakpoint() {
    let address = state.pointee.pc
    breakpoints.remove(address)
    decode(address, it: state.pointee.it)
    state.pointee.limit = cycles + 1
    loop()
    breakpoints.insert(address)
    if let slot = decodedSlot(address) { arm(slot) }
  }

  /// Records an access that hits a watchpoint, and ends the run after the current instruction.
  func noteAccess(_ address: UInt32, _ bytes: UInt32, isStore: Bool) {
    guard watchHit == nil,
      let watch = watches.first(where: { $0.matches(address, bytes, isStore: isStore) })
    else { return }
    watchHit = MemoryWatchHit(address: address, isStore: isStore, watch: watch)
    state.pointee.limit = 0
  }
}

/// Memory access for debuggers, which bypasses the MPU, privileges and watchpoints.
extension ArmCore {
  /// Reads a byte; reading a register has the side effects that a load has.
  ///
  /// Returns `nil` if the address is unmapped.
  package func readByte(_ address: UInt32) -> UInt8? {
    if Self.isCoreRegister(address) {
      return UInt8(truncatingIfNeeded: readControl(address, bytes: 1))
    }
    return memory.read(address, bytes: 1).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Writes a byte, even to memory that programs cannot write, and discards instructions decoded from it.
  ///
  /// - Returns: `false` if nothing accepts writes at the address.
  package func writeByte(_ address: UInt32, _ value: UInt8) -> Bool {
    if Self.isCoreRegister(address) {
      writeControl(address, UInt32(value), bytes: 1)
      return true
    }
    guard let region = memory.region(at: address) else {
      return memory.write(address, UInt32(value), bytes: 1)
    }
    region.bytes.storeBytes(of: value, toByteOffset: Int(address &- region.base), as: UInt8.self)
    invalidate(address, count: 1)
    return true
  }
}

/// Code coverage.
extension ArmCore {
  /// Returns whether the instruction at an address has been executed.
  ///
  /// Executed means decoded, because instructions are decoded on first execution. With `recordsCoverage`, the result
  /// covers all executions since the core was created.
  package func hasRun(_ address: UInt32) -> Bool {
    if discardedAddresses.contains(address) { return true }
    guard let page = codePage(of: address) else { return false }
    return page[Int((address & (AddressSpace.pageSize - 1)) >> 1)].slots != 0
  }

  /// Records the addresses of all decoded instructions before they are discarded, if `recordsCoverage` is set.
  func recordDiscarded() {
    guard recordsCoverage else { return }
    for page in decodedPages.compactMap({ code[$0] }) {
      for slot in 0..<Int(AddressSpace.pageSize / 2) where page[slot].slots != 0 {
        discardedAddresses.insert(page[slot].address)
      }
    }
  }
}
