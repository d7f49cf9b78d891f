/// Effects of a loop iteration that are not part of the register state.
struct AvrTrace {
  /// `true` if memory changed, a peripheral was written, or an interrupt was taken.
  var hasChanged = false
}

extension AvrCore {
  /// The register state between two instructions; `status` is SREG.
  private struct Registers: Equatable {
    let general: [UInt8]
    let status: UInt8
    let stack, pc: UInt16
    let requests: UInt64
    let holdsBack: Bool
  }

  private var current: Registers {
    Registers(
      general: Array(UnsafeBufferPointer(start: state.pointee.data, count: 32)), status: status,
      stack: stack, pc: pc, requests: requests, holdsBack: holdsBack)
  }

  /// Executes one iteration of a loop, until PC has its current value again, and checks that the state is unchanged.
  ///
  /// The state is unchanged if all registers have their old values and every store wrote the value that memory already
  /// contained. The loop then repeats until an interrupt occurs or a peripheral returns a different value.
  ///
  /// - Parameters:
  ///   - steps: the maximum number of instructions in the iteration.
  ///   - end: the cycle by which the iteration must have ended.
  /// - Returns: the loop, or `nil` if the program is not in a loop, and the stop reason if the core stopped.
  package func findLoop(within steps: Int, before end: UInt64) -> (loop: CoreLoop?, stop: AvrStop?)
  {
    guard !isAsleep, breakpoints.isEmpty else { return (nil, nil) }
    let before = current
    let start = (cycles: cycles, instructions: instructions)
    trace = AvrTrace()
    updateFastPath()
    defer {
      trace = nil
      updateFastPath()
    }
    for _ in 0..<steps {
      guard cycles < end else { return (nil, nil) }
      let stop = step()
      guard stop == .reached else { return (nil, stop) }
      guard !isAsleep, trace?.hasChanged == false else { return (nil, nil) }
      if pc == before.pc { break }
    }
    guard current == before else { return (nil, nil) }
    let loop = CoreLoop(
      cycles: cycles - start.cycles, instructions: instructions - start.instructions)
    return (loop.cycles > 0 ? loop : nil, nil)
  }

  /// Advances the cycle and instruction counts by as many iterations of the loop as fit before `end`.
  package func pass(_ loop: CoreLoop, before end: UInt64) {
    guard end > cycles else { return }
    let iterations = (end - 1 - cycles) / loop.cycles
    cycles += iterations * loop.cycles
    instructions += iterations * loop.instructions
  }
}

/// The registers at the start of a loop iteration.
struct AvrLoopState {
  let registers: SIMD32<UInt8>
  let interrupts: Bool
  let stack: UInt16

  /// Returns whether another state has the same I flag, the same stack pointer, and the same values in the registers
  /// selected by a mask.
  @inline(__always)
  func agrees(_ other: AvrLoopState, _ live: SIMD32<UInt8>) -> Bool {
    (registers ^ other.registers) & live == SIMD32() && interrupts == other.interrupts
      && stack == other.stack
  }
}

/// Skipping of loop iterations that differ only in a count that the program reads from a peripheral.
extension AvrCore {
  private static let maxPaths = 8
  /// The maximum number of possible loop starts that `learnLoop(within:before:_:)` tries.
  private static let maxHeads = 3

  var loopState: AvrLoopState {
    AvrLoopState(
      registers: UnsafeRawPointer(state.pointee.data).loadUnaligned(as: SIMD32<UInt8>.self),
      interrupts: state.pointee.interrupts, stack: state.pointee.stack)
  }

