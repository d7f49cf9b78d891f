public import ArgumentParser
import I2C
import I2CTrace
public import Interposer
import Rigs
import TraceTools

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
        aneroid exec --frequency 400kHz -- ./reader
        aneroid exec --address 0x77 -- python3 adafruit_example.py
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
      is no such program, 126 if it cannot be run, 124 where programs with virtual time wait for \
      each other for ever, 69 where this machine cannot \
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

  @Option(
    help: "Without a rig: the address of the part, 0x76 or 0x77. Default: 0x76.")
  var address: Address?

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
    help: .value(
      "time",
      """
      With --clock virtual: after how long, of the machine's time, programs that wait for each other, and for nothing \
      from outside, are ended, with a list of who waits for what and exit status 124; 0s for never.
      """))
  var stall = Interval(nanoseconds: VirtualTime.usualPatience)

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
      "hertz",
      """
      The frequency of each virtual bus instead of the rig's, for example 400kHz. Default: the rig's, else \
      \(I2CBusFrequency.standardText).
      """), transform: BusFrequency.read)
  var frequency: BusFrequency?

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
    if let complaint = request.complaint { throw ValidationError(complaint) }
  }

  func run() throws { throw ExitCode(request.run()) }

  /// The same without its parser.
  var request: ExecRequest {
    var request = ExecRequest()
    request.rig = rig
    request.bus = bus
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
    request.parent = parent
    request.steps = steps
    request.grace = grace
    request.program = program
    return request
  }
}
