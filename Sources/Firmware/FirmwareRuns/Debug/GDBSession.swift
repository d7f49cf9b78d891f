import Bench
import Cores
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
  /// What the debugger watches.
  var watched: Set<Watchpoints.Stretch> = []
  /// When the program was stopped, by the wall clock.
  private var stoppedAt: UInt64 = 0
  /// The kernel of the program's RTOS, if it has one that is known.
  let kernel: FreeRTOSKernel?
  /// The thread whose registers the debugger reads; `nil` for the one that the core executes.
  var selectedThread: UInt32?
  /// The last stop, as it is told.
  var lastStop = "S05"

  var machine: any Microcontroller { run.machine }

  init(_ run: FirmwareRun, _ listener: GDBListener) {
    self.run = run
    self.listener = listener
    let machine = run.machine
    registers = GDBRegisters(machine.core, family: run.bench.profile.avrFamily)
    kernel =
      machine.core.architecture == .arm
      ? FreeRTOSKernel(run.bench.image.symbols) { address in
        machine.memory(at: address).map {
          $0.bytes.load(fromByteOffset: Int(address &- $0.base), as: UInt8.self)
        }
      } : nil
  }

  /// Waits for a debugger and does what it wants.
  func perform() -> FirmwareEnding {
    let image = run.bench.image
    // Debian's gdb-multiarch knows no AVR; its gdb-avr does.
    let program = machine.core.architecture == .avr ? "avr-gdb" : "gdb-multiarch"
    let hint =
      image.form == .elf
      ? ShellCommand.text([program, image.path, "-ex", "target remote :\(listener.port)"])
      : "target remote :\(listener.port)"
    run.notice(
      "GDB is heard on port \(listener.port): \(hint)", at: run.machine.clock.nanoseconds)
    stoppedAt = run.wall.nanoseconds
    while ending == nil {
      if run.options.isInterrupted() { return run.interrupted }
      guard listener.isConnected || connect(within: 100) else { continue }
      if let item = next(within: 100) { take(item) }
      if isDetached { runDetached() }
    }
    return ending ?? run.interrupted
  }

  /// Takes a debugger that wants to be heard; what another one has left behind is gone.
  private func connect(within milliseconds: Int32) -> Bool {
    guard listener.accept(within: milliseconds) else { return false }
    (acknowledges, waiting, reader) = (true, [], GDBPacketReader())
    for address in machine.breakpoints.addresses { machine.breakpoints.remove(address) }
    for stretch in watched { machine.watchpoints?.remove(stretch) }
    watched = []
    selectedThread = nil
    return true
  }

  /// Lets the program go on by itself, until it ends or another debugger comes.
  private func runDetached() {
    isDetached = false
    listener.hangUp()
    begin()
    defer { stoppedAt = run.wall.nanoseconds }
    var pace = Pace(isReal: run.options.isReal)
    while ending == nil {
      if run.options.isInterrupted() { return }
      if connect(within: 0) {
        lastStop = "S05"
        return
      }
      let target = run.target(pace)
      ending = run.settle(machine.run(until: target))
      run.follow()
      pace.adapt()
    }
  }

  /// The program goes on: for as long as it was stopped the wall clock has stood.
  private func begin() { run.stopped &+= run.wall.nanoseconds &- stoppedAt }

  /// The next packet or interrupt.
  private func next(within milliseconds: Int32) -> GDBPacketReader.Item? {
    if waiting.isEmpty { receive(within: milliseconds) }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  private func receive(within milliseconds: Int32) {
    for byte in listener.read(within: milliseconds) ?? [] {
      if let item = reader.take(byte) { waiting.append(item) }
    }
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
      } else if let answer = binary(content) ?? answer(text) {
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
    begin()
    defer { stoppedAt = run.wall.nanoseconds }
    var pace = Pace(isReal: run.options.isReal)
    while true {
      if run.options.isInterrupted() || !listener.isConnected { return }
      receive(within: 0)
      // Whatever else comes while the program runs waits until it has stopped.
      if let place = waiting.firstIndex(of: .interrupt) {
        waiting.remove(at: place)
        return tell("S02")
      }
      let target = run.target(pace)
      if settle(machine.run(until: target)) { return }
      run.follow()
      pace.adapt()
    }
  }

  /// Runs one instruction, and tells where the program is.
  func stepOn() {
    if !settle(machine.step()) { tell("S05") }
  }

  /// Whether an access is one that the debugger waits for.
  private func watches(_ address: UInt32, _ isStore: Bool) -> Bool {
    watched.contains { $0.matches(address, 4, isStore: isStore) }
  }

  private func tell(_ stop: String) {
    lastStop = withThread(stop)
    reply(lastStop)
  }

  /// Does what a stop asks for; whether the debugger has been told of one.
  private func settle(_ stop: MachineStop) -> Bool {
    switch stop {
    case .breakpoint:
      run.console.exchange()
      tell("S05")
      return true
    case .watchpoint(let address, let isStore) where watches(address, isStore):
      _ = run.settle(stop)
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