  var ramBuffer: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: state.pointee.data + Int(model.ramStart), count: Int(model.ramCount))
  }

  /// `true` if nothing but the passage of time can affect the next instructions.
  private var isUndisturbed: Bool {
    !isAsleep && requests == 0 && breakpoints.isEmpty && watches.isEmpty && haltedAt == nil
      && state.pointee.request == .none && !state.pointee.isPastTop && !hasPassedStackLimit
  }

  /// Skips iterations of a learned loop, as many as take the same path and end before a given cycle.
  ///
  /// The core executes one iteration and compares it with the learned path. It also executes the last of the iterations
  /// to skip, so registers and memory have the same values as in a full run.
  ///
  /// - Parameters:
  ///   - end: the cycle of the next event.
  ///   - watch: the peripherals' information about the values that the loop reads.
  /// - Returns: `passed` if iterations were skipped, and otherwise the reason why not.
  package func skipIterations(before end: UInt64, _ watch: any CoreLoopWatch) -> CoreLoopSkip {
    guard isUndisturbed, !paths.isEmpty else { return .unknown }
    let here = UnsafePointer(state.pointee.ops + Int(pc))
    for path in paths {
      guard let index = path.index(of: here) else { continue }
      guard cycles &+ 2 &* path.cycles < end else { return .left }
      if index > 0, !follow(path, index, path.count) { return .left }
      for other in paths where other.head == path.head && other.stack == stack {
        return pass(other, before: end, watch)
      }
      return .unknown
    }
    return .unknown
  }

  /// Executes the instructions of a path from one position to another.
  ///
  /// - Returns: `false` if the program left the path; PC is then at the first instruction off the path.
  private func follow(_ path: AvrLoopPath, _ from: Int, _ to: Int) -> Bool {
    let cpu = state
    let raw = UnsafeMutableRawPointer(cpu)
    let overhead = cpu.pointee.overhead
    var index = from
    var (isOnPath, holds) = (true, false)
    cpu.pointee.limit = .max
    path.ops.withUnsafeBufferPointer { ops in
      var op = ops[from]
      while index < to {
        cpu.pointee.cycles &+= UInt64(op.pointee.cycles)
        op = op.pointee.run(raw, UnsafeRawPointer(op)).assumingMemoryBound(to: AvrOp.self)
        index += 1
        holds = cpu.pointee.request == .enabled
        if holds { cpu.pointee.request = .none }
        isOnPath =
          op == ops[index] && cpu.pointee.request == .none && !cpu.pointee.isPastTop
        guard isOnPath else { break }
      }
      cpu.pointee.pc =
        UInt16(truncatingIfNeeded: op - UnsafePointer(cpu.pointee.ops)) & cpu.pointee.wordMask
    }
    holdsBack = holds
    instructions &+= UInt64(index - from) &- (cpu.pointee.overhead &- overhead)
    return isOnPath
  }

  /// Executes one iteration, skips the iterations that repeat it except the last, and executes that last one.
  private func pass(
    _ path: AvrLoopPath, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> CoreLoopSkip {
    let before = loopState
    var cells = SIMD8<UInt8>()
    guard path.cells.count <= 8 else { return .left }
    for (index, cell) in path.cells.enumerated() { cells[index] = state.pointee.data[Int(cell)] }
    watch.beginIteration()
    var (index, counted) = (0, UInt64.max)
    var count: CoreCount?
    for look in path.checks {
      if look.index > index {
        guard follow(path, index, look.index) else { return .left }
        index = look.index
      }
      switch look.kind {
      case .capture(let number): captured[number] = state.pointee.data[look.register]
      case .pair(let value): guard self[pair: look.register] == value else { return .left }
      case .byte(let value): guard self[register: look.register] == value else { return .left }
      case .count:
        guard let read = watch.takeCount() else { return .left }
        (count, counted) = (read, cycles)
      }
    }
    guard follow(path, index, path.count), requests == 0,
      before.agrees(loopState, path.live)
    else { return .left }
    for (index, cell) in path.cells.enumerated() where cells[index] != state.pointee.data[Int(cell)]
    {
      return .left
    }
    var limit = min(end, watch.stableUntil, watch.nextEvent)
    if let count {
      var ticks = count.ticksLeft
      for condition in path.conditions { ticks = min(ticks, condition.ticks(captured)) }
      // In the last iteration only the read of the count must precede the next tick. The end may follow the tick, by the
      // time from the read to the end.
      let read = count.end(of: ticks)
      limit = min(limit, read > .max - path.cycles ? .max : read + (cycles - counted))
    }
    guard limit > cycles + path.cycles else { return .left }
    let iterations = (limit - 1 - cycles) / path.cycles
    cycles += (iterations - 1) * path.cycles
    instructions += (iterations - 1) * UInt64(path.count)
    _ = follow(path, 0, path.count)
    return .passed(isCounting: count != nil)
  }
}

/// Loop detection.
extension AvrCore {
  /// The target of a backward jump, which may be the start of a loop iteration.
  private struct Head {
    let pc, stack, distance: UInt16
    var visits = 1
  }

  /// Finds the loop that the program is executing and analyses one iteration.
  ///
  /// - Parameters:
  ///   - steps: the number of instructions to execute in search of the start of a loop.
  ///   - end: the cycle of the next event.
  ///   - watch: the peripherals' information about the values that the loop reads.
  /// - Returns: `true` if a loop was learned, and the stop reason if the core stopped.
  package func learnLoop(
    within steps: Int, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> (isLearned: Bool, stop: AvrStop?) {
    guard isUndisturbed else { return (false, nil) }
    let (heads, stop) = findHeads(within: steps, before: end, watch)
    if let stop { return (false, stop) }
    for head in heads.prefix(Self.maxHeads) {
      var rest = steps
      while pc != head.pc || stack != head.stack {
        guard rest > 0, cycles < min(end, watch.nextEvent) else { return (false, nil) }
        rest -= 1
        let stop = step()
        guard stop == .reached, !isAsleep else { return (false, stop == .reached ? nil : stop) }
      }
      let (path, stop) = AvrLoopAnalysis.run(self, watch, before: end)
      if let stop { return (false, stop) }
      guard let path else { continue }
      paths.removeAll { $0.head == path.head && $0.stack == path.stack }
      if paths.count == Self.maxPaths { paths.removeLast() }
      paths.insert(path, at: 0)
      return (true, nil)
    }
    return (false, nil)
  }

  /// Executes instructions and returns the targets of backward jumps that were reached more than once, the outermost
  /// loop first.
  private func findHeads(
    within steps: Int, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> (heads: [Head], stop: AvrStop?) {
    var heads: [Head] = []
    watch.beginIteration()
    for _ in 0..<steps {
      guard cycles < min(end, watch.nextEvent) else { return ([], nil) }
      let (before, word) = (pc, flashWord(Int(pc)))
      let stop = step()
      guard stop == .reached, !isAsleep else { return ([], stop == .reached ? nil : stop) }
      let isJump = word >> 12 == 12 || word >> 11 == 0x1E || word & 0xFE0E == 0x940C
      guard isJump, pc <= before else { continue }
      if let index = heads.firstIndex(where: { $0.pc == pc && $0.stack == stack }) {
        heads[index].visits += 1
      } else {
        heads.append(Head(pc: pc, stack: stack, distance: before - pc))
      }
    }
    heads = heads.filter { $0.visits > 1 }
    heads.sort { ($0.stack, $0.distance) > ($1.stack, $1.distance) }
    return (heads, nil)
  }
}
