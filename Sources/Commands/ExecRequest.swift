import Bench
import Chips
import Glibc
import I2C
import I2CTrace
import Interposer
import Reports
import Rigs
import Runs
import Schema
import Support
import TraceTools

/// The options of `aneroid exec`; see `ExecCommand` for their meaning.
package struct ExecRequest: Equatable {
  var rig: String?
  var bus: String?
  var part: String?
  var input: [String] = []
  var address: Address?
  var number: Int?
  var map: [NumberMapping] = []
  var fast = false
  var clock: Rig.ClockKind = .real
  var limit: Interval?
  var stall = Interval(nanoseconds: VirtualTime.defaultStallTimeout)
  var board: Board?
  var log = false
  var trace: String?
  var replay: ReplayMode = .lenient
  var times: Replay.Pace = .kept
  var frequency: BusFrequency?
  var fault: [String] = []
  var events: String?
  var silent = false
  var quiet = false
  var allowRun = false
  var harsh = false
  var parent: Int32?
  var steps: Int32?
  var grace = Interval(nanoseconds: 10_000_000_000)
  package var program: [String] = []

  /// The error message for an invalid combination of options, or `nil`.
  var complaint: String? {
    guard !program.isEmpty else { return CommandNames.missingProgram(Arguments.own) }
    return benchComplaint
  }

  /// The error message for an invalid combination of the options that select the bench, or `nil`.
  var benchComplaint: String? {
    if let number, !I2CBusNumber.all.contains(number) {
      return "--number must be from 0 to \(I2CBusNumber.all.upperBound)"
    }
    guard bus == nil || (rig == nil && map.isEmpty) else {
      return "--bus cannot be combined with --rig or --map"
    }
    guard bus == nil || !isReal || clock == .real else {
      return "--clock virtual is not possible with a real bus"
    }
    guard trace == nil || bus == nil || isReal || namedRig != nil else {
      return "--trace cannot be combined with a replayed trace"
    }
    guard frequency == nil || bus == nil || namedRig != nil else {
      return "--frequency is only for virtual buses; a real adapter and a trace define their own"
    }
    guard address == nil || (rig == nil && bus == nil) else {
      return
        "--address is only for the built-in bench and cannot be combined with a rig or a bus"
    }
    guard part == nil || (rig == nil && bus == nil) else {
      return "--part is the part of the built-in bench and cannot be combined with a rig or a bus"
    }
    guard part != nil || Address.isOfBuiltInPart(address) else { return Address.builtInPartRule }
    guard part != nil || input.isEmpty else { return "--input requires --part" }
    guard number == nil || map.isEmpty else {
      return "--number and --map cannot be combined; use --map for a rig with several buses"
    }
    guard !harsh || bus == nil || namedRig != nil else {
      return "--harsh is only for virtual parts; a real adapter and a trace have none"
    }
    guard events != nil || !silent else {
      return EventOutput.missingForSilence
    }
    guard map.isEmpty || Set(map.map(\.from)).count == map.count else {
      return "--map maps a bus twice"
    }
    return nil
  }

  /// The rig of `--rig` or `--bus`; a rig with several buses requires `--rig` with `--map`.
  var namedRig: String? {
    if let rig { return rig }
    guard let bus, case .rig(let file, nil) = BusReference(bus) else { return nil }
    return file
  }

  /// `true` if --bus names a real adapter.
  private var isReal: Bool {
    guard let bus, case .adapter = BusReference(bus) else { return false }
    return true
  }
}

extension ExecRequest {
  /// Parses a command line without errors in the plain form, in which option names and values are
  /// separate words.
  ///
  /// ArgumentParser builds all commands and options from their types, which takes longer than most
  /// programs run; this initializer accepts the same names without it.
  ///
  /// Returns `nil` for another command, another notation or an error; ArgumentParser then parses
  /// the arguments and reports errors.
  ///
  /// - Parameter words: all arguments, starting with `exec`.
  package init?(plain words: [String]) {
    guard words.first == "exec" else { return nil }
    self.init()
    var index = 1
    while index < words.count, words[index] != "--" {
      let name = words[index]
      index += 1
      if take(flag: name) { continue }
      guard index < words.count else { return nil }
      let value = words[index]
      guard !value.isEmpty, !value.hasPrefix("-"), take(name, value) else { return nil }
      index += 1
    }
    index += 1
    while index < words.count {
      program.append(words[index])
      index += 1
    }
    guard !program.isEmpty, complaint == nil else { return nil }
  }

  /// Stores a flag and returns whether it is known.
  private mutating func take(flag name: String) -> Bool {
    switch name {
    case "--fast": fast = true
    case "--log": log = true
    case "--silent": silent = true
    case "--quiet": quiet = true
    case "--allow-run": allowRun = true
    case "--harsh": harsh = true
    default: return false
    }
    return true
  }

