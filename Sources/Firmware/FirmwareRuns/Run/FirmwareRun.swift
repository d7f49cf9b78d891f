import Bench
import Cores
package import Files
import Images
import Machines
import Rigs
package import Runs
import Text

/// Firmware on a bench, from power on to its end.
package final class FirmwareRun {
  /// What runs, and on what.
  package let bench: FirmwareBench
  let options: FirmwareOptions
  let report: (RunEvent) -> Void
  let console: SerialConsole
  private(set) var standstill: StandstillReport
  private var semihosting: SemihostingConsole
  let realTimeTransfer: RealTimeTransfer
  let wall = WallClock()
  /// How long a debugger has kept it stopped, in nanoseconds of the wall clock.
  var stopped: UInt64 = 0
  /// The expression whose line has ended the run, when one has.
  private var lastLine: String?
  /// What there was to tell of the bench at the end, where something ran on behind it.
  private var totals: [RunEvent]?
  /// What there is to say at the end of how it ended, where that is no failure.
  private var lastNotes: [String] = []
  /// How often it has begun anew, by cause.
  private var resets: [ResetCause: Int] = [:]
  private var airWatch: AirNotice
  private var faultWatch = FaultWatch()
  /// What notes the instructions that run, where somebody wants to know.
  package let coverage: CoverageMap?

  var machine: any Microcontroller { bench.machine }

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - bench: the microcontroller and what is around it.
  ///   - options: how it is run.
  ///   - standardOutput: takes bytes of serial ports and of semihosting.
  ///   - report: takes each event.
  /// - Throws: `Failure` when a place for serial output cannot be opened.
  package init(
    _ bench: FirmwareBench, options: FirmwareOptions, standardOutput: @escaping ([UInt8]) -> Void,
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    self.bench = bench
    self.options = options
    self.report = report
    standstill = StandstillReport(bench)
    airWatch = AirNotice(bench.bench.rig)
    coverage = options.coverage ? try CoverageMap(bench) : nil
    let lines = LineWatch(options.endings, report)
    semihosting = SemihostingConsole(bench.machine)
    let transfer = RealTimeTransfer(bench.machine, bench.image)
    realTimeTransfer = transfer
    console = try SerialConsole(
      bench.machine.serialPorts,
      others: transfer.ports.enumerated().map { ($1, $0 == 0) } + [(semihosting.port, true)],
      options.serial, standardOutput: standardOutput, didEnd: lines.take)
    lines.didMatch = { [unowned self] pattern in
      guard lastLine == nil else { return }
      lastLine = pattern.text
      console.isClosed = true
      machine.schedule.requestStop()
    }
    bench.machine.core.stopAtFaults()
    bench.machine.untouched.tell = { [unowned self] access in tell(access) }
    bench.machine.untouched.tellHint = { [unowned self] in
      notice($0, at: machine.clock.nanoseconds)
    }
  }

  /// Runs to the end.
  ///
  /// - Parameter steer: lets it run to its end; by itself unless given.
  /// - Returns: how it ended.
  /// - Throws: `Failure` when something could not be written.
  package func run(
    _ steer: (FirmwareRun) throws(Failure) -> FirmwareEnding = { $0.free() }
  ) throws(Failure) -> FirmwareEnding {
    report(.began(bench.bench.rig, startMoment: bench.bench.startMoment))
    for terminal in console.terminals {
      notice("\(terminal.port) is at \(terminal.name)", at: machine.clock.nanoseconds)
    }
    for segment in bench.lost {
      notice(
        "\(bench.image.path): \(segment.bytes.count) bytes at \(segment.range.shown) are loaded into RAM, as a debugger "
          + "does; flash does not bring them back when power comes: let the linker script put them there (AT> FLASH)",
        at: machine.clock.nanoseconds)
    }
    if let text = bench.startNotice { notice(text, at: machine.clock.nanoseconds) }
    let ending = try steer(self)
    try finish(ending)
    return ending
  }

  /// Runs until something ends it.
  package func free() -> FirmwareEnding {
    var slice = Pace(isFixed: options.mayPass != nil, isReal: options.isReal)
    while true {
      if options.isInterrupted() { return interrupted }
      let target = target(slice)
      let stop = machine.run(until: target)
      if let ending = settle(stop) { return ending }
      follow()
      options.didPass(machine.clock.nanoseconds &- bench.lead)
      slice.adapt(after: bench.transferCount &+ console.lineCount)
      if let mayPass = options.mayPass, case .reached = stop {
        if let failure = unmodelledWait() { return end(.failure(failure)) }
        if machine.waitsForEver { return end(.endless(standstill.here)) }
        if !mayPass(machine.clock.nanoseconds &- bench.lead) { return interrupted }
      }
    }
  }

  /// The end of a run that somebody wants to end.
  var interrupted: FirmwareEnding { end(.interrupted(standstill.here)) }

  /// Until when it runs without a look at the world.
  func target(_ slice: Pace) -> UInt64 {
    let next = min(realTimeTransfer.nextLook, faultWatch.nextLook)
    return min(limit, next, machine.clock.nanoseconds &+ slice.length)
  }

  /// Until when it runs, in nanoseconds of the bench.
  var limit: UInt64 {
    let (sum, isTooMuch) = options.duration.addingReportingOverflow(bench.lead)
    return isTooMuch ? .max : sum
  }

  /// Does what a stop of the microcontroller asks for.
  ///
  /// - Returns: the end, where it is one.
  func settle(_ stop: MachineStop) -> FirmwareEnding? {
    collect(after: stop)
    console.exchange()
    if let lastLine { return end(.line(lastLine)) }
    let now = machine.clock.nanoseconds
    if let notice = airWatch.look(at: now) { report(.notice(notice)) }
    switch stop {
    case .fault:
      tellFault(at: now)
      return nil
    case .reached:
      faultWatch.didLook(at: now, isHandling: standstill.handlesFault)
      if let failure = standstill.hopeless() { return end(.failure(failure)) }
      return now >= limit ? timeUp() : nil
    case .breakInstruction(number: 0xAB) where machine.core.architecture == .arm:
      return serve()
    case .breakInstruction(let number):
      return end(.failure(standstill.failure("a breakpoint instruction (BKPT \(number)) was met")))
    case .stackOverflow: return end(.failure(standstill.stackInVariables()))
    case .stackUnderflow(let address): return end(.failure(standstill.stackPastTop(address)))
    case .lockUp(let fault): return end(.failure(standstill.lockUp(fault)))
    case .noInstruction(let word): return end(.failure(standstill.ranOff(word)))
    case .reset(let cause):
      tellReset(cause, at: now)
      return nil
    case .off:
      return machine.nextEvent == nil ? end(.off) : nil
    case .unmodelled(let access):
      let text = "\(subject(of: access)) is not modelled (--strict)"
      return end(.failure(standstill.failure(text, at: standstill.last)))
    default: return nil
    }
  }

  /// Takes what the program has left in RAM for a debugger.
  private func collect(after stop: MachineStop) {
    switch stop {
    case .reset: realTimeTransfer.didReset()
    case .watchpoint(let address, isStore: true) where realTimeTransfer.isOwn(address):
      realTimeTransfer.refresh()
    default: realTimeTransfer.look()
    }
  }

  private func serve() -> FirmwareEnding? {
    switch semihosting.serve() {
    case .result: return nil
    case .exit(let status): return end(.exit(status))
    case .unknown(let number):
      notice(
        "semihosting request 0x\(String(number, radix: 16)) is not served",
        at: machine.clock.nanoseconds)
      return nil
    }
  }

  private func timeUp() -> FirmwareEnding {
    if let fault = standstill.unended() { return end(.failure(fault)) }
    if let failure = unmodelledWait() { return end(.failure(failure)) }
    if let note = standstill.switchedOff { notice(note, at: limit) }
    // What a look at what would come next lets the program send is none of the run.
    let ending = end(
      options.mayPass == nil
        ? .time : .interrupted("\(standstill.here), when its time was over"))
    console.isClosed = true
    totals = total(at: ending.time)
    guard let loop = standstill.stuck() else { return ending }
    guard !loop.isMistake else {
      return FirmwareEnding(cause: .failure(loop.words), time: ending.time)
    }
    lastNotes = loop.words
    return ending
  }

  /// The failure of a program that polls a register that is not modelled, while nothing is left that could change it.
  private func unmodelledWait() -> [String]? {
    guard machine.waitsForEver, let access = standstill.unmodelledPoll() else { return nil }
    return standstill.failure("it waits for \(subject(of: access)), which is not modelled")
  }

  func end(_ cause: FirmwareEnding.Cause) -> FirmwareEnding {
    FirmwareEnding(cause: cause, time: min(machine.clock.nanoseconds, limit))
  }

  /// Lets the wall clock catch up, where the time is real.
  func follow() {
    guard options.isReal else { return }
    let passed = machine.clock.nanoseconds &- bench.lead
    let real = wall.nanoseconds &- stopped
    if passed > real { wall.wait(nanoseconds: min(passed - real, 1_000_000_000)) }
  }

  // MARK: Telling

  func notice(
    _ text: String, _ subject: RunEvent.Notice.Subject = .firmware, at time: UInt64
  ) {
    // What was sent before stands before it, also on a terminal that shows both.
    console.passOn()
    report(.notice(RunEvent.Notice(time: time, subject: subject, text: text)))
  }

  /// A reset is told, of many of one kind the first three.
  private func tellReset(_ cause: ResetCause, at time: UInt64) {
    resets[cause, default: 0] += 1
    let count = resets[cause, default: 0]
    guard count <= 3 else { return }
    let more = count == 3 ? "; further ones are counted, not told" : ""
    notice("\(Decimal.fixed(Double(time) / 1e9, 3)) s: reset by \(cause.words)\(more)", at: time)
  }

  /// A fault is told when its handler begins, of many the first three.
  private func tellFault(at time: UInt64) {
    faultWatch.begin(at: time)
    let fault = standstill.fault()
    guard faultWatch.count <= 3 else { return }
    let more = faultWatch.count == 3 ? "; further ones are not told" : ""
    notice(fault + more, at: time)
  }

  /// How many registers that nobody models are told: a pointer that has gone astray uses thousands.
  private static let mostRegisters = 100

  private func tell(_ access: RegisterAccess) {
    let count = machine.untouched.accesses.count
    guard !options.isStrict, count <= Self.mostRegisters else { return }
    let verb = access.isWrite ? "writes" : "reads"
    let what =
      access.mode == nil
      ? "it \(verb) \(name(of: access)), which is not modelled and behaves as memory"
      : "it uses \(subject(of: access)), which is not modelled"
    notice(
      what + (count == Self.mostRegisters ? "; further ones are not told" : ""),
      .register, at: machine.clock.nanoseconds)
  }

  /// The register of an access, or the function of it that is not modelled.
  func subject(of access: RegisterAccess) -> String {
    access.mode.map { "\($0) (\(name(of: access)))" } ?? name(of: access)
  }

  private func name(of access: RegisterAccess) -> String {
    let number = "0x" + String(access.address, radix: 16)
    return options.registers?.name(at: access.address).map { "\($0) (\(number))" }
      ?? "the register at \(number)"
  }

  /// What the bench, the traffic, the battery and the memory came to.
  private func total(at time: UInt64) -> [RunEvent] {
    var events = bench.bench.ending(at: time) + bench.bench.traffic(at: time)
    if options.energy { events += consumption(at: time).map { .consumption($0) } }
    events.append(.footprint(RunEvent.Footprint(time: time, bytes: bench.footprint)))
    return events + bench.listeners.flatMap { $0.remarks(at: time) }
  }

  /// Tells what there is to tell at the end.
  private func finish(_ ending: FirmwareEnding) throws(Failure) {
    console.isClosed = false
    if case .line = ending.cause {} else { realTimeTransfer.look(isLast: true) }
    try console.finish()
    for (cause, count) in resets.inOrder(by: { $0.key.rawValue < $1.key.rawValue }) where count > 3
    {
      notice("in all \(count) resets by \(cause.words)", at: ending.time)
    }
    (totals ?? total(at: ending.time)).forEach(report)
    if case .failure(let messages) = ending.cause {
      for message in messages { notice(message, at: ending.time) }
    }
    for text in bench.unansweredNotices { notice(text, at: ending.time) }
    for note in lastNotes { notice(note, at: ending.time) }
    report(
      .ended(
        RunEvent.ProgramEnd(time: ending.time, status: ending.status, reason: ending.reason)))
    try bench.flash?.check()
  }
}

extension ResetCause {
  /// The cause in words.
  var words: String {
    switch self {
    case .powerOn: "power coming on"
    case .brownOut: "a brown-out"
    case .pin: "the reset pin"
    case .watchdog: "the watchdog"
    case .software: "the program"
    case .lockUp: "a lock-up"
    case .wakeUp: "waking from being switched off"
    }
  }
}
