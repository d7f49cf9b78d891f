import Bench
import Cores
import Images
package import Machines
import Rigs
package import Runs
package import Support

/// A firmware run on a bench, from power-on to its end.
package final class FirmwareRun {
  /// The microcontroller and its bench.
  package let bench: FirmwareBench
  let options: FirmwareOptions
  let report: (RunEvent) -> Void
  let console: SerialConsole
  private(set) var crashReport: CrashReport
  private var semihosting: SemihostingConsole
  package let realTimeTransfer: RealTimeTransfer
  /// The actions from outside.
  let stimuli: StimulusPlayer
  /// The bytes of standard input; `nil` if no port receives them.
  private let typed: [UInt8]?
  private let plant: PlantPlayer?
  private let pinDump: PinDump?
  private let radioCapture: RadioCapture?
  private var wokwi: WokwiRun?
  /// The end of the scenario: its failure, or an empty text.
  private var scenarioEnd: String?
  let wall = WallClock()
  /// The total time for which a debugger has halted the run, in nanoseconds of the wall clock.
  var stopped: UInt64 = 0
  /// The pattern whose match has ended the run.
  private var lastLine: String?
  /// The summary events at the end of the run, if the simulation continued afterwards to look for an endless loop.
  private var totals: [RunEvent]?
  /// Notices about the end of the run that are not failures.
  private var lastNotes: [String] = []
  /// The number of resets so far, by cause.
  private var resets: [ResetCause: Int] = [:]
  private var ambientNotice: AmbientNotice
  private var faultWatch = FaultWatch()
  /// The code coverage, if it is recorded.
  package let coverage: CoverageMap?

  package var machine: any Microcontroller { bench.machine }

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - bench: the microcontroller and its bench.
  ///   - options: the run options.
  ///   - standardOutput: a callback that receives serial and semihosting output.
  ///   - report: a callback that receives the events.
  /// - Throws: `Failure` if a serial output cannot be opened.
  package init(
    _ bench: FirmwareBench, options: FirmwareOptions, standardOutput: @escaping ([UInt8]) -> Void,
    report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    self.bench = bench
    self.options = options
    self.report = report
    crashReport = CrashReport(bench)
    ambientNotice = AmbientNotice(bench.bench.rig)
    coverage = options.coverage ? try CoverageMap(bench) : nil
    if options.recordsInstructions { bench.machine.core.recordCoverage() }
    let lines = LineWatch(options.endings, report)
    semihosting = SemihostingConsole(bench.machine)
    let transfer = RealTimeTransfer(bench.machine, bench.image)
    realTimeTransfer = transfer
    console = try SerialConsole(
      bench.machine.serialPorts,
      others: transfer.ports.enumerated().map { ($1, $0 == 0) } + [(semihosting.port, true)],
      options.serial, standardOutput: standardOutput, didEnd: lines.take)
    stimuli = try StimulusPlayer(bench, others: transfer.ports)
    typed = try Self.input(of: console, options, to: stimuli)
    plant = try PlantPlayer(bench, stimuli)
    pinDump = try options.pinDump.map { file throws(Failure) in
      try PinDump(bench.machine, to: file)
    }
    radioCapture = try Self.radioCapture(bench, options)
    lines.didMatch = { [unowned self] pattern in
      guard lastLine == nil else { return }
      lastLine = pattern.text
      console.isClosed = true
      machine.schedule.requestStop()
    }
    console.didPut = { [unowned self] in
      stimuli.take($0, from: $1, isUART: $2, at: $3)
      if $2 {
        wokwi?.take($0, at: $3)
        plant?.take($0, from: $1)
      }
    }
    if let project = options.wokwi {
      wokwi = try WokwiRun(project, options.scenario, bench.machine, stimuli)
      wokwi?.didEnd = { [unowned self] in
        scenarioEnd = $0 ?? ""
        console.isClosed = true
        machine.schedule.requestStop()
      }
    }
    stimuli.didConflict = { [unowned self] in notice($0, at: machine.clock.nanoseconds) }
    for name in options.watchedPins { watch(try bench.pin(name.pin, at: name.line), as: name.pin) }
    if radioCapture == nil { bench.machine.radio?.output = { [unowned self] in noteFirst($0) } }
    bench.machine.core.stopAtFaults()
    bench.machine.unmodelledRegisters.didAccess = { [unowned self] access in reportAccess(access) }
    bench.machine.unmodelledRegisters.didHint = { [unowned self] in
      notice($0, at: machine.clock.nanoseconds)
    }
  }

  /// Plans the bytes of standard input for the port that receives them; `nil` if none does.
  private static func input(
    of console: SerialConsole, _ options: FirmwareOptions, to stimuli: StimulusPlayer
  ) throws(Failure) -> [UInt8]? {
    guard let port = console.inputPort else { return nil }
    let bytes: [UInt8]
    if let known = options.typed { bytes = known } else { bytes = try StandardInput.text() }
    stimuli.type(bytes, at: port)
    return bytes
  }

  private static func radioCapture(
    _ bench: FirmwareBench, _ options: FirmwareOptions
  ) throws(Failure) -> RadioCapture? {
    guard let file = options.radio else { return nil }
    guard let radio = bench.machine.radio else {
      throw Failure(.usage, "--radio: \(bench.machine.name) has no radio that is modelled")
    }
    return try RadioCapture(radio, to: file, startMoment: bench.bench.startMoment)
  }

  /// Reports the first packet of the radio.
  private func noteFirst(_ packet: RadioPacket) {
    machine.radio?.output = { _ in }
    notice(
      "\(Decimal.fixed(Double(packet.time) / 1e9, 6)) s: the radio sends its first packet, at \(packet.megahertz) MHz; "
        + "--radio FILE records all packets for Wireshark", at: machine.clock.nanoseconds)
  }

  /// Reports each change of the level at a pin, by the name that the user gave to it.
  private func watch(_ watched: Int, as name: String) {
    let pins = machine.pins
    pins.observe(watched)
    let previous = pins.output
    var isHigh = false
    pins.output = { [report] pin, drive, time in
      previous(pin, drive, time)
      guard pin == watched, pins.level(of: pin) != isHigh else { return }
      isHigh.toggle()
      report(.pin(RunEvent.PinChange(time: time, pin: name, isHigh: isHigh)))
    }
  }

  /// Runs the firmware until the run ends.
  ///
  /// - Parameter control: a function that controls the run. Default: `runFreely()`.
  /// - Returns: the result.
  /// - Throws: `Failure` if an output cannot be written.
  package func run(
    _ control: (FirmwareRun) throws(Failure) -> FirmwareEnding = { $0.runFreely() }
  ) throws(Failure) -> FirmwareEnding {
    report(.began(bench.bench.rig, startMoment: bench.bench.startMoment))
    for terminal in console.terminals {
      notice("\(terminal.port) is at \(terminal.name)", at: machine.clock.nanoseconds)
    }
    for segment in bench.ramSegments {
      notice(
        "\(bench.image.path): \(segment.bytes.count) bytes at \(segment.range.shown) are loaded into RAM, as a "
          + "debugger does; they are lost at power-on: place them in flash in the linker script (AT> FLASH)",
        at: machine.clock.nanoseconds)
    }
    if let text = bench.startNotice { notice(text, at: machine.clock.nanoseconds) }
    begin()
    let ending = try control(self)
    try finish(ending)
    return ending
  }

  /// Applies what comes from outside at power-on.
  func begin() { applyStimuli() }

  /// `true` for a second run, which has no end of its own and judges nothing.
  private var isReplica: Bool { options.memories != nil }

  /// `true` if a second run from power-on would repeat this one.
  var repeats: Bool {
    !options.isReal && console.terminals.isEmpty
      && !(typed != nil && StandardInput.isTerminal)
  }

  /// Returns a second run from power-on, without outputs.
  ///
  /// - Parameter memories: the contents of the persistent memories at power-on.
  /// - Returns: the run.
  /// - Throws: `Failure` if a file of the rig can no longer be read.
  func replica(_ memories: [[UInt8]]) throws(Failure) -> FirmwareRun {
    var options = options
    options.memories = memories
    options.typed = typed ?? []
    options.serial.removeAll { $0.destination != .standardStreams }
    (options.trace, options.pinDump, options.radio, options.flash) = (nil, nil, nil, nil)
    (options.coverage, options.recordsInstructions) = (false, false)
    options.reportsWarnings = false
    return try FirmwareRun(
      bench.again(options), options: options, standardOutput: { _ in }, report: { _ in })
  }

  /// The addresses in the image of the instructions that were executed, in hexadecimal, one per line.
  package var executedInstructions: String {
    bench.image.segments.flatMap { segment in
      stride(from: segment.range.lowerBound, to: segment.range.upperBound, by: 2).filter {
        machine.core.hasRun(UInt32(truncatingIfNeeded: $0))
      }
    }.map { String($0, radix: 16) + "\n" }.joined()
  }

  /// Runs without a debugger until an end condition is met.
  package func runFreely() -> FirmwareEnding {
    var slice = SliceLength(isFixed: options.mayPass != nil, isReal: options.isReal)
    while true {
      if options.isInterrupted() { return interrupted }
      let target = target(slice)
      let stop = machine.run(until: target)
      if let ending = handle(stop) { return ending }
      if let failure = bench.bench.programFailure ?? plant?.failure {
        return end(.failure(failure.messages))
      }
      waitForWallClock()
      options.didPass(machine.clock.nanoseconds &- bench.leadTime)
      slice.adapt(after: bench.transferCount &+ console.lineCount)
      if let mayPass = options.mayPass, case .reached = stop {
        if stimuli.nextTime == .max {
          if let failure = unmodelledRegisterWait() { return end(.failure(failure)) }
          if machine.waitsForever { return end(.endless(crashReport.here)) }
        }
        if !mayPass(machine.clock.nanoseconds &- bench.leadTime) { return interrupted }
      }
    }
  }

  /// The result of an interrupted run.
  var interrupted: FirmwareEnding { end(.interrupted(crashReport.here)) }

  /// Returns the time until which the microcontroller may run before external events must be polled again.
  func target(_ slice: SliceLength) -> UInt64 {
    min(limit, nextLook, faultWatch.nextLook, machine.clock.nanoseconds &+ slice.length)
  }

  /// The time of the next action from outside or look at memory, in nanoseconds of the bench clock.
  var nextLook: UInt64 {
    min(realTimeTransfer.nextLook, stimuli.nextTime, machine.clock.nanoseconds &+ 1 << 52)
  }

  /// The time at which the run's duration has elapsed, in nanoseconds of the bench clock.
  var limit: UInt64 {
    let (sum, isTooMuch) = options.duration.addingReportingOverflow(bench.leadTime)
    return isTooMuch ? .max : sum
  }

  /// Handles a stop of the microcontroller.
  ///
  /// - Parameters:
  ///   - stop: the stop.
  ///   - isStep: `true` if a debugger executes single instructions, so that no others may be executed to judge a loop.
  ///     Default: `false`.
  /// - Returns: the result if the run has ended.
  func handle(_ stop: MachineStop, isStep: Bool = false) -> FirmwareEnding? {
    collect(after: stop)
    console.exchange()
    if let lastLine { return end(.line(lastLine)) }
    if let scenarioEnd { return end(.scenario(scenarioEnd.isEmpty ? nil : scenarioEnd)) }
    let now = machine.clock.nanoseconds
    applyStimuli()
    if let notice = ambientNotice.look(at: now) { report(.notice(notice)) }
    switch stop {
    case .fault:
      reportFault(at: now)
      return nil
    case .reached:
      guard !isReplica else { return nil }
      if !isStep {
        faultWatch.didLook(at: now, isHandling: crashReport.handlesFault)
        if let failure = crashReport.endlessFaultHandler() { return end(.failure(failure)) }
      }
      return now >= limit ? timeUp() : nil
    case .breakInstruction(number: 0xAB) where machine.core.architecture == .arm:
      return serve()
    case .breakInstruction(let number):
      return end(
        .failure(crashReport.failure("a breakpoint instruction (BKPT \(number)) was reached")))
    case .stackOverflow: return end(.failure(crashReport.stackInVariables()))
    case .stackUnderflow(let address): return end(.failure(crashReport.stackPastTop(address)))
    case .lockUp(let fault): return end(.failure(crashReport.lockUp(fault)))
    case .noInstruction(let word): return end(.failure(crashReport.undefinedInstruction(word)))
    case .reset(let cause):
      reportReset(cause, at: now)
      return nil
    case .off:
      return machine.nextEvent == nil && stimuli.nextTime == .max ? end(.off) : nil
    case .unmodelled(let access):
      let text = "\(subject(of: access)) is not modelled (--strict)"
      return end(.failure(crashReport.failure(text, at: crashReport.last)))
    default: return nil
    }
  }

  /// Applies the stimuli that are due, at the beginning of the next run of the microcontroller.
  private func applyStimuli() {
    let now = machine.clock.nanoseconds
    while stimuli.look(at: now) {
      machine.reset(.pin)
      realTimeTransfer.didReset()
      reportReset(.pin, at: now)
    }
  }

  /// Collects RTT output from RAM.
  private func collect(after stop: MachineStop) {
    switch stop {
    case .reset: realTimeTransfer.didReset()
    case .watchpoint(let address, isStore: true) where realTimeTransfer.contains(address):
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
        "semihosting request 0x\(String(number, radix: 16)) is not supported",
        at: machine.clock.nanoseconds)
      return nil
    }
  }

  private func timeUp() -> FirmwareEnding {
    // The last slice takes its time on the wall clock as well.
    waitForWallClock()
    if let wokwi, wokwi.isUnfinished { return end(.timeOut(wokwi.openStep)) }
    if let fault = crashReport.unfinishedFaultHandler() { return end(.failure(fault)) }
    if let failure = unmodelledRegisterWait() { return end(.failure(failure)) }
    if let note = crashReport.switchedOff { notice(note, at: limit) }
    // The program may be run beyond the end to look for an endless loop; its output is then not part of the run.
    let ending = end(
      options.mayPass == nil
        ? .time : .interrupted("\(crashReport.here) at the end of the run"))
    console.isClosed = true
    totals = total(at: ending.time)
    guard stimuli.nextTime == .max, let loop = crashReport.endlessLoop() else { return ending }
    guard !loop.isFailure else {
      return FirmwareEnding(cause: .failure(loop.words), time: ending.time)
    }
    lastNotes = loop.words
    return ending
  }

  /// Returns the failure message for a program that polls an unmodelled register forever; `nil` for other programs.
  private func unmodelledRegisterWait() -> [String]? {
    guard machine.waitsForever, let access = crashReport.unmodelledPoll() else { return nil }
    return crashReport.failure(
      "the program waits for \(subject(of: access)), which is not modelled")
  }

  func end(_ cause: FirmwareEnding.Cause) -> FirmwareEnding {
    FirmwareEnding(cause: cause, time: min(machine.clock.nanoseconds, limit))
  }

  /// Waits until the wall clock has reached virtual time, in real-time mode.
  func waitForWallClock() {
    guard options.isReal else { return }
    let passed = machine.clock.nanoseconds &- bench.leadTime
    let real = wall.nanoseconds &- stopped
    if passed > real { wall.wait(nanoseconds: min(passed - real, 1_000_000_000)) }
  }

  // MARK: Reporting

  func notice(
    _ text: String, _ subject: RunEvent.Notice.Subject = .firmware, at time: UInt64
  ) {
    // Earlier output must appear before the notice if a terminal displays both.
    console.flush()
    report(.notice(RunEvent.Notice(time: time, subject: subject, text: text)))
  }

  /// Reports a reset, but only the first three of each cause.
  private func reportReset(_ cause: ResetCause, at time: UInt64) {
    resets[cause, default: 0] += 1
    let count = resets[cause, default: 0]
    guard count <= 3 else { return }
    let more = count == 3 ? "; further resets are counted but not reported" : ""
    notice("\(Decimal.fixed(Double(time) / 1e9, 3)) s: reset by \(cause.words)\(more)", at: time)
  }

  /// Reports the first three faults, each at the entry of its handler.
  private func reportFault(at time: UInt64) {
    faultWatch.begin(at: time)
    let fault = crashReport.fault()
    guard faultWatch.count <= 3 else { return }
    let more = faultWatch.count == 3 ? "; further faults are not reported" : ""
    notice(fault + more, at: time)
  }

  /// The maximum number of unmodelled registers to report, because a stray pointer may access thousands.
  private static let maxReportedRegisters = 100

  private func reportAccess(_ access: RegisterAccess) {
    let count = machine.unmodelledRegisters.accesses.count
    guard !options.isStrict, count <= Self.maxReportedRegisters else { return }
    let verb = access.isWrite ? "writes" : "reads"
    let what =
      access.mode == nil
      ? "the program \(verb) \(name(of: access)), which is not modelled and keeps the value written"
      : "the program uses \(subject(of: access)), which is not modelled"
    notice(
      what + (count == Self.maxReportedRegisters ? "; further registers are not reported" : ""),
      .register, at: machine.clock.nanoseconds)
  }

  /// Returns the name of an accessed register; if only one mode of the register is unmodelled, the mode comes before
  /// the name.
  func subject(of access: RegisterAccess) -> String {
    access.mode.map { "\($0) (\(name(of: access)))" } ?? name(of: access)
  }

  private func name(of access: RegisterAccess) -> String {
    let number = "0x" + String(access.address, radix: 16)
    return options.registers?.name(at: access.address).map { "\($0) (\(number))" }
      ?? "the register at \(number)"
  }

  /// Returns the summary events on the bench, bus traffic, energy and memory usage.
  private func total(at time: UInt64) -> [RunEvent] {
    var events = bench.bench.ending(at: time) + bench.bench.traffic(at: time)
    if options.energy { events += consumption(at: time).map { .consumption($0) } }
    events.append(.footprint(RunEvent.Footprint(time: time, bytes: bench.footprint)))
    return events + bench.listeners.flatMap { $0.warnings(at: time) }
  }

  /// Reports the end of the run.
  private func finish(_ ending: FirmwareEnding) throws(Failure) {
    console.isClosed = false
    if case .line = ending.cause {} else { realTimeTransfer.look(isLast: true) }
    try console.finish()
    try pinDump?.finish(at: ending.time)
    try radioCapture?.finish()
    if let foreign = radioCapture?.foreign, foreign > 0 {
      notice(
        "\("packet".counted(foreign)) of the radio are not of Bluetooth LE, and are not in the file of --radio",
        at: ending.time)
    }
    for (cause, count) in resets.inOrder(by: { $0.key.rawValue < $1.key.rawValue }) where count > 3
    {
      notice("\(count) resets by \(cause.words) in total", at: ending.time)
    }
    (totals ?? total(at: ending.time)).forEach(report)
    if case .failure(let messages) = ending.cause {
      for message in messages { notice(message, at: ending.time) }
    }
    if case .timeOut(let step) = ending.cause { notice(step, at: ending.time) }
    if case .scenario(let failure?) = ending.cause { notice(failure, at: ending.time) }
    for text in stimuli.idleNotices { notice(text, at: ending.time) }
    for text in bench.unansweredNotices { notice(text, at: ending.time) }
    for note in lastNotes { notice(note, at: ending.time) }
    report(
      .ended(
        RunEvent.ProgramEnd(time: ending.time, status: ending.status, reason: ending.reason)))
    try bench.flash?.check()
  }
}

