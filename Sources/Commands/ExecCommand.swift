public import ArgumentParser
import Bench
import I2C
import I2CTrace
public import Interposer
import Rigs
import TraceTools

extension Rig.ClockKind: ExpressibleByArgument {}
extension Board: ExpressibleByArgument {}

/// `aneroid exec`: runs a program with the rig's adapters as its /dev/i2c-N.
package struct ExecCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
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
        aneroid exec --frequency 400kHz -- ./reader
        aneroid exec --address 0x77 -- python3 adafruit_example.py
        aneroid exec --part sht4x -- python3 reader.py
        aneroid exec --rig bench.yaml --events events.jsonl -- ./test.sh
        aneroid exec --bus trace:bench.i2ctrace -- python3 my_sensor.py
        aneroid exec --bus /dev/i2c-1 --log -- python3 my_sensor.py
        aneroid exec --bus /dev/i2c-1 --fault 'kind: nack-data' -- ./reader

      The program is unmodified and needs no privileges; its child processes see the same buses. \
      Time follows the wall clock, even if the rig says 'clock: virtual', unless --clock virtual is \
      given. Power was switched on 10 ms before the program starts, at time 0 of the rig's \
      environment; 1 s before if a fault 'left' makes a device keep the state of an earlier program.

      TERM, HUP, INT, QUIT, USR1 and USR2 are forwarded to the program. No child process outlives \
      aneroid: those still running are terminated after --grace, or at once if aneroid was \
      asked to end or is killed.

      Exit status: the program's; 128 + n if signal n ended it; 127 if the program was not found; \
      126 if it cannot be executed; 124 on a deadlock of programs in virtual time; 69 if this \
      machine cannot show a bus (see aneroid doctor); 74 instead of 0 if the trace or the events \
      could not be written.
      """)

  @Option(
    help: "The rig: a file or a built-in name. Default: \(PartNames.usual) on bus 1.",
    completion: Completions.rigs)
  var rig: String?

  @Option(
    help: """
      Instead of a rig, pass a real adapter through as bus 1 (or --number): \(RealAdapter.names). \
      Or replay a trace: FILE.i2ctrace[#number].
      """, completion: Completions.buses)
  var bus: String?

  @Option(
    help: .value(
      "model",
      """
      Without a rig: the part on the bus, the name of a model or of a built-in part file \
      (aneroid part list), a part file, or a program that is a part, which also needs --address. \
      Default: \(PartNames.usual).
      """), completion: Completions.parts)
  var part: String?

  @Option(
    help: .value(
      "name=value",
      "With --part: an input of the part that is no air, such as ain0=1.2, in the unit of 'aneroid part show'; may be repeated."
    ))
  var input: [String] = []

  @Option(
    help:
      "Without a rig: address of the part. Default: its first; for the usual part 0x76, or 0x77.")
  var address: Address?

  @Option(help: .value("number", "Number of the bus, for a rig with one bus."))
  var number: Int?

  @Option(
    help: .value("old=new", "Renumber a bus, for example 1=3; may be repeated."))
  var map: [NumberMapping] = []

  @Flag(
    help: """
      Intercept only open() for reading and writing, and calls that change files. Other system calls \
      run at full speed, but the program must know its bus number (no listing, no stat).
      """)
  var fast = false

  @Option(
    help: """
      real or virtual. In virtual time, sleeps return at once and the program's clocks advance by the \
      time slept.
      """)
  var clock: Rig.ClockKind = .real

  @Option(
    name: .customLong("for"),
    help: .value(
      "time",
      """
      End the program after this much of its time, for example 24h: SIGTERM, then SIGKILL after \
      --grace in the same time. The exit status is then 0, unless the program exits \
      with another one.
      """))
  var limit: Interval?

  @Option(
    help: .value(
      "time",
      """
      With --clock virtual: deadlock timeout in wall-clock time. If the programs wait only for each \
      other for this long, they are ended with a list of what each waits for and exit status 124; \
      0s for never.
      """))
  var stall = Interval(nanoseconds: VirtualTime.defaultStallTimeout)

  @Option(
    help: """
      Show the files by which libraries detect a board (/proc/cpuinfo, /proc/device-tree), for \
      libraries that reject a PC. GPIO is not simulated.
      """)
  var board: Board?

  @Flag(help: "Log each transfer to standard error, one per line.")
  var log = false

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: .value(
      "mode",
      """
      Replay mode of a trace: strict; lenient, which tolerates more or fewer iterations of a polling \
      loop; or model, which answers any transfer with a virtual sensor of the trace's calibration \
      and raw values.
      """))
  var replay: ReplayMode = .lenient

  @Option(
    help: .value("pace", "Timing of a replayed trace: kept, ignored, or a factor such as 0.5."))
  var times: Replay.Pace = .kept

  @Option(
    help: .value(
      "hertz",
      """
      Frequency of every virtual bus, for example 400kHz. Default: the rig's 'frequency', or \
      \(I2CBusFrequency.standardText).
      """), transform: BusFrequency.read)
  var frequency: BusFrequency?

  @Option(
    help: .value(
      "keys",
      """
      Add a fault to those of the rig, with the keys of a rig: 'kind: power-loss, at: 1s'; may be \
      repeated. With --bus, only bus faults such as nack-address or bit-flip are possible; others \
      need a virtual part. The report on exit says how often and when each fault fired.
      """))
  var fault: [String] = []

  @Option(
    help: .value(
      "file",
      """
      Also write events as JSON Lines, with the fields of 'run --format jsonl': the effect of each \
      fault, the charge of each sensor, warnings and the exit status.
      """),
    completion: .file(extensions: ["jsonl"]))
  var events: String?

  @Flag(
    help:
      "Leave standard error to the program and print no messages of aneroid; requires --events."
  )
  var silent = false

  @Flag(
    help: """
      Do not report on exit which accesses of the program a real part would not have tolerated, such \
      as data read before a conversion finished.
      """)
  var quiet = false

  @Flag(
    help: """
      Answer everything that a data sheet leaves open against the program, and let each conversion take \
      the longest time. Keys of the rig overrule it; the fidelity pages list the answers.
      """)
  var harsh = false

  @OptionGroup var permission: ProgramPermission

  @Option(help: ArgumentHelp("End when this process ends.", visibility: .hidden))
  var parent: Int32?

  @Option(help: ArgumentHelp("Request each time step over this socket.", visibility: .hidden))
  var steps: Int32?

  @Option(
    help: .value(
      "time", "Time that child processes may outlive the program, and the program the end of --for."
    ))
  var grace = Interval(nanoseconds: 10_000_000_000)

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
  var program: [String] = []

  /// Creates the command with its default options.
  package init() {}

  package func validate() throws {
    if let complaint = request.complaint { throw ValidationError(complaint) }
  }

  package func run() throws { throw ExitCode(request.run()) }

  /// The options as a request.
  package var request: ExecRequest {
    var request = ExecRequest()
    request.rig = rig
    request.bus = bus
    request.part = part
    request.input = input
    request.address = address
    request.number = number
    request.map = map
    request.fast = fast
    request.clock = clock
    request.limit = limit
    request.stall = stall
    request.board = board
    request.log = log
    request.trace = trace
    request.replay = replay
    request.times = times
    request.frequency = frequency
    request.fault = fault
    request.events = events
    request.silent = silent
    request.quiet = quiet
    request.allowRun = permission.allowRun
    request.harsh = harsh
    request.parent = parent
    request.steps = steps
    request.grace = grace
    request.program = program
    return request
  }
}
