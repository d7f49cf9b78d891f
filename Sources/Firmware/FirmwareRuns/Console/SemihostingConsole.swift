import Cores
import Machines

/// What a program on an ARM core asks of its debugger by BKPT 0xAB, done by its machine's run.
struct SemihostingConsole {
  private let machine: any Microcontroller
  private var semihosting: Semihosting

  /// Serves a machine; what the program writes goes to one place, whichever stream it is for.
  init(_ machine: any Microcontroller, write: @escaping ([UInt8]) -> Void) {
    self.machine = machine
    semihosting = Semihosting { _, bytes in write(bytes) }
  }

  /// Serves the request at which the core stands, and goes on behind it.
  mutating func serve() -> Semihosting.Answer {
    let core = machine.core
    let memory = SemihostingMemory(
      read: { core.readByte($0) }, write: { core.writeByte($0, $1) })
    let answer = semihosting.answer(
      UInt32(truncatingIfNeeded: core.readRegister(0)),
      UInt32(truncatingIfNeeded: core.readRegister(1)), memory: memory,
      nanoseconds: machine.clock.nanoseconds)
    switch answer {
    case .result(let value): core.writeRegister(0, UInt64(value))
    case .unknown: core.writeRegister(0, UInt64(UInt32.max))
    case .exit: break
    }
    core.programCounter = core.programCounter &+ 2
    return answer
  }
}
