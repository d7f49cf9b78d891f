/// The registers at the beginning of a turn.
struct AvrLoopState {
  let registers: SIMD32<UInt8>
  let interrupts: Bool
  let stack: UInt16

  /// Whether another state has the same values in some registers.
  @inline(__always)
  func agrees(_ other: AvrLoopState, _ live: SIMD32<UInt8>) -> Bool {
    (registers ^ other.registers) & live == SIMD32() && interrupts == other.interrupts
      && stack == other.stack
  }
}

/// Loops whose turns differ only by a count that they read: they are passed over as a whole.
extension AvrCore {
  private static let mostPaths = 8
  /// How many beginnings of a turn are tried.
  private static let mostHeads = 3

  var loopState: AvrLoopState {
    AvrLoopState(
      registers: UnsafeRawPointer(state.pointee.data).loadUnaligned(as: SIMD32<UInt8>.self),
      interrupts: state.pointee.interrupts, stack: state.pointee.stack)
  }

  var ramBuffer: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: state.pointee.data + Int(model.ramStart), count: Int(model.ramCount))
  }

  /// Whether nothing but time can interfere with the next instructions.
  private var isUndisturbed: Bool {
    !isAsleep && requests == 0 && breakpoints.isEmpty && watches.isEmpty && haltedAt == nil
      && state.pointee.request == .none && !state.pointee.isPastTop && !hasPassedFloor
  }

  /// Passes over turns of a loop that has been learned, as many as end before a cycle and take the same way.
  ///
  /// One turn is run and looked at; after the turns that are passed over the last one is run again, so that registers and
  /// memory hold what they would hold.
  ///
  /// - Parameters:
  ///   - end: the cycle before which nothing happens.
  ///   - watch: what the peripherals say of what is read.
  /// - Returns: what came of it.
  package func skipTurns(before end: UInt64, _ watch: any CoreLoopWatch) -> CoreLoopSkip {
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

  /// Runs the instructions of a path from one position to another.
  ///
  /// - Returns: whether the program took that way; else it stands where it left it.
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

  /// Runs a turn, passes over those that are like it, and runs the last of them.
  private func pass(
    _ path: AvrLoopPath, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> CoreLoopSkip {
    let before = loopState
    var cells = SIMD8<UInt8>()
    guard path.cells.count <= 8 else { return .left }
    for (index, cell) in path.cells.enumerated() { cells[index] = state.pointee.data[Int(cell)] }
    watch.beginTurn()
    var (index, counted) = (0, UInt64.max)
    var count: CoreCount?
    for look in path.looks {
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
      // The last turn must have read the count before its next tick after those, and so ends so much later.
      let read = count.end(of: ticks)
      limit = min(limit, read > .max - path.cycles ? .max : read + (cycles - counted))
    }
    guard limit > cycles + path.cycles else { return .left }
    let turns = (limit - 1 - cycles) / path.cycles
    cycles += (turns - 1) * path.cycles
    instructions += (turns - 1) * UInt64(path.count)
    _ = follow(path, 0, path.count)
    return .passed(isCounting: count != nil)
  }
}

/// How a loop is learned.
extension AvrCore {
  /// Where a turn of a loop may begin: the target of a jump backwards.
  private struct Head {
    let pc, stack, distance: UInt16
    var visits = 1
  }

  /// Finds the loop that the program runs and learns one turn of it.
  ///
  /// - Parameters:
  ///   - steps: how many instructions are looked at to find the beginning of a turn.
  ///   - end: the cycle before which nothing happens.
  ///   - watch: what the peripherals say of what is read.
  /// - Returns: whether a turn was learned, and why the core stopped, if it did.
  package func learnTurn(
    within steps: Int, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> (isLearned: Bool, stop: AvrStop?) {
    guard isUndisturbed else { return (false, nil) }
    let (heads, stop) = findHeads(within: steps, before: end, watch)
    if let stop { return (false, stop) }
    for head in heads.prefix(Self.mostHeads) {
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
      if paths.count == Self.mostPaths { paths.removeLast() }
      paths.insert(path, at: 0)
      return (true, nil)
    }
    return (false, nil)
  }

  /// The targets of jumps backwards that come again, the outermost first.
  private func findHeads(
    within steps: Int, before end: UInt64, _ watch: any CoreLoopWatch
  ) -> (heads: [Head], stop: AvrStop?) {
    var heads: [Head] = []
    watch.beginTurn()
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
