import Bench
import Cores
import Images
package import Machines
import Rigs
package import Support

/// A run that a debugger controls over GDB's remote serial protocol.
///
/// Virtual time stops while the program is halted.
package final class GDBSession {
  package let run: FirmwareRun
  let listener: GDBListener
  let registers: GDBRegisters
  private var reader = GDBPacketReader()
  private var waiting: [GDBPacketReader.Item] = []
  private var acknowledges = true
  /// The result of the run; `nil` until the run has ended.
  private var ending: FirmwareEnding?
  /// `true` if the debugger has detached, so the program runs freely.
  var isDetached = false
  /// The address ranges that the debugger watches.
  var watched: Set<Watchpoints.Range> = []
  /// The wall-clock time at which the program was halted.
  private var stoppedAt: UInt64 = 0
  /// The FreeRTOS kernel of the program, if it has one.
  package private(set) var kernel: FreeRTOSKernel?
  /// The past of the run; `nil` if a second run would not repeat it.
  private(set) var history: ExecutionHistory?
  /// The thread selected for register packets; `nil` for the running thread.
  var selectedThread: UInt32?
  /// The last stop reply sent, which `?` repeats.
  package var lastStop = "S05"

  package var machine: any Microcontroller { run.machine }

  package init(_ run: FirmwareRun, _ listener: GDBListener) {
    self.run = run
    self.listener = listener
    let machine = run.machine
    registers = GDBRegisters(machine.core, family: run.bench.profile.avrFamily)
    if machine.core.architecture == .arm {
      kernel = FreeRTOSKernel(run.bench.image.symbols) { [unowned self] address in
        machine.memory(at: address) == nil ? nil : byte(at: address)
      }
    }
    if run.repeats {
      history = ExecutionHistory(of: run) { [unowned self] in isInterrupted() }
    }
  }

  /// Returns whether the debugger or a signal interrupts a movement in the past.
  private func isInterrupted() -> Bool {
    receive(within: 0)
    return waiting.contains(.interrupt) || run.options.isInterrupted()
  }

  /// Waits for a debugger and serves its requests.
  func perform() -> FirmwareEnding {
    let image = run.bench.image
    // Debian's gdb-multiarch does not support AVR; its gdb-avr does.
    let program = machine.core.architecture == .avr ? "avr-gdb" : "gdb-multiarch"
    let hint =
      image.form == .elf
      ? ShellCommand.text([program, image.path, "-ex", "target remote :\(listener.port)"])
      : "target remote :\(listener.port)"
    run.notice(
      "waiting for GDB on port \(listener.port): \(hint)", at: run.machine.clock.nanoseconds)
    stoppedAt = run.wall.nanoseconds
    while ending == nil {
      if run.options.isInterrupted() { return run.interrupted }
      guard listener.isConnected || connect(within: 100) else { continue }
      if let item = next(within: 100) { take(item) }
      if isDetached { runDetached() }
    }
    return ending ?? run.interrupted
  }

  /// Accepts a debugger and clears the state that a previous debugger has left.
  private func connect(within milliseconds: Int32) -> Bool {
    guard listener.accept(within: milliseconds) else { return false }
    (acknowledges, waiting, reader) = (true, [], GDBPacketReader())
    history?.returnToPresent()
    for address in machine.breakpoints.addresses { machine.breakpoints.remove(address) }
    for range in watched { machine.watchpoints?.remove(range) }
    watched = []
    selectedThread = nil
    return true
  }

  /// Runs freely until the program ends or a debugger connects.
  private func runDetached() {
    isDetached = false
    history?.returnToPresent()
    listener.disconnect()
    begin()
    defer { stoppedAt = run.wall.nanoseconds }
    var slice = SliceLength(isReal: run.options.isReal)
    while ending == nil {
      if run.options.isInterrupted() { return }
      if connect(within: 0) {
        lastStop = "S05"
        return
      }
      let target = run.target(slice)
      ending = run.handle(machine.run(until: target))
      run.waitForWallClock()
      slice.adapt()
    }
  }

  /// Resumes the program, and excludes the time it was halted from the run's wall-clock time.
  private func begin() { run.stopped &+= run.wall.nanoseconds &- stoppedAt }

  /// Returns the next packet or interrupt from the debugger; `nil` if none has arrived before the timeout.
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
      } else if let response = binary(content) ?? response(text) {
        reply(response)
      }
    }
  }

  /// Sends a packet to the debugger.
  func reply(_ content: String) { listener.write(GDBPacketReader.framed(content)) }

  /// Ends the run, and reports the exit to the debugger if it expects a stop reply.
  func finish(_ ending: FirmwareEnding, isReported: Bool) {
    self.ending = ending
    if isReported {
      reply("W" + Hexadecimal.digits(UInt8(truncatingIfNeeded: ending.status)))
    }
  }

  /// Changes the program as the debugger demands; the change is repeated when the program is executed backwards.
  ///
  /// - Parameter change: changes a run; returns `false` if that is not possible.
  /// - Returns: `false` if nothing was changed, because the change is not possible or the program is in its past.
  func intervene(_ change: @escaping (FirmwareRun) -> Bool) -> Bool {
    history.map { $0.intervene(change) } ?? change(run)
  }

  /// Runs the program until it stops, and reports the stop.
  func resume() {
    if let history, history.isPast {
      return report(history.goForward(to: machine.breakpoints.addresses, watched))
    }
    begin()
    defer { stoppedAt = run.wall.nanoseconds }
    var slice = SliceLength(isReal: run.options.isReal)
    while true {
      if run.options.isInterrupted() || !listener.isConnected { return }
      receive(within: 0)
      // Other items received while the program runs are processed after it has stopped.
      if let index = waiting.firstIndex(of: .interrupt) {
        waiting.remove(at: index)
        return sendStop("S02")
      }
      let target = run.target(slice)
      if handle(machine.run(until: target)) { return }
      run.waitForWallClock()
      slice.adapt()
    }
  }

  /// Executes one instruction and reports the stop.
  func singleStep() {
    if let history, history.isPast { return report(history.stepForward()) }
    if !handle(machine.step(), isStep: true) { sendStop("S05") }
  }

  /// Executes the program backwards: by one instruction, or to a breakpoint, a watchpoint or its start.
  private func reverse(_ kind: Substring) -> String? {
    guard let history, kind == "s" || kind == "c" else { return "" }
    do throws(Failure) {
      report(
        kind == "s"
          ? try history.stepBack()
          : try history.goBack(to: machine.breakpoints.addresses, watched))
      return nil
    } catch {
      return "E." + error.messages.joined(separator: "; ")
    }
  }

  /// Reports the end of a movement in the past.
  private func report(_ outcome: ExecutionHistory.Outcome) {
    switch outcome {
    case .moved: sendStop("S05")
    case .watched(let address, let isStore):
      sendStop("T05\(isStore ? "watch" : "rwatch"):\(String(address, radix: 16));")
    case .start: sendStop("T05replaylog:begin;")
    case .present: sendStop("T05replaylog:end;")
    case .interrupted:
      waiting.removeAll { $0 == .interrupt }
      sendStop("S02")
    }
  }

  /// Returns whether an access hits a watchpoint that the debugger has set.
  private func watches(_ address: UInt32, _ isStore: Bool) -> Bool {
    watched.contains { $0.matches(address, 4, isStore: isStore) }
  }

  private func sendStop(_ stop: String) {
    lastStop = withThread(stop)
    reply(lastStop)
  }

  /// Handles a stop; returns `true` if it was reported to the debugger.
  private func handle(_ stop: MachineStop, isStep: Bool = false) -> Bool {
    switch stop {
    case .breakpoint:
      run.console.exchange()
      sendStop("S05")
      return true
    case .watchpoint(let address, let isStore) where watches(address, isStore):
      _ = run.handle(stop)
      sendStop("T05\(isStore ? "watch" : "rwatch"):\(String(address, radix: 16));")
      return true
    case .breakInstruction(let number) where number != 0xAB:
      run.console.exchange()
      sendStop("S05")
      return true
    default: break
    }
    guard let ending = run.handle(stop, isStep: isStep) else { return false }
    if case .failure(let messages) = ending.cause {
      // The program is left as it is, so that the user can examine it.
      messages.forEach { run.notice($0, at: ending.time) }
      sendStop("S0b")
    } else {
      finish(ending, isReported: true)
    }
    return true
  }
}