extension ResetCause {
  /// A description of the reset cause for messages.
  var words: String {
    switch self {
    case .powerOn: "power-on"
    case .brownOut: "a brown-out"
    case .pin: "the reset pin"
    case .watchdog: "the watchdog"
    case .windowWatchdog: "the window watchdog"
    case .software: "the program"
    case .lockUp: "a lockup"
    case .wakeUp: "a wake-up from power off"
    }
  }
}

/// The result of a firmware run.
package struct FirmwareEnding: Hashable, Sendable {
  /// The reason for the end.
  package enum Cause: Hashable, Sendable {
    /// The program exited by semihosting, with this status.
    case exit(Int32)
    /// A line of serial output matched this pattern.
    case line(String)
    /// The duration has elapsed.
    case time
    /// The duration has elapsed before this step of the scenario.
    case timeOut(String)
    /// The scenario has ended, or failed with this message.
    case scenario(String?)
    /// The program has powered off, and only a reset will wake it.
    case off
    /// The caller ended the run while the program was at this location.
    case interrupted(String)
    /// The program waits forever at this location because no event is pending.
    case endless(String)
    /// The program failed, with these messages.
    case failure([String])
  }

  /// The reason for the end.
  package let cause: Cause
  /// The time at which the run ended, in nanoseconds of the bench clock.
  package let time: UInt64

  /// The exit status of the run.
  package var status: Int32 {
    switch cause {
    case .exit(let status): status & 0xFF
    case .line, .time, .off, .interrupted, .endless: 0
    // As with Wokwi's client.
    case .timeOut: 42
    case .scenario(let failure): failure == nil ? 0 : 1
    case .failure: 1
    }
  }

  /// A sentence with the reason for a failure, or with the location of a program that was interrupted or waits forever.
  package var reason: String? {
    switch cause {
    case .failure(let messages): messages.first
    case .timeOut(let step): step
    case .scenario(let failure): failure
    case .interrupted(let location): "the program was at \(location)"
    case .endless(let location): "the program waits forever, at \(location)"
    case .off: "the program has powered off, and nothing will wake it"
    case .exit, .line, .time: nil
    }
  }
}

