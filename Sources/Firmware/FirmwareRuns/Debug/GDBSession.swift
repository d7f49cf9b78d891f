import Images
import Machines
import Text

/// A run that a debugger steers over GDB's remote serial protocol; time stands while the program is stopped.
final class GDBSession {
  let run: FirmwareRun
  let listener: GDBListener
  let registers: GDBRegisters
  private var reader = GDBPacketReader()
  private var waiting: [GDBPacketReader.Item] = []
  private var acknowledges = true
  /// How the run has ended, once it has.
  private var ending: FirmwareEnding?
  /// The debugger has let go: the program goes on by itself.
  var isDetached = false
  /// The last stop, as it is told.
  var lastStop = "S05"

  var machine: any Microcontroller { run.machine }

  init(_ run: FirmwareRun, _ listener: GDBListener) {
    self.run = run
    self.listener = listener
    registers = GDBRegisters(run.machine.core)
  }

  /// Waits for a debugger and does what it wants.
  func perform() -> FirmwareEnding {
    let hint =
      run.bench.image.form == .elf
      ? "gdb-multiarch \(run.bench.image.path) -ex 'target remote :\(listener.port)'"
      : "target remote :\(listener.port)"
    run.notice(
      "GDB is heard on port \(listener.port): \(hint)", at: run.machine.clock.nanoseconds)
    while ending == nil {
      if run.options.isInterrupted() { return run.end(.interrupted) }
      if !listener.isConnected {
        acknowledges = true
        waiting = []
        reader = GDBPacketReader()
        _ = listener.accept(within: 100)
        continue
      }
      guard let item = next(within: 100) else { continue }
      take(item)
      if isDetached { return run.free() }
    }
    return ending ?? run.end(.interrupted)
  }

  /// The next packet or interrupt.
  private func next(within milliseconds: Int32) -> GDBPacketReader.Item? {
    if waiting.isEmpty {
      for byte in listener.read(within: milliseconds) ?? [] {
        if let item = reader.take(byte) { waiting.append(item) }
      }
    }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  private func take(_ item: GDBPacketReader.Item) {
    switch item {
    case .interrupt: reply(lastStop)
    case .damaged: if acknowledges { listener.write([UInt8(ascii: "-")]) }
    case .packet(let content):
      if acknowledges { listener.write([UInt8(ascii: "+")]) }
      let text = String(decoding: content, as: UTF8.self)
      if text == "QStartNoAckMode" {
        reply("OK")
        acknowledges = false
      } else if let answer = answer(text) {
        reply(answer)
      }
    }
  }

  /// Sends a packet.
  func reply(_ content: String) { listener.write(GDBPacketReader.framed(content)) }

  /// Ends the run; the debugger is told how where it wants to know.
  func finish(_ ending: FirmwareEnding, isTold: Bool) {
    self.ending = ending
    if isTold {
      reply("W" + Hexadecimal.digits(UInt8(truncatingIfNeeded: ending.status)))
    }
  }

  /// Lets the program go on until something stops it, and tells what.
  func goOn() {
    var pace = Pace(isFixed: false)
    while true {
      if run.options.isInterrupted() || !listener.isConnected { return }
      if let item = next(within: 0) {
        if item == .interrupt { return tell("S02") }
        // Whatever else comes while the program runs waits until it has stopped.
        waiting.insert(item, at: 0)
      }
      let target = min(run.limit, machine.clock.nanoseconds &+ pace.length)
      if settle(machine.run(until: target)) { return }
      pace.adapt()
    }
  }

  /// Runs one instruction, and tells where the program is.
  func stepOn() {
    if !settle(machine.step()) { tell("S05") }
  }

  private func tell(_ stop: String) {
    lastStop = stop
    reply(stop)
  }

  /// Does what a stop asks for; whether the debugger has been told of one.
  private func settle(_ stop: MachineStop) -> Bool {
    switch stop {
    case .breakpoint:
      run.console.exchange()
      tell("S05")
      return true
    case .watchpoint(let address, let isStore):
      run.console.exchange()
      tell("T05\(isStore ? "watch" : "rwatch"):\(String(address, radix: 16));")
      return true
    case .breakInstruction(let number) where number != 0xAB:
      run.console.exchange()
      tell("S05")
      return true
    default: break
    }
    guard let ending = run.settle(stop) else { return false }
    if case .failure(let messages) = ending.cause {
      // The program is left as it is, so that its user can look why.
      messages.forEach { run.notice($0, at: ending.time) }
      tell("S0b")
    } else {
      finish(ending, isTold: true)
    }
    return true
  }
}
