/// What a turn of a loop did that the state of the core does not show.
struct ArmTrace {
  /// It changed memory, or wrote to a device.
  var hasChanged = false
  /// It used a register of the core itself, some of which count cycles.
  var hasUsedOwn = false
}

extension ArmCore {
  /// Runs instructions until the core stands where it stands now, and looks whether it is in the same state then.
  ///
  /// The same state means that all registers are as they were and that every store wrote what was there. As long as
  /// nothing from outside interferes and what the devices gave stays the same, the turn goes on for ever like this.
  ///
  /// - Parameters:
  ///   - steps: how many instructions a turn may have.
  ///   - end: the cycle before which it must be over.
  /// - Returns: the turn, `nil` where it is none; and why the core stopped, if it did.
  package func turn(within steps: Int, before end: UInt64) -> (loop: CoreLoop?, stop: ArmStop?) {
    guard !isAsleep, lockedBy == nil, breakpoints.isEmpty else {
      return (nil, nil)
    }
    let size = MemoryLayout<ArmState>.size
    let before = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { before.deallocate() }
    before.copyMemory(from: state, byteCount: size)
    let place = state.pointee.pc
    let start = (cycles: cycles, instructions: instructions)
    trace = ArmTrace()
    hideViews()
    defer { trace = nil }
    for _ in 0..<steps {
      guard cycles < min(end, ownEvent ?? .max) else { return (nil, nil) }
      let stop = step()
      guard stop == .reached else { return (nil, stop) }
      guard !isAsleep, let seen = trace, !seen.hasChanged, !seen.hasUsedOwn else {
        return (nil, nil)
      }
      if state.pointee.pc == place { break }
    }
    guard isState(as: before) else { return (nil, nil) }
    let loop = CoreLoop(
      cycles: cycles - start.cycles, instructions: instructions - start.instructions)
    return (loop.cycles > 0 ? loop : nil, nil)
  }

  /// Lets as many turns of a loop have happened as end before a cycle.
  package func pass(_ loop: CoreLoop, before end: UInt64) {
    let limit = min(end, ownEvent ?? .max)
    guard limit > cycles else { return }
    let turns = (limit - 1 - cycles) / loop.cycles
    cycles += turns * loop.cycles
    instructions += turns * loop.instructions
  }

  /// Whether a store changes anything: it goes to a device, or to memory that holds something else.
  func changes(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool {
    guard address < AddressSpace.plainLimit,
      memory.writable[Int(address >> AddressSpace.pageBits)] != nil
    else { return true }
    let mask: UInt32 = bytes == 4 ? .max : 1 << (bytes * 8) - 1
    return memory.read(address, bytes: bytes) != value & mask
  }

  /// Whether the core's own timer, SysTick, asks for its exception some time.
  package var hasTimer: Bool { ownEvent != nil }

  /// Whether it sleeps with its interrupts off, and neither an interrupt that is enabled nor its own timer can wake it.
  ///
  /// WFE may still be woken by an event that a device sends.
  package var sleepsMasked: Bool {
    let isMasked = state.pointee.primask != 0 || state.pointee.faultmask != 0
    guard isAsleep, isMasked, !hasTimer, !interrupts.isAnyInterruptEnabled else { return false }
    return !waitsForEvent || !control.wakesOnPending
  }

  /// The cycle at which the core's own timer is due.
  private var ownEvent: UInt64? { tick.deadline }

  /// Whether the state is what it was, but for the time.
  private func isState(as before: UnsafeRawPointer) -> Bool {
    let size = MemoryLayout<ArmState>.size
    let now = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { now.deallocate() }
    now.copyMemory(from: state, byteCount: size)
    for field in [\ArmState.cycles, \ArmState.limit, \ArmState.overhead] {
      guard let offset = MemoryLayout<ArmState>.offset(of: field) else { return false }
      let then = before.load(fromByteOffset: offset, as: UInt64.self)
      now.storeBytes(of: then, toByteOffset: offset, as: UInt64.self)
    }
    for offset in stride(from: 0, to: size & ~7, by: 8) {
      guard
        before.load(fromByteOffset: offset, as: UInt64.self)
          == now.load(fromByteOffset: offset, as: UInt64.self)
      else { return false }
    }
    for offset in size & ~7..<size {
      guard
        before.load(fromByteOffset: offset, as: UInt8.self)
          == now.load(fromByteOffset: offset, as: UInt8.self)
      else { return false }
    }
    return true
  }
}
