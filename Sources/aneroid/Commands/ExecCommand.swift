public import ArgumentParser
import Bench
import Files
import Glibc
import I2C
import I2CTrace
public import Interposer
import Reports
import Rigs
import Runs
import Text
import TraceTools

/// A pair of bus numbers on the command line: `1=3`.
struct NumberMapping: ExpressibleByArgument {
  let from: Int
  let to: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = Int(parts[0]), let to = Int(parts[1]),
      I2CBusNumber.all.contains(from), I2CBusNumber.all.contains(to)
    else { return nil }
    (self.from, self.to) = (from, to)
  }
}

extension Rig.ClockKind: ExpressibleByArgument {}
extension Board: ExpressibleByArgument {}

/// `aneroid exec`: runs any program with the rig's adapters as its /dev/i2c-N.
struct ExecCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run any program with the buses of a rig as its /dev/i2c-N.",
    discussion: """
      EXAMPLES
        aneroid exec -- i2cdetect -y 1
        aneroid exec --rig weather-station -- python3 my_sensor.py
        aneroid exec --rig bench.yaml --number 3 --log -- ./reader /dev/i2c-3
        aneroid exec --fault 'kind: nack-address' -- i2cget -y 1 0x76 0xd0
        aneroid exec --clock virtual -- sh -c 'date; sleep 3600; date'
        aneroid exec --clock virtual --for 24h -- python3 my_sensor.py
        aneroid exec --board raspberry-pi-4 -- python3 guide.py
        aneroid exec --rig bench.yaml --events events.jsonl -- ./test.sh
        aneroid exec --bus trace:bench.i2ctrace -- python3 my_sensor.py
        aneroid exec --bus /dev/i2c-1 --log -- python3 my_sensor.py
        aneroid exec --bus /dev/i2c-1 --fault 'kind: nack-data' -- ./reader

      The program is not changed and needs no privileges; what it starts sees the \
      same buses. Time follows the wall clock, whatever the rig says, unless \
      --clock virtual. Power was switched on 10 ms before, at time 0 of the rig's \
      environment; a second before where an earlier program has 'left' a device.

      TERM, HUP, INT, QUIT, USR1 and USR2 go on to the program. Nothing that it started \
      outlives aneroid: what is left after --grace is ended, and at once where an end \
      was asked for or aneroid itself is killed.

      The exit status is the program's, 128 + n if signal n ended it, 127 if there \
      is no such program, 126 if it cannot be run, 69 where this machine cannot \
      show a bus (aneroid doctor says why); 74 instead of 0 where the trace or the \
      events could not be written.
      """)

  @Option(
    help: "The rig, a file or a built-in name; without one, \(PartNames.usual) on bus 1.",
    completion: Completions.rigs)
  var rig: String?

  @Option(
    help: """
      Instead of a rig a real adapter, /dev/i2c-N or its name, passed through as bus 1 (or --number): to \
      see what a program does with it. Or a trace, FILE.i2ctrace[#number], replayed.
      """, completion: Completions.buses)
  var bus: String?

  @Option(help: .value("number", "Show the only bus of the rig as this number."))
  var number: Int?

  @Option(
    help: .value("old=new", "Show a bus as another number, for example 1=3; may be repeated."))
  var map: [NumberMapping] = []

  @Flag(
    help: """
      Ask only about opens for reading and writing, and about what changes files: other system calls cost the \
      program nothing, but it must know the number of its bus (no listing, no stat).
      """)
  var fast = false

  @Option(
    help: """
      real or virtual. With virtual time a program that sleeps goes on at once, and still finds that the \
      time has passed.
      """)
  var clock: Rig.ClockKind = .real

  @Option(
    name: .customLong("for"),
    help: .value(
      "time",
      """
      End the program after so much of its time, for example 24h; for one that never ends. It is asked by SIGTERM, \
      made to end after --grace, and the exit status is then 0.
      """))
  var limit: Interval?

  @Option(
    help: """
      Show the files by which libraries know a board (/proc/cpuinfo, /proc/device-tree), for those that \
      refuse a PC. Pins need GPIO, which is not shown.
      """)
  var board: Board?

  @Flag(help: "Tell each transfer in one line on standard error.")
  var log = false

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: .value(
      "mode",
      """
      How a trace answers: strict; lenient, where loops may take more or fewer turns; or model, where a \
      virtual sensor with its calibration and raw values answers anything.
      """))
  var replay: ReplayMode = .lenient

  @Option(
    help: .value("pace", "What the times of a trace mean: kept, ignored, or a factor such as 0.5."))
  var times: Replay.Pace = .kept

  @Option(
    help: .value(
      "keys",
      """
      A failure that is planned beside those of the rig, with the keys of a rig: 'kind: power-loss, at: 1s'; \
      may be repeated. With --bus it is one of the wire, such as nack-address or bit-flip; others need a \
      virtual part. How often each fired is told at the end.
      """))
  var fault: [String] = []

  @Option(
    help: .value(
      "file",
      """
      Also write what happens as JSON Lines, with the fields of 'run --format jsonl': what each planned failure \
      did, the charge of each sensor, remarks and notices, the exit status.
      """),
    completion: .file(extensions: ["jsonl"]))
  var events: String?

  @Flag(
    help:
      "Say nothing on standard error, which is the program's alone; needs --events, which tells it."
  )
  var silent = false

  @Flag(
    help: """
      Do not tell at the end what the program did on the bus that a real part punishes, such as data that \
      are read before a measurement has ended.
      """)
  var quiet = false

  @Option(help: ArgumentHelp("End with this process.", visibility: .hidden))
  var parent: Int32?

  @Option(help: ArgumentHelp("Ask over this socket before time goes on.", visibility: .hidden))
  var steps: Int32?

  @Option(help: .value("time", "How long what the program started may outlive it."))
  var grace = Interval(nanoseconds: 10_000_000_000)

  @Argument(parsing: .postTerminator, help: "The program and its arguments, behind --.")
  var program: [String] = []

  func validate() throws {
    guard !program.isEmpty else {
      throw ValidationError(CommandNames.missingProgram(Arguments.own))
    }
    if let number, !I2CBusNumber.all.contains(number) {
      throw ValidationError("--number must be from 0 to \(I2CBusNumber.all.upperBound)")
    }
    guard bus == nil || (rig == nil && map.isEmpty) else {
      throw ValidationError("--bus stands alone: no --rig and no --map with it")
    }
    guard bus == nil || !isReal || clock == .real else {
      throw ValidationError("the time of a real bus cannot be virtual")
    }
    guard trace == nil || bus == nil || isReal || namedRig != nil else {
      throw ValidationError("a replay is not recorded again")
    }
    guard number == nil || map.isEmpty else {
      throw ValidationError("--number is for the only bus, --map for one of several: not both")
    }
    guard events != nil || !silent else {
      throw ValidationError("--silent needs --events, which tells what else nobody would hear")
    }
    guard Set(map.map(\.from)).count == map.count else {
      throw ValidationError("--map names a bus twice")
    }
  }

  func run() throws {
    if let parent, !Interposer.ends(with: parent) {
      throw ExitCode(Failure.Kind.unavailable.rawValue)
    }
    var events: EventOutput?
    let text = ProgramReport(explanation: explanation) { sentence in
      if !silent || events?.keepsOlder ?? true { StandardError.say(sentence) }
    }
    let report = { (event: RunEvent) in
      text.take(event)
      events?.take(event)
    }
    // What a program has printed must not be lost with it.
    if limit != nil { setenv("PYTHONUNBUFFERED", "1", 0) }
    let status: Int32
    do throws(Failure) {
      let places = try OutputPlace.check([self.events, trace], reading: inputs)
      if let place = places[0] { events = try EventOutput(place) }
      let rig = bus == nil || namedRig != nil ? try plannedRig() : nil
      do throws(Failure) {
        try OutputPlace.check([self.events, trace], reading: rig?.files ?? [])
      } catch {
        // Nothing is written over what is read, not even why.
        events = nil
        throw error
      }
      // An audit reads its traces at once.
      let output = places[1].map { TraceOutput($0, mayGather: false, isKept: parent == nil) }
      defer { output?.closeAfterFailure() }
      status = close(output, events, try bench(rig, output, report).run(program))
    } catch {
      report(.failure(RunEvent.RunFailure(error)))
      throw ExitCode(error.exitStatus)
    }
    throw ExitCode(status)
  }

  /// Puts what was written in its place.
  ///
  /// - Returns: the status of the program, or why not all was written after one that went well; it is said in any case.
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

  /// What explains the mistakes of the program.
  private var explanation: String {
    ShellCommand.text(
      trace.map { ["aneroid", "diagnose", $0] } ?? ["aneroid", "audit", "--"] + program)
  }

  /// What the command line itself names to be read.
  private var inputs: [String] {
    guard let bus, namedRig == nil else { return [namedRig].compactMap { $0 } }
    if case .trace(let file, _) = BusReference(bus) { return [file] }
    return []
  }

  /// The rig that is named, by either option; one of several buses is chosen by --rig with --map.
  private var namedRig: String? {
    if let rig { return rig }
    guard let bus, case .rig(let file, nil) = BusReference(bus) else { return nil }
    return file
  }

  /// Whether --bus names a real adapter.
  private var isReal: Bool {
    guard let bus, case .adapter = BusReference(bus) else { return false }
    return true
  }

  /// The rig with what is planned in addition.
  private func plannedRig() throws(Failure) -> Rig {
    var rig = if let namedRig { try Rig(path: namedRig) } else { try Rig.builtIn() }
    for fault in fault { try rig.plan(fault: fault) }
    return rig
  }

  private func bench(
    _ rig: Rig?, _ output: TraceOutput?, _ report: @escaping (RunEvent) -> Void
  ) throws(Failure) -> ProgramBench {
    var options = ProgramBench.Options()
    options.mode = fast ? .fast : .full
    if log { options.log = StandardError.say }
    options.isTimeVirtual = clock == .virtual
    if let steps { options.mayPass = StepMark.question(over: steps) }
    options.board = board
    options.limit = limit?.nanoseconds
    options.graceSeconds = Double(grace.nanoseconds) / 1e9
    options.replay = ReplayOptions(replay, pace: times)
    options.trace = output
    options.remarks = !quiet
    if let rig {
      options.numbers = try numbers(in: rig)
      return try ProgramBench(rig, options: options, report: report)
    }
    options.faults = fault
    let bus = bus ?? ""
    switch BusReference(bus) {
    case .rig:
      throw Failure(.unavailable, "bus '\(bus)': for the buses of a rig say --rig FILE")
    case .trace(let file, let traced):
      return try ProgramBench(
        trace: file, bus: traced, number: number, options: options, report: report)
    case .adapter(let adapter):
      return try ProgramBench(
        adapter: adapter, number: number ?? 1, options: options, report: report)
    }
  }

  /// The numbers that the program sees instead of those of the rig.
  private func numbers(in rig: Rig) throws(Failure) -> [Int: Int] {
    guard let number else {
      return Dictionary(uniqueKeysWithValues: map.map { ($0.from, $0.to) })
    }
    guard rig.buses.count == 1 else {
      throw Failure(
        .unavailable, "\(rig.file): it has \(rig.buses.count) buses; say --map OLD=NEW")
    }
    return [rig.buses[0].number: number]
  }
}