/// A reporter of serial lines that also detects lines that end the run.
final class LineWatch {
  private let patterns: [SerialPattern]
  private let report: (RunEvent) -> Void
  /// A callback with the pattern that a line has matched.
  var didMatch: (SerialPattern) -> Void = { _ in }

  init(_ patterns: [SerialPattern], _ report: @escaping (RunEvent) -> Void) {
    self.patterns = patterns
    self.report = report
  }

  /// Reports a line and checks it against the patterns.
  func take(_ line: SerialConsole.Line) {
    report(.serial(RunEvent.SerialLine(time: line.time, port: line.port, text: line.text)))
    if let pattern = patterns.first(where: { $0.matches(line.text) }) { didMatch(pattern) }
  }
}

/// A schedule, with increasing intervals, for checking that a fault handler makes progress.
struct FaultWatch {
  private static let first: UInt64 = 10_000
  private var start: UInt64 = 0
  /// The time of the next check in nanoseconds; `UInt64.max` while no fault handler is running.
  private(set) var nextLook = UInt64.max
  /// The number of faults so far.
  private(set) var count = 0

  /// Records the entry of a fault handler.
  mutating func begin(at time: UInt64) {
    count += 1
    start = time
    nextLook = time &+ Self.first
  }

  /// Records that a check was made and schedules the next one.
  mutating func didLook(at time: UInt64, isHandling: Bool) {
    guard time >= nextLook else { return }
    nextLook = isHandling ? time &+ (time &- start) : .max
  }
}