  /// Stores an option with its value and returns whether both are valid.
  private mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "--rig": rig = value
    case "--bus": bus = value
    case "--part": part = value
    case "--input": input.append(value)
    case "--trace": trace = value
    case "--events": events = value
    case "--fault": fault.append(value)
    case "--number": return Self.keep(Int(value), in: &number)
    case "--parent": return Self.keep(Int32(value), in: &parent)
    case "--steps": return Self.keep(Int32(value), in: &steps)
    case "--address": return Self.keep(Address(argument: value), in: &address)
    case "--board": return Self.keep(Board(rawValue: value), in: &board)
    case "--clock": return Self.keep(Rig.ClockKind(rawValue: value), in: &clock)
    case "--replay": return Self.keep(ReplayMode(rawValue: value), in: &replay)
    case "--times": return Self.keep(Replay.Pace(value), in: &times)
    case "--frequency": return Self.keep(BusFrequency(argument: value), in: &frequency)
    case "--for": return Self.keep(Interval(argument: value), in: &limit)
    case "--stall": return Self.keep(Interval(argument: value), in: &stall)
    case "--grace": return Self.keep(Interval(argument: value), in: &grace)
    case "--map":
      guard let mapping = NumberMapping(argument: value) else { return false }
      map.append(mapping)
    default: return false
    }
    return true
  }

  /// Stores a parsed value and returns whether there is one.
  private static func keep<Meant>(_ meant: Meant?, in place: inout Meant) -> Bool {
    guard let meant else { return false }
    place = meant
    return true
  }

  private static func keep<Meant>(_ meant: Meant?, in place: inout Meant?) -> Bool {
    guard let meant else { return false }
    place = meant
    return true
  }
}

extension ExecRequest {
  /// Runs the program to its end.
  ///
  /// - Returns: the exit status of this process; if it differs from the program's, the reason was
  ///   printed.
  package func run() -> Int32 {
    if let parent, !Interposer.ends(with: parent) {
      return Failure.Kind.unavailable.rawValue
    }
    var events: EventOutput?
    let text = ProgramReport(explanation: explanation) { sentence in
      if !silent || events?.keepsOlder ?? true { StandardError.say(sentence) }
    }
    let report = { (event: RunEvent) in
      text.take(event)
      events?.take(event)
    }
    // A program that is ended by the limit must not lose the output in its buffer.
    if limit != nil { setenv("PYTHONUNBUFFERED", "1", 0) }
    do throws(Failure) {
      let places = try OutputDestination.check([self.events, trace], reading: inputs)
      if let place = places[0] { events = try EventOutput(place) }
      let launch =
        launchesEarly ? ProgramLaunch(program, mode: mode, isTimeVirtual: clock == .virtual) : nil
      let rig = bus == nil || namedRig != nil ? try plannedRig() : nil
      do throws(Failure) {
        try OutputDestination.check([self.events, trace], reading: rig?.files ?? [])
      } catch {
        // An output file that is also an input is not written, not even with the error.
        events = nil
        throw error
      }
      // An audit reads its traces while they are written.
      let output = places[1].map { TraceOutput($0, mayBuffer: false, isKept: parent == nil) }
      defer { output?.closeAfterFailure() }
      let bench = try bench(rig, output, report)
      let status = if let launch { try bench.run(launch) } else { try bench.run(program) }
      return close(output, events, status)
    } catch {
      report(.failure(RunEvent.RunFailure(error)))
      return error.exitStatus
    }
  }

  /// Whether the program's process is created while its bench is assembled.
  ///
  /// Other rigs can take long to read, can be interrupted meanwhile, and can start programs of their own.
  private var launchesEarly: Bool { bus == nil && namedRig == nil && part == nil && steps == nil }

  private var mode: InterposerMode { fast ? .fast : .full }

  /// Closes the output files.
  ///
  /// - Returns: the program's status; an error status if that is 0 and a file could not be written.
  ///   Errors are printed in any case.
  private func close(_ trace: TraceOutput?, _ events: EventOutput?, _ status: Int32) -> Int32 {
    do throws(Failure) {
      try trace?.close()
      try events?.close()
      return status
    } catch {
      error.messages.forEach(StandardError.say)
      return status == 0 ? error.exitStatus : status
    }
  }

  /// The command that explains the program's bus errors, with its trace or a new one.
  var explanation: String {
    guard let trace else {
      return "repeat with --trace t.i2ctrace, then aneroid diagnose t.i2ctrace"
    }
    return ShellCommand.text(["aneroid", "diagnose", trace])
  }

  /// The input files that the command line names.
  var inputs: [String] {
    if let part, Section.isFile(part) { return [part] }
    if let namedRig { return [namedRig] }
    guard let bus else { return [] }
    if case .trace(let file, _) = BusReference(bus) { return [file] }
    return []
  }

