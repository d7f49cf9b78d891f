import ArgumentParser
import Bench
import Files
import FirmwareRuns
import I2C
import Images
import Interposer
import Reports
import Rigs
import Runs
import Text
import TraceTools

extension SerialRoute: ExpressibleByArgument {
  /// Reads `N=stdout`, `N=pty`, `N=none` or `N=FILE`.
  package init?(argument: String) { self.init(argument) }
}

/// `aneroid firmware`: runs an image on a virtual microcontroller with the rig's buses at its pins.
struct FirmwareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firmware",
    abstract: "Run a firmware image on a virtual microcontroller with the buses of a rig.",
    discussion: """
      EXAMPLES
        aneroid firmware build/sensor.elf
        aneroid firmware adafruit.hex --mcu \(FirmwareTarget.example) --address 0x77
        aneroid firmware app.elf --rig weather-station --for 1h --trace run.i2ctrace
        aneroid firmware sketch.hex --mcu \(FirmwareTarget.example) --uart 0=pty --clock real
        aneroid firmware app.elf --fault 'kind: nack-address, at: 1s' --for 10s
        aneroid firmware app.elf --for 1y --energy
        aneroid firmware app.elf --gdb 3333
        aneroid firmware app.elf --until 'PASS' --coverage app.info

      The image is not changed: ELF, Intel HEX, or raw bytes with --at. What it sends over its UARTs appears on \
      standard output. Its time is its own: a minute passes in milliseconds where it sleeps, unless --clock real.

      It ends when it says so by semihosting, with its status; when a line matches --until; or when --for is over. \
      Where it cannot go on (code that runs off, a stack that overflows, a lock-up, an endless loop with interrupts \
      off) the function is told, with the last transfers.

      The exit status is the image's, 0 when its time was over, 1 when it could not go on, 65 when the image is \
      damaged or not for the microcontroller.
      """)

  /// In which form the run is told.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, jsonl
  }

  @OptionGroup var target: FirmwareTarget

  @Option(
    help: "The rig, a file or a built-in name; without one, \(PartNames.usual) on bus 1.",
    completion: Completions.rigs)
  var rig: String?

  @Option(help: "Where the part answers without --rig, 0x76 or 0x77. Default: 0x76.")
  var address: Address?

  @Option(
    name: .customLong("for"),
    help: .value(
      "time", "How long it runs, in its own time; the rig's duration unless given, else 60s."),
    transform: Interval.read)
  var duration: Interval?

  @Option(help: "virtual, or real: its time then follows the wall clock.")
  var clock: Rig.ClockKind = .virtual

  @Option(
    help: .value(
      "port=place",
      """
      Where a serial port goes, by its number or name: N=stdout, N=pty (a terminal of its own), N=none or \
      N=FILE; may be repeated. All go to standard output unless one is named. SEGGER's RTT has the names RTT0 to \
      RTT7, and 'semihosting' is one too; RTT0 and that go to standard output unless they are named.
      """))
  var uart: [SerialRoute] = []

  @Option(
    help: .value(
      "port=bus",
      """
      Which bus is at an I2C controller, for example TWIM0=1, or at two pins SCL/SDA that the program moves \
      itself: PB8/PB9=1; may be repeated.
      """))
  var i2c: [PortTie] = []

  @Option(
    help: .value(
      "regex", "End with status 0 at a line that matches this regular expression; may be repeated.")
  )
  var until: [String] = []

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: """
      A failure that is planned beside those of the rig, with the keys of a rig: 'kind: power-loss, at: 1s'; \
      may be repeated. How often each fired is told at the end.
      """)
  var fault: [String] = []

  @Option(
    help: .value(
      "port", "Wait for GDB on this port of the loopback interface; 0 for any that is free."))
  var gdb: UInt16?

  @Option(
    help: .value(
      "file",
      """
      Keep flash and EEPROM in this file from run to run. The image is programmed over what it held; what it \
      left elsewhere stays.
      """))
  var flash: String?

  @Option(
    help: .value(
      "file",
      "Write which lines of source have run, for genhtml; needs an ELF built with -g, and addr2line."
    ),
    completion: .file(extensions: ["info"]))
  var coverage: String?

  @Flag(help: "Tell at the end what took how much charge, and how long a CR2032 would last.")
  var energy = false

  @Flag(help: "End with status 1 at a register that is not modelled.")
  var strict = false

  @Option(
    help: .value("file", "Names of registers, for what is not modelled: a CMSIS-SVD file."),
    completion: .file(extensions: ["svd"]))
  var svd: String?

  @Option(help: "text (what the UARTs say), json (one object) or jsonl (one event a line).")
  var format: Format = .text

  @Option(
    help: .value(
      "file", "Also write what happens as JSON Lines, with the fields of 'run --format jsonl'."),
    completion: .file(extensions: ["jsonl"]))
  var events: String?

  @Flag(help: "Say nothing on standard error; needs --events, which tells it.")
  var silent = false

  @Flag(help: "Do not tell at the end what it did on the bus that a real part punishes.")
  var quiet = false

  @Option(help: ArgumentHelp("End with this process.", visibility: .hidden))
  var parent: Int32?

  @Option(help: ArgumentHelp("Ask over this socket before time goes on.", visibility: .hidden))
  var steps: Int32?

  func validate() throws {
    for text in until where SerialPattern(text) == nil {
      throw ValidationError("--until: '\(text.visible)' is no regular expression")
    }
    guard rig == nil || address == nil else {
      throw ValidationError("--address moves the part of the built-in bench: not with --rig")
    }
    guard Address.isOfBuiltInPart(address) else {
      throw ValidationError(Address.builtInPartRule)
    }
    guard events != nil || !silent else {
      throw ValidationError(EventOutput.missingForSilence)
    }
  }

  func run() throws {
    if let parent, !Interposer.ends(with: parent) {
      throw ExitCode(Failure.Kind.unavailable.rawValue)
    }
    EndSignals.notice()
    let output = Output()
    var status: Int32 = 0
    do throws(Failure) {
      status = try perform(output)
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    if EndSignals.hasCome { EndSignals.obey() }
    throw ExitCode(status)
  }

  /// Runs it; its exit status.
  private func perform(_ output: Output) throws(Failure) -> Int32 {
    let inputs = [target.image, rig, svd].compactMap(\.self)
    let places = try OutputPlace.check(
      [events, trace, coverage] + uart.map(\.file), reading: inputs, making: nil)
    let events = try places[0].map { place throws(Failure) in try EventOutput(place) }
    do throws(Failure) {
      return try perform(output, trace: places[1], events)
    } catch {
      events?.take(.failure(RunEvent.RunFailure(error)))
      try events?.close()
      throw error
    }
  }

  private func perform(
    _ output: Output, trace place: OutputPlace?, _ events: EventOutput?
  ) throws(Failure) -> Int32 {
    var planned =
      if let rig {
        try Rig(path: rig)
      } else {
        Rig.builtIn(at: address)
      }
    for fault in fault { try planned.plan(fault: fault) }
    try OutputPlace.check([self.events, self.trace, coverage], reading: planned.files)
    let trace = place.map { TraceOutput($0, mayGather: false, isKept: parent == nil) }
    defer { trace?.closeAfterFailure() }
    let (image, model) = try target.chosen(tell: silent ? { _ in } : StandardError.say)
    var options = try options(planned, trace)
    let bench = try FirmwareBench(
      image, on: model, planned, ports: ports(planned), options: options)
    let teller = FirmwareTeller(
      format, output, isSilent: silent, explanation: explanation, events: events,
      showsEnergy: energy)
    defer { teller.clear() }
    if !options.isReal {
      let duration = options.duration
      options.didPass = { teller.show($0, of: duration) }
    }
    let run = try FirmwareRun(
      bench, options: options, standardOutput: teller.takeBytes, report: teller.take)
    let ending =
      if let gdb { try run.run(debuggedAt: gdb) } else { try run.run() }
    if let coverage, let map = run.coverage {
      try OutputFile.write(map.text(), to: coverage)
      if let remark = map.remark(coverage), !silent { StandardError.say(remark) }
    }
    teller.finish(
      ending, from: bench.lead, hasLimit: duration != nil || planned.duration != nil)
    try trace?.close()
    try events?.close()
    return ending.status
  }

  /// Which bus is at which controller: what the rig says, and what the command line adds.
  private func ports(_ rig: Rig) -> [String: Int] {
    i2c.reduce(into: rig.firmware?.ports ?? [:]) { $0[$1.port] = $1.bus }
  }

  private func options(_ rig: Rig, _ trace: TraceOutput?) throws(Failure) -> FirmwareOptions {
    var options = FirmwareOptions()
    options.duration = duration?.nanoseconds ?? rig.duration ?? options.duration
    options.isReal = clock == .real
    options.serial = uart
    options.endings = (until + (rig.firmware?.endings ?? [])).compactMap(
      SerialPattern.init)
    options.isStrict = strict
    options.registers = try svd.map { path throws(Failure) in try RegisterNames(path: path) }
    options.flash = flash
    options.coverage = coverage != nil
    options.energy = energy
    options.remarks = !quiet
    options.trace = trace
    options.isInterrupted = { EndSignals.hasCome }
    if let steps { options.mayPass = StepMark.question(over: steps) }
    return options
  }

  /// What explains the mistakes of the image.
  private var explanation: String {
    ShellCommand.text(
      trace.map { ["aneroid", "diagnose", $0] } ?? ["aneroid", "audit", "--firmware", target.image])
  }
}

extension SerialRoute {
  /// The file that it names, if it does.
  fileprivate var file: String? {
    if case .file(let path) = place { return path }
    return nil
  }
}
