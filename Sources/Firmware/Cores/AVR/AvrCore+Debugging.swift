/// Breakpoints and watchpoints.
extension AvrCore {
  /// Adds a breakpoint; the core stops before it executes the instruction, and the stop reason is `AvrStop/halted`.
  ///
  /// The next run or single step continues with that instruction. The flash is unchanged.
  ///
  /// - Parameter address: the address in bytes.
  package func addBreakpoint(at address: UInt32) {
    let word = UInt16(truncatingIfNeeded: address / 2) & state.pointee.wordMask
    if breakpoints.insert(word).inserted { discardSlot(Int(word)) }
  }

  /// Removes a breakpoint.
  package func removeBreakpoint(at address: UInt32) {
    let word = UInt16(truncatingIfNeeded: address / 2) & state.pointee.wordMask
    if breakpoints.remove(word) != nil { discardSlot(Int(word)) }
  }

  /// Adds a watchpoint; the core stops after an access to its range of the data space, and the stop reason is
  /// ``AvrStop/watched(_:)``.
  package func addWatch(_ watch: MemoryWatch) {
    if !watches.contains(watch) { watches.append(watch) }
    updateFastPath()
  }

  /// Removes a watchpoint.
  package func removeWatch(_ watch: MemoryWatch) {
    watches.removeAll { $0 == watch }
    updateFastPath()
  }

  /// Enables the fast path of RAM accesses, unless watchpoints or a loop analysis must check each access.
  func updateFastPath() {
    state.pointee.ramCount = watches.isEmpty && trace == nil ? model.ramCount : 0
  }

  /// Replaces the handler of a decoded instruction with one that stops the core.
  func arm(_ slot: UnsafeMutablePointer<AvrOp>) {
    slot.pointee.run = Self.halting
    slot.pointee.cycles = 0
  }

  private static let halting: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.ask(.halt)
  }

  /// Executes the instruction at the breakpoint that stopped the core.
  func passHalt() {
    let word = state.pointee.pc
    breakpoints.remove(word)
    _ = decode(word)
    state.pointee.limit = cycles + 1
    holdsBack = false
    loop()
    breakpoints.insert(word)
    arm(decoded(word))
  }

  /// Records an access that hits a watchpoint, and ends the run after the current instruction.
  func noteAccess(_ address: UInt16, isStore: Bool) {
    guard watchHit == nil,
      let watch = watches.first(where: { $0.matches(UInt32(address), 1, isStore: isStore) })
    else { return }
    watchHit = MemoryWatchHit(address: UInt32(address), isStore: isStore, watch: watch)
    state.pointee.limit = 0
  }
}

/// Code coverage.
extension AvrCore {
  /// Returns whether the instruction at a byte address has been executed.
  ///
  /// Executed means decoded, because instructions are decoded on first execution. With `recordsCoverage`, the result
  /// covers all executions since the core was created.
  package func hasRun(_ address: UInt32) -> Bool {
    let word = Int(address / 2)
    guard word < model.flashWords else { return false }
    return discardedWords.contains(word) || state.pointee.ops[word].slots != 0
  }

  /// Discards the decoded instruction of a flash word; if `recordsCoverage` is set, records that it was executed.
  func discardSlot(_ word: Int) {
    if recordsCoverage, state.pointee.ops[word].slots != 0 { discardedWords.insert(word) }
    Self.blank(state.pointee.ops + word)
  }
}
