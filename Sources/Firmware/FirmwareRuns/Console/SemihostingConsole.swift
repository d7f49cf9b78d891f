import Cores
import Machines

/// What a program on an ARM core asks of its debugger by BKPT 0xAB, done by its machine's run.
struct SemihostingConsole {
  private let machine: any Microcontroller
  private var semihosting: Semihosting
  /// What the program writes comes out here, whichever stream it is for.
  let port: SerialPort

  /// Serves a machine.
  init(_ machine: any Microcontroller) {
    self.machine = machine
    let port = SerialPort("semihosting")
    self.port = port
    semihosting = Semihosting { _, bytes in
      let now = machine.clock.nanoseconds
      for byte in bytes { port.output(byte, now) }
    }
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
