/// Effects of a loop iteration that are not part of the core's register state.
struct ArmTrace {
  /// `true` if a store changed memory or wrote to a device.
  var hasChanged = false
  /// `true` if an instruction accessed a core register; some core registers count cycles.
  var hasUsedCoreRegister = false
}

extension ArmCore {
  /// Executes one iteration of a loop, until PC has its current value again, and checks that the state is unchanged.
  ///
  /// The state is unchanged if all registers have their old values and every store wrote the value that memory already
  /// contained. The loop then repeats until an interrupt occurs or a device returns a different value.
  ///
  /// - Parameters:
  ///   - steps: the maximum number of instructions in the iteration.
  ///   - end: the cycle by which the iteration must have ended.
  /// - Returns: the loop, or `nil` if the program is not in a loop, and the stop reason if the core stopped.
  package func findLoop(within steps: Int, before end: UInt64) -> (loop: CoreLoop?, stop: ArmStop?)
  {
    guard !isAsleep, lockedBy == nil, breakpoints.isEmpty else {
      return (nil, nil)
    }
    let size = MemoryLayout<ArmState>.size
    let before = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { before.deallocate() }
    before.copyMemory(from: state, byteCount: size)
    let head = state.pointee.pc
    let start = (cycles: cycles, instructions: instructions)
    trace = ArmTrace()
    disableFastPath()
    defer { trace = nil }
    for _ in 0..<steps {
      guard cycles < min(end, nextSysTick ?? .max) else { return (nil, nil) }
      let stop = step()
      guard stop == .reached else { return (nil, stop) }
      guard !isAsleep, let seen = trace, !seen.hasChanged, !seen.hasUsedCoreRegister else {
        return (nil, nil)
      }
      if state.pointee.pc == head { break }
    }
    guard isState(as: before) else { return (nil, nil) }
    let loop = CoreLoop(
      cycles: cycles - start.cycles, instructions: instructions - start.instructions)
    return (loop.cycles > 0 ? loop : nil, nil)
  }

  /// Advances the cycle and instruction counts by as many iterations of the loop as fit before `end`.
  package func pass(_ loop: CoreLoop, before end: UInt64) {
    let limit = min(end, nextSysTick ?? .max)
    guard limit > cycles else { return }
    let iterations = (limit - 1 - cycles) / loop.cycles
    cycles += iterations * loop.cycles
    instructions += iterations * loop.instructions
  }

  /// Returns whether a store has an effect, because it writes to a device or changes the value in memory.
  func changes(_ address: UInt32, _ value: UInt32, _ bytes: UInt32) -> Bool {
    guard address < AddressSpace.plainLimit,
      memory.writable[Int(address >> AddressSpace.pageBits)] != nil
    else { return true }
    let mask: UInt32 = bytes == 4 ? .max : 1 << (bytes * 8) - 1
    return memory.read(address, bytes: bytes) != value & mask
  }

  /// `true` while SysTick is counting.
  package var hasTimer: Bool { nextSysTick != nil }

  /// `true` if the core sleeps with interrupts masked, and neither an enabled interrupt nor SysTick can wake it.
  ///
  /// An event from a device may still wake WFE.
  package var sleepsMasked: Bool {
    let isMasked = state.pointee.primask != 0 || state.pointee.faultmask != 0
    guard isAsleep, isMasked, !hasTimer, !interrupts.isAnyInterruptEnabled else { return false }
    return !waitsForEvent || !control.wakesOnPending
  }

  /// The cycle at which SysTick next reaches 0; `nil` while it is stopped.
  private var nextSysTick: UInt64? { tick.deadline }

  /// Returns whether the core's state equals `before`, apart from the cycle counts.
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
