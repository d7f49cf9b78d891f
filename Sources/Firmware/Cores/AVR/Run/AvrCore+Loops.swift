/// What a turn of a loop did that the registers do not show.
struct AvrTrace {
  /// It changed memory, wrote to a peripheral, or an interrupt was taken.
  var hasChanged = false
}

extension AvrCore {
  /// The registers between two instructions, flags as they are read.
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

  /// Runs instructions until the core stands where it stands now, and looks whether it is in the same state then.
  ///
  /// The same state means that all registers are as they were and that every store wrote what was there. As long as
  /// nothing from outside interferes and what the peripherals gave stays the same, the turn goes on for ever like this.
  ///
  /// - Parameters:
  ///   - steps: how many instructions a turn may have.
  ///   - end: the cycle before which it must be over.
  /// - Returns: the turn, `nil` where it is none; and why the core stopped, if it did.
  package func turn(within steps: Int, before end: UInt64) -> (loop: CoreLoop?, stop: AvrStop?) {
    guard !isAsleep, breakpoints.isEmpty else { return (nil, nil) }
    let before = current
    let start = (cycles: cycles, instructions: instructions)
    trace = AvrTrace()
    refreshViews()
    defer {
      trace = nil
      refreshViews()
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

  /// Lets as many turns of a loop have happened as end before a cycle.
  package func pass(_ loop: CoreLoop, before end: UInt64) {
    guard end > cycles else { return }
    let turns = (end - 1 - cycles) / loop.cycles
    cycles += turns * loop.cycles
    instructions += turns * loop.instructions
  }
}
