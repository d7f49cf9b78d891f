/// What a debugger sets: addresses at which the core stops, and accesses behind which it does.
extension AvrCore {
  /// Stops the core before an instruction, with ``AvrStop/halted``.
  ///
  /// The next run, or a single step, goes on with that instruction. Nothing in the flash changes.
  ///
  /// - Parameter address: in bytes.
  package func addBreakpoint(at address: UInt32) {
    let word = UInt16(truncatingIfNeeded: address / 2) & state.pointee.wordMask
    if breakpoints.insert(word).inserted { forgetSlot(Int(word)) }
  }

  /// Takes a breakpoint away.
  package func removeBreakpoint(at address: UInt32) {
    let word = UInt16(truncatingIfNeeded: address / 2) & state.pointee.wordMask
    if breakpoints.remove(word) != nil { forgetSlot(Int(word)) }
  }

  /// Stops the core behind an instruction that loads or stores in a range of the data space, with
  /// ``AvrStop/watched(_:)``.
  package func addWatch(_ watch: MemoryWatch) {
    if !watches.contains(watch) { watches.append(watch) }
    refreshViews()
  }

  /// Takes a watchpoint away.
  package func removeWatch(_ watch: MemoryWatch) {
    watches.removeAll { $0 == watch }
    refreshViews()
  }

  /// RAM is reached without a call only where nobody wants to see it.
  func refreshViews() {
    state.pointee.ramCount = watches.isEmpty && trace == nil ? model.ramCount : 0
  }

  /// Makes a decoded instruction stop the core.
  func arm(_ slot: UnsafeMutablePointer<AvrOp>) {
    slot.pointee.run = Self.halting
    slot.pointee.cycles = 0
  }

  private static let halting: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.overhead &+= 1
    return step.ask(.halt)
  }

  /// Runs the instruction at which a breakpoint has stopped the core.
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

  /// Notes an access that a debugger waits for.
  func noteAccess(_ address: UInt16, isStore: Bool) {
    guard watchHit == nil,
      let watch = watches.first(where: { $0.matches(UInt32(address), 1, isStore: isStore) })
    else { return }
    watchHit = MemoryWatchHit(address: UInt32(address), isStore: isStore, watch: watch)
    state.pointee.limit = 0
  }
}
