import ArgumentParser
import Bench
import FirmwareRuns
import I2C
import Images
import Interposer
import Reports
import Rigs
import Runs
import Support
import TraceTools

extension SerialRoute: ExpressibleByArgument {
  /// Parses the destination of a serial port's output: `N=stdout`, `N=stdio`, `N=pty`, `N=none` or `N=FILE`.
  package init?(argument: String) { self.init(argument) }
}

/// `aneroid firmware`: runs an image on a virtual microcontroller wired to the rig's buses.
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
        aneroid firmware app.elf --stimulus 'at: 2s, pin: P0.13, level: low'
        aneroid firmware app.elf --stimulus 'after: {uart: ready}, line: help'
        echo help | aneroid firmware app.elf --uart 0=stdio --for 5s
        aneroid firmware --wokwi pot-uno --scenario pot-uno/test.yaml
        aneroid firmware app.elf --for 1y --energy
        aneroid firmware app.elf --gdb 3333
        aneroid firmware app.elf --until 'PASS' --coverage app.info

      The image is unmodified: ELF, Intel HEX, UF2, or a raw binary with --at. Its UART output appears \
      on standard output. It runs in virtual time, in which sleeping costs nothing, unless \
      --clock real is given.

      The run ends when the image exits by semihosting, with its status; when an output line matches \
      --until; or after --for. If the image cannot continue (execution outside code, stack overflow, \
      lockup, an endless loop with interrupts disabled), the function is reported with the last \
      transfers.

      Exit status: the image's; 0 at the end of the run; 1 if the image could not continue; 65 if the \
      image is damaged or not for this microcontroller.
      """)

  /// The output format of a run.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, jsonl
  }

  @OptionGroup var target: FirmwareTarget

  @Option(
    help: "The rig: a file or a built-in name. Default: \(PartNames.usual) on bus 1.",
    completion: Completions.rigs)
  var rig: String?

  @OptionGroup var permission: ProgramPermission

  @Option(help: "Without a rig: address of the part, 0x76 or 0x77. Default: 0x76.")
  var address: Address?

  @Option(
    name: .customLong("for"),
    help: .value(
      "time", "Simulated time to run. Default: the rig's 'duration', or 60s."),
    transform: Interval.read)
  var duration: Interval?

  @Option(help: "virtual, or real to follow the wall clock.")
  var clock: Rig.ClockKind = .virtual

  @Option(
    help: .value(
      "port=target",
      """
      Target of a serial port, by its number or name: N=stdout, N=stdio (with standard input: keys as \
      they are typed, or a file line by line, each after 0.1 s of silence), N=pty (a new \
      pseudo-terminal), N=none or N=FILE; may be repeated. Other ports are RTT0 to RTT7 (SEGGER RTT) \
      and semihosting. Default: stdout for all UARTs if none is named, and for RTT0 and semihosting.
      """))
  var uart: [SerialRoute] = []

  @Option(
    help: .value(
      "port=bus",
      """
      Bus connected to an I2C controller, for example TWIM0=1, or to two GPIO pins SCL/SDA for \
      bit-banging: PB8/PB9=1; may be repeated.
      """))
  var i2c: [PortTie] = []

  @Option(
    help: .value(
      "name=value",
      "A fuse byte of an AVR: low=0xE2, high=0xDE, extended=0xFD; may be repeated. Default: a crystal of 16 MHz."
    ))
  var fuse: [FuseSetting] = []

  @Option(
    help: .value(
      "regex",
      "End with status 0 at an output line that matches this regular expression; may be repeated.")
  )
  var until: [String] = []

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(
    help: .value(
      "file",
      "With --wokwi: the steps of a scenario. The exit status is 0 at its end, 1 if a step fails, 42 after --for."
    ),
    completion: .file(extensions: ["yaml"]))
  var scenario: String?

  @Option(
    help: .value(
      "file", "Also write what the display of the rig shows at the end, as an SVG picture."),
    completion: .file(extensions: ["svg"]))
  var screen: String?

  @Option(
    help: .value(
      "file", "Also write the levels of all GPIO pins as a VCD file, for GTKWave or PulseView."),
    completion: .file(extensions: ["vcd"]))
  var vcd: String?

  @Option(
    help: .value("file", "Also write the packets of the radio as a PCAP file, for Wireshark."),
    completion: .file(extensions: ["pcap"]))
  var radio: String?

  @Option(
    help: """
      Add a fault to those of the rig, with the keys of a rig: 'kind: power-loss, at: 1s'; may be \
      repeated. The report on exit says how often and when each fault fired.
      """)
  var fault: [String] = []

  @Option(
    help: .value(
      "keys",
      """
      Add an action from outside, with the keys of 'stimuli' in a rig (aneroid rig reference): a button 'at: 1s, pin: PC13, \
      level: low, for: 50ms, bounce: 5ms'; a line at a UART 'after: {uart: ready}, line: start'; a voltage 'input: 0, \
      voltage: 1.2V'; may be repeated.
      """))
  var stimulus: [String] = []

  @Option(
    help: .value(
      "port", "Wait for GDB on this port of the loopback interface; 0 for any free port."))
  var gdb: UInt16?

  @Option(
    help: .value(
      "file",
      """
      Keep flash and EEPROM in this file between runs. The image is programmed over the old contents; \
      data outside the image is kept.
      """))
  var flash: String?

  @Option(
    help: .value(
      "file",
      "Write line coverage for genhtml; requires an ELF built with -g, and addr2line."
    ),
    completion: .file(extensions: ["info"]))
  var coverage: String?

  @Option(
    help: ArgumentHelp(
      "Write the addresses of executed instructions.", valueName: "file", visibility: .hidden))
  var blocks: String?

  @Flag(help: "Print the charge used by each consumer and the life of a CR2032 on exit.")
  var energy = false

  @Flag(help: "End with status 1 at the first access to an unmodelled register.")
  var strict = false

  @Option(
    help: .value("file", "CMSIS-SVD file with the names of unmodelled registers."),
    completion: .file(extensions: ["svd"]))
  var svd: String?

  @Option(help: "text (the output of the UARTs), json (one object) or jsonl (one event per line).")
  var format: Format = .text

  @Option(
    help: .value(
      "file", "Also write events as JSON Lines, with the fields of 'run --format jsonl'."),
    completion: .file(extensions: ["jsonl"]))
  var events: String?

  @Flag(help: "Print nothing on standard error; requires --events.")
  var silent = false

  @Flag(help: "Do not report on exit which bus accesses a real part would not have tolerated.")
  var quiet = false

  @Option(help: ArgumentHelp("End when this process ends.", visibility: .hidden))
  var parent: Int32?

  @Option(help: ArgumentHelp("Request each time step over this socket.", visibility: .hidden))
  var steps: Int32?

  func validate() throws {
    for text in until where SerialPattern(text) == nil {
      throw ValidationError("--until: '\(text.visible)' is not a valid regular expression")
    }
    guard rig == nil || address == nil else {
      throw ValidationError(
        "--address is only for the built-in bench and cannot be used with --rig")
    }
    guard Address.isOfBuiltInPart(address) else {
      throw ValidationError(Address.builtInPartRule)
    }
    guard scenario == nil || target.wokwi != nil else {
      throw ValidationError("--scenario needs --wokwi")
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
    if EndSignals.hasCome { EndSignals.terminate() }
    throw ExitCode(status)
  }

  /// Runs the image and returns the exit status.
  private func perform(_ output: Output) throws(Failure) -> Int32 {
    let inputs = [target.image, rig, svd, scenario].compactMap(\.self) + target.also
    let places = try OutputDestination.check(
      [events, trace, vcd, radio, coverage, screen] + uart.map(\.file), reading: inputs,
      making: nil)
    let events = try places[0].map { place throws(Failure) in try EventOutput(place) }
    do throws(Failure) {
      return try perform(output, trace: places[1], pins: places[2], radio: places[3], events)
    } catch {
      events?.take(.failure(RunEvent.RunFailure(error)))
      try events?.close()
      throw error
    }
  }

  private func perform(
    _ output: Output, trace place: OutputDestination?, pins: OutputDestination?,
    radio: OutputDestination?, _ events: EventOutput?
  ) throws(Failure) -> Int32 {
    let (image, model, project) = try target.chosen(notify: silent ? { _ in } : StandardError.say)
    var planned =
      if let rig {
        try Rig(path: rig)
      } else if let text = project?.rigText {
        try Rig(text: text, file: "the diagram")
      } else {
        Rig.builtIn(at: address)
      }
    for fault in fault { try planned.plan(fault: fault) }
    for stimulus in stimulus { try planned.plan(stimulus: stimulus) }
    planned.allowsPrograms = permission.allowRun
    try OutputDestination.check(
      [self.events, self.trace, vcd, self.radio, coverage, screen], reading: planned.files)
    let trace = place.map { TraceOutput($0, mayBuffer: false, isKept: parent == nil) }
    defer { trace?.closeAfterFailure() }
    var options = try options(planned, trace)
    (options.pinDump, options.radio) = (pins, radio)
    options.wokwi = project
    options.scenario = try scenario.map { path throws(Failure) in try WokwiScenario(path: path) }
    // If the diagram has no parts on a bus, a rig may add some.
    options.leavesBusesOpen = project != nil && project?.rigText == nil && rig == nil
    let bench = try FirmwareBench(
      image, on: model, planned, ports: ports(planned), options: options)
    let report = FirmwareOutput(
      format, output, isSilent: silent, explanation: explanation, events: events,
      showsEnergy: energy)
    defer { report.clear() }
    if !options.isReal {
      let duration = options.duration
      options.didPass = { report.show($0, of: duration) }
    }
    let run = try FirmwareRun(
      bench, options: options, standardOutput: report.takeBytes, report: report.take)
    let ending =
      if let gdb { try run.run(debuggedAt: gdb) } else { try run.run() }
    if let blocks {
      try OutputFile.write(run.executedInstructions, to: blocks, isDurable: false)
    }
    if let screen { try write(report.screens, to: screen) }
    if let coverage, let map = run.coverage {
      try OutputFile.write(map.text(), to: coverage)
      if let remark = map.warning(coverage), !silent { StandardError.say(remark) }
    }
    report.finish(
      ending, from: bench.leadTime, hasLimit: duration != nil || planned.duration != nil)
    try trace?.close()
    try events?.close()
    return ending.status
  }

  /// Writes the picture of a display.
  private func write(_ screens: [RunEvent.Screen], to file: String) throws(Failure) {
    guard let picture = screens.first, screens.count == 1 else {
      throw Failure(
        .usage,
        "--screen: the rig has \(screens.isEmpty ? "no display" : "several displays"), but one is needed"
      )
    }
    try OutputFile.write(picture.svg, to: file)
  }

  /// The number of the bus connected to each I2C controller, according to the rig and the command
  /// line.
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
    options.fuses = rig.firmware?.fuses ?? [:]
    for setting in fuse { options.fuses[setting.name] = setting.value }
    options.isStrict = strict
    options.registers = try svd.map { path throws(Failure) in try RegisterNames(path: path) }
    options.flash = flash
    options.coverage = coverage != nil
    options.recordsInstructions = blocks != nil
    options.energy = energy
    options.reportsWarnings = !quiet
    options.trace = trace
    options.isInterrupted = { EndSignals.hasCome }
    if let steps { options.mayPass = StepMark.request(over: steps) }
    return options
  }

  /// The command that explains the bus errors of the image.
  private var explanation: String {
    ShellCommand.text(
      trace.map { ["aneroid", "diagnose", $0] }
        ?? ["aneroid", "audit", "--firmware", target.image ?? ""])
  }
}

extension SerialRoute {
  /// The path of the file to which a serial port's output is written; `nil` for other destinations.
  fileprivate var file: String? {
    if case .file(let path) = destination { return path }
    return nil
  }
}

/// An address on the command line; hexadecimal with `0x`.
struct ImageAddress: ExpressibleByArgument {
  let value: UInt32

  init?(argument: String) {
    guard let number = RigText.integer(argument), let value = UInt32(exactly: number) else {
      return nil
    }
    self.value = value
  }
}

/// The firmware image and the microcontroller to run it on.
struct FirmwareTarget: ParsableArguments {
  /// An example name of a microcontroller, for help.
  static let example = MicrocontrollerModel.all.last?.name ?? ""

  @Argument(
    help: "The image: ELF, Intel HEX, UF2 or a raw binary.",
    completion: .file(extensions: ["elf", "hex", "bin"]))
  var image: String?

  @Option(
    help: .value(
      "folder",
      """
      Instead of an image: a Wokwi project, with wokwi.toml and diagram.json. Its buttons, switches and analog parts are \
      at the pins.
      """), completion: .directory)
  var wokwi: String?

  @Option(
    help: .value(
      "name",
      "The microcontroller: \(MicrocontrollerModel.names). Default: the only one that the image fits."
    ),
    completion: .list(MicrocontrollerModel.all.map(\.name)))
  var mcu: String?

  @Option(help: .value("address", "Load address of a raw binary, for example 0x08000000."))
  var at: ImageAddress?

  @Option(
    help: .value(
      "file",
      """
      A further ELF, Intel HEX or UF2 file for the same microcontroller, such as a boot loader or a SoftDevice; may be \
      repeated. An AVR then starts in the boot loader.
      """), completion: .file(extensions: ["elf", "hex"]))
  var also: [String] = []

  func validate() throws {
    if let mcu, MicrocontrollerModel.named(mcu) == nil {
      throw ValidationError(MicrocontrollerModel.unknown(mcu))
    }
    guard (image == nil) != (wokwi == nil) else {
      throw ValidationError(
        image == nil
          ? "an image is missing, or a Wokwi project: --wokwi FOLDER"
          : "an image and --wokwi exclude each other")
    }
    guard wokwi == nil || mcu == nil && at == nil else {
      throw ValidationError(
        "--mcu and --at cannot be used with --wokwi, whose diagram names the board")
    }
  }

  /// Loads the image and finds its microcontroller.
  ///
  /// - Parameter notify: called with the name of a microcontroller that was chosen automatically.
  /// - Returns: the image, its microcontroller, and the Wokwi project to which it belongs, if any.
  /// - Throws: `Failure` if the file is not a firmware image, or fits no microcontroller.
  func chosen(
    notify: (String) -> Void
  ) throws(Failure) -> (image: FirmwareImage, model: MicrocontrollerModel, project: WokwiProject?) {
    let project = try wokwi.map { folder throws(Failure) in try WokwiProject(folder: folder) }
    let mcu = project?.microcontroller ?? mcu
    let profiles = MicrocontrollerModel.profiles(mcu)
    var image = try FirmwareImage(
      path: project?.image ?? image ?? "", rawAddress: at?.value, for: profiles)
    for path in also { image = try image.adding(FirmwareImage(path: path, for: profiles)) }
    return (image, try MicrocontrollerModel.chosen(mcu, for: image, notify: notify), project)
  }
}

/// A fuse byte: `high=0xDE`; avrdude's names `lfuse`, `hfuse` and `efuse` are accepted too.
struct FuseSetting: ExpressibleByArgument {
  let name: String
  let value: UInt8

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let number = RigText.integer(String(parts[1])),
      let value = UInt8(exactly: number)
    else { return nil }
    let name = parts[0].lowercased()
    self.name = ["lfuse": "low", "hfuse": "high", "efuse": "extended"][name] ?? name
    self.value = value
  }
}

/// The bus connected to an I2C controller or to two pins: `TWIM0=1`, `PB8/PB9=1`.
struct PortTie: ExpressibleByArgument {
  /// The controller's name, or `SCL/SDA` pin names.
  let port: String
  /// The bus number.
  let bus: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let bus = Int(parts[1]), bus >= 0 else {
      return nil
    }
    (port, self.bus) = (String(parts[0]), bus)
  }
}