/// A notice, reported once, that the ambient data have ended and their last value is used from then on.
struct AmbientNotice {
  private let rig: Rig
  private var isReported = false

  init(_ rig: Rig) { self.rig = rig }

  /// Returns the notice once when the ambient data have ended; otherwise `nil`.
  mutating func look(at time: UInt64) -> RunEvent.Notice? {
    guard !isReported, let known = rig.environment.knownTime,
      time > known + FirmwareBench.leadTime(of: rig)
    else { return nil }
    isReported = true
    return RunEvent.Notice(time: time, subject: .air, text: rig.endOfAir(known))
  }
}

/// The length of the slices of virtual time between two polls of external events.
///
/// A slice takes about 20 ms of wall-clock time.
package struct SliceLength {
  /// The length in nanoseconds.
  package private(set) var length: UInt64
  private let isFixed: Bool
  private let most: UInt64
  private var last = MachineTime.monotonic()
  /// The activity count at the last poll.
  private var seen = 0
  /// The number of polls since the activity count last changed.
  private var quietSlices = 0

  /// The length of a fixed slice, 1 s.
  private static let second: UInt64 = 1_000_000_000
  /// The number of fixed slices without activity after which the slices grow: two hours of virtual time.
  private static let maxQuietSlices = 7200
  /// The maximum slice length while the program is inactive, which is one day.
  private static let longest = 86_400 * second

  /// Creates slices, starting with 1 ms.
  ///
  /// - Parameters:
  ///   - isFixed: `true` for slices of one second of virtual time, whatever the speed of the host.
  ///   - isReal: `true` if virtual time follows the wall clock, in which case slices are at most 20 ms long.
  package init(isFixed: Bool = false, isReal: Bool) {
    self.isFixed = isFixed
    most = isReal ? 20_000_000 : 1 << 52
    length = isFixed ? Self.second : 1_000_000
  }

  /// Adapts the length of the next slice.
  ///
  /// Fixed slices grow only after two hours of virtual time without activity.
  ///
  /// - Parameter count: the program's activity count, which is the number of serial lines and bus transfers so far.
  package mutating func adapt(after count: Int = 0) {
    let now = MachineTime.monotonic()
    defer { last = now }
    if isFixed {
      quietSlices = count == seen ? quietSlices + 1 : 0
      seen = count
      length = quietSlices < Self.maxQuietSlices ? Self.second : min(length &* 2, Self.longest)
      return
    }
    if now - last < 10_000_000 { length = min(length &* 2, most) }
    if now - last > 40_000_000 { length = max(length / 2, 100_000) }
  }
}