extension FirmwareRun {
  /// Runs under the control of GDB.
  ///
  /// - Parameter port: the TCP port on the loopback interface; 0 selects any free one.
  /// - Returns: the result.
  /// - Throws: `Failure` if the port is in use, or if an output cannot be written.
  package func run(debuggedAt port: UInt16) throws(Failure) -> FirmwareEnding {
    let listener = try GDBListener(port: port)
    return try run { GDBSession($0, listener).perform() }
  }
}

/// GDB packets and the replies to them.
extension GDBSession {
  /// Returns the reply to a packet; `nil` if the packet has no reply, or has one only when the program stops.
  package func response(_ packet: String) -> String? {
    guard let first = packet.utf8.first else { return "" }
    let rest = packet.dropFirst()
    switch first {
    case UInt8(ascii: "?"): return lastStop
    case UInt8(ascii: "g"): return allRegisters
    case UInt8(ascii: "G"): return setAllRegisters(rest)
    case UInt8(ascii: "p"):
      guard let number = Int(rest, radix: 16), registers.entries.indices.contains(number) else {
        return "E01"
      }
      return registerText(number)
    case UInt8(ascii: "P"): return set(rest)
    case UInt8(ascii: "m"): return read(rest)
    case UInt8(ascii: "M"): return write(rest)
    case UInt8(ascii: "c"): return resume(from: rest) { resume() }
    case UInt8(ascii: "s"): return resume(from: rest) { singleStep() }
    case UInt8(ascii: "b"): return reverse(rest)
    case UInt8(ascii: "Z"): return insert(rest)
    case UInt8(ascii: "z"): return remove(rest)
    case UInt8(ascii: "H"): return select(rest)
    case UInt8(ascii: "T"): return isAlive(rest)
    case UInt8(ascii: "D"):
      isDetached = true
      return "OK"
    case UInt8(ascii: "k"):
      finish(run.interrupted, isReported: false)
      return nil
    case UInt8(ascii: "!"): return "OK"
    case UInt8(ascii: "R"):
      restart()
      return nil
    case UInt8(ascii: "q"): return query(rest)
    case UInt8(ascii: "v"): return verb(rest)
    default: return ""
    }
  }