  /// Reads the rig, and adds the bus frequency and the faults that the options specify.
  func plannedRig() throws(Failure) -> Rig {
    var rig =
      if let namedRig { try Rig(path: namedRig, isHarsh: harsh) } else if let program = partProgram
      {
        try programRig(program)
      } else if let part {
        try Rig(
          part: part, at: address?.address.rawValue, inputs: input, isHarsh: harsh)
      } else { Rig.builtIn(at: address, isHarsh: harsh) }
    if let frequency { rig.setFrequency(frequency.hertz) }
    for fault in fault { try rig.plan(fault: fault) }
    if allowRun { rig.allowsPrograms = true }
    if !rig.clockSteps.isEmpty, clock != .virtual {
      throw Failure(.usage, "\(rig.file): 'clock_steps' needs --clock virtual")
    }
    return rig
  }

  /// The program that `--part` names, and its interpreter; `nil` if it names a model or a part file.
  private var partProgram: [String]? {
    guard let part, !Section.isFile(part), Catalogue.model(named: part) == nil,
      TextFile.exists(part)
    else { return nil }
    let path = part.contains("/") ? part : "./" + part
    if part.hasSuffix(".py") { return ["python3", path] }
    return access(part, X_OK) == 0 ? [path] : nil
  }

  /// Creates the default rig with a program as its part.
  private func programRig(_ program: [String]) throws(Failure) -> Rig {
    guard let address else {
      throw Failure(
        .usage,
        "--part \(part ?? ""): a program does not say its address; add --address, as in --address 0x44"
      )
    }
    guard input.isEmpty, !harsh else {
      throw Failure(
        .usage,
        "--part \(part ?? ""): \(harsh ? "--harsh" : "--input") is for parts that aneroid simulates, not for programs"
      )
    }
    return try Rig(program: program, at: address.address.rawValue)
  }

  private func bench(
    _ rig: Rig?, _ output: TraceOutput?, _ report: @escaping (RunEvent) -> Void
  ) throws(Failure) -> ProgramBench {
    var options = ProgramBench.Options()
    options.mode = mode
    if log { options.log = StandardError.say }
    options.isTimeVirtual = clock == .virtual
    if let steps { options.mayPass = StepMark.request(over: steps) }
    options.standstillTimeout = stall.nanoseconds == 0 ? nil : stall.nanoseconds
    options.board = board
    options.limit = limit?.nanoseconds
    options.graceSeconds = Double(grace.nanoseconds) / 1e9
    options.replay = ReplayOptions(replay, pace: times)
    options.trace = output
    options.warnings = !quiet
    if let rig {
      options.numbers = try numbers(in: rig)
      return try ProgramBench(rig, options: options, report: report)
    }
    options.faults = fault
    let bus = bus ?? ""
    switch BusReference(bus) {
    case .rig:
      throw Failure(.unavailable, "bus '\(bus)': use --rig FILE for the buses of a rig")
    case .trace(let file, let traced):
      return try ProgramBench(
        trace: file, bus: traced, number: number, options: options, report: report)
    case .adapter(let adapter):
      return try ProgramBench(
        adapter: adapter, number: number ?? 1, options: options, report: report)
    }
  }

  /// Opens the bench for clients that are not programs of this machine.
  ///
  /// - Parameters:
  ///   - rig: the rig; `nil` for the real adapter or the trace of `bus`.
  ///   - output: records every transfer.
  ///   - report: receives each event.
  /// - Returns: the buses.
  /// - Throws: `Failure` if the bench cannot be assembled or opened.
  func clientBuses(
    _ rig: Rig?, _ output: TraceOutput?, _ report: @escaping (RunEvent) -> Void
  ) throws(Failure) -> ClientBuses {
    var options = ProgramBench.Options()
    if log { options.log = StandardError.say }
    options.replay = ReplayOptions(replay, pace: times)
    options.trace = output
    options.warnings = !quiet
    options.faults = fault
    if let rig { return try ClientBuses(rig, options, report: report) }
    switch BusReference(bus ?? "") {
    case .trace(let file, let traced):
      return try ClientBuses(trace: file, bus: traced, number: number, options)
    case .adapter(let adapter), .rig(let adapter, _):
      return try ClientBuses(adapter: adapter, number: number ?? 1, options)
    }
  }

  /// Returns the bus numbers that the program sees, keyed by the bus numbers in the rig.
  private func numbers(in rig: Rig) throws(Failure) -> [Int: Int] {
    // The usual case first: the types with which a dictionary is built are looked up at run time.
    if map.isEmpty, number == nil { return [:] }
    guard let number else {
      return Dictionary(uniqueKeysWithValues: map.map { ($0.from, $0.to) })
    }
    guard rig.buses.count == 1 else {
      throw Failure(
        .unavailable, "\(rig.file): has \(rig.buses.count) buses; use --map OLD=NEW")
    }
    return [rig.buses[0].number: number]
  }
}