  private func verb(_ text: Substring) -> String? {
    if text == "Cont?" { return "vCont;c;C;s;S" }
    if text.hasPrefix("Kill") {
      finish(run.interrupted, isReported: false)
      return "OK"
    }
    if text.hasPrefix("Flash") { return flash(text.dropFirst(5)) }
    guard text.hasPrefix("Cont;") else { return "" }
    switch text.dropFirst(5).first {
    case "c", "C": return resume(from: "") { resume() }
    case "s", "S": return resume(from: "") { singleStep() }
    default: return "E01"
    }
  }

  /// Resumes the program, at an address if the packet contains one.
  private func resume(from text: Substring, _ move: () -> Void) -> String? {
    if !text.isEmpty {
      guard let address = UInt32(text, radix: 16) else { return "E01" }
      let isSet = intervene {
        $0.machine.core.programCounter = address
        return true
      }
      guard isSet else { return "E01" }
    }
    move()
    return nil
  }

  // MARK: Queries

  private func query(_ text: Substring) -> String {
    if text.hasPrefix("Supported") {
      return "PacketSize=\(String(GDBPacketReader.longest - 16, radix: 16));qXfer:features:read+;"
        + "QStartNoAckMode+;hwbreak+;vContSupported+;qXfer:memory-map:read+"
        + (history == nil ? "" : ";ReverseStep+;ReverseContinue+")
    }
    if text.hasPrefix("Xfer:features:read:target.xml:") {
      return piece(of: registers.description, text.dropFirst(30))
    }
    if text.hasPrefix("Xfer:memory-map:read::") { return piece(of: memoryMap, text.dropFirst(22)) }
    if text.hasPrefix("Rcmd,") { return command(text.dropFirst(5)) }
    if let reply = threadQuery(text) { return reply }
    switch text {
    case "Attached": return "1"
    case "Symbol::": return "OK"
    default: return ""
    }
  }

  /// Returns the part of a document that a qXfer packet requests by a hexadecimal offset and length.
  private func piece(of document: String, _ text: Substring) -> String {
    let numbers = text.split(separator: ",").map { Int($0, radix: 16) }
    guard numbers.count == 2, let start = numbers[0], let count = numbers[1], start >= 0,
      count >= 0
    else { return "E01" }
    let bytes = Array(document.utf8)
    guard start < bytes.count else { return "l" }
    let end = min(start &+ min(count, 2048), bytes.count)
    let part = String(decoding: bytes[start..<end], as: UTF8.self)
    return (end == bytes.count ? "l" : "m") + part
  }

  // MARK: Registers

  private func set(_ text: Substring) -> String {
    let parts = text.split(separator: "=")
    guard parts.count == 2, let number = Int(parts[0], radix: 16),
      registers.entries.indices.contains(number), let bytes = decoded(parts[1]),
      setRegister(number, bytes)
    else { return "E01" }
    return "OK"
  }

  // MARK: Breakpoints and watchpoints

  /// Parses the kind, address and length of a breakpoint packet.
  private func breakpointArguments(_ text: Substring) -> (
    kind: Int, address: UInt32, count: UInt32
  )? {
    let numbers = text.prefix { $0 != ";" }.split(separator: ",").map { UInt32($0, radix: 16) }
    guard numbers.count == 3, let kind = numbers[0], let address = numbers[1],
      let count = numbers[2], kind < 5
    else { return nil }
    return (Int(kind), address, count)
  }

  private func insert(_ text: Substring) -> String {
    guard let (kind, address, count) = breakpointArguments(text) else { return "E01" }
    if kind < 2 {
      machine.breakpoints.insert(address)
      return "OK"
    }
    // An empty reply makes GDB single-step because hardware watchpoints are unsupported.
    guard let watchpoints = machine.watchpoints else { return "" }
    guard (1...4096).contains(count) else { return "E01" }
    watchpoints.insert(watchRange(kind, address, count))
    watched.insert(watchRange(kind, address, count))
    return "OK"
  }

  /// Returns the range of a watchpoint; the GDB kind is 2 for stores, 3 for loads, 4 for both.
  private func watchRange(_ kind: Int, _ address: UInt32, _ count: UInt32) -> Watchpoints.Range {
    Watchpoints.Range(address: address, count: count, onLoad: kind != 2, onStore: kind != 3)
  }

  private func remove(_ text: Substring) -> String {
    guard let (kind, address, count) = breakpointArguments(text) else { return "E01" }
    if kind < 2 {
      machine.breakpoints.remove(address)
      return "OK"
    }
    if watched.remove(watchRange(kind, address, count)) != nil {
      machine.watchpoints?.remove(watchRange(kind, address, count))
    }
    return "OK"
  }

  // MARK: Hexadecimal digits

  package func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map(Hexadecimal.digits).joined() }

  package func decoded(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map(Hexadecimal.value)
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)
    }
  }
}

/// The commands of GDB's `monitor`.
extension GDBSession {
  /// The commands and their descriptions.
  private static let commands = [
    ("reset", "reset the part by its reset pin and halt at the first instruction"),
    ("halt", "print the location of the halted program"),
    ("time", "print the virtual time, which stops while the program is halted"),
    ("stimulus KEYS", "apply a stimulus of a rig now: stimulus pin: PC13, level: low, for: 50ms"),
    ("transfers", "print the last bus transfers"),
    ("energy", "print the charge of each consumer so far"),
    ("help", "this"),
  ]

  /// Returns the output of a `monitor` command, as hexadecimal digits.
  func command(_ text: Substring) -> String {
    guard let bytes = decoded(text) else { return "E01" }
    let line = String(decoding: bytes, as: UTF8.self)
    return hexadecimal(Array((output(of: line).joined(separator: "\n") + "\n").utf8))
  }

  private func output(of line: String) -> [String] {
    let words = line.split(separator: " ", maxSplits: 1)
    let now = history?.nanoseconds ?? machine.clock.nanoseconds
    switch words.first {
    case "reset":
      let place = history?.isPast == true ? "back in the present; " : ""
      restart()
      return ["\(place)reset; halted at \(run.crashReport.here)"]
    case "halt":
      if let distance = history?.distance {
        return ["halted in the past, \("instruction".counted(Int(distance))) before the present"]
      }
      return ["halted at \(run.crashReport.here)"]
    case "time": return ["\(Decimal.fixed(Double(now) / 1e9, 6)) s"]
    case "stimulus":
      guard words.count == 2 else { return ["the keys of the stimulus are missing (monitor help)"] }
      return plan(String(words[1]), at: now)
    case "transfers": return run.crashReport.lastTransfers
    case "energy":
      return EnergyText.lines(
        run.consumption(at: now), seconds: Double(now &- run.bench.leadTime) / 1e9)
    case nil, "help":
      return Self.commands.map { "monitor \($0.0): \($0.1)" }
    case .some(let word):
      let names = Self.commands.map { $0.0.prefix { $0 != " " } }.joined(separator: ", ")
      return ["unknown monitor command '\(String(word).visible)' (accepted: \(names))"]
    }
  }

  /// Plans the stimuli with the given keys.
  private func plan(_ keys: String, at now: UInt64) -> [String] {
    guard history?.isPast != true else { return ["a stimulus cannot change the past"] }
    do throws(Failure) {
      let stimuli = try Stimulus.read(keys)
      var failure: Failure?
      _ = intervene { run in
        do throws(Failure) {
          for stimulus in stimuli { try run.stimuli.add(stimulus, from: now) }
        } catch {
          failure = error
        }
        return failure == nil
      }
      if let failure { throw failure }
    } catch {
      return error.messages
    }
    return ["the stimulus is planned"]
  }

  /// Returns to the present, and resets the microcontroller by its reset pin.
  func restart() {
    history?.returnToPresent()
    _ = intervene {
      $0.machine.reset(.pin)
      return true
    }
    lastStop = "S05"
  }
}
