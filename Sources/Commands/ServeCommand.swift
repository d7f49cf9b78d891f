import ArgumentParser
import Bench
import Bridges
import BusServers
import Glibc
import I2C
import I2CTrace
import Reports
import Rigs
import Runs
import Support
import TraceTools

/// `aneroid serve`: offers a bus to virtual machines, to this machine's kernel and to clients of an Arduino.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a bus to a virtual machine, a kernel or a client of an Arduino.",
    discussion: """
      EXAMPLES
        aneroid serve --usbredir /tmp/bus.socket
        aneroid serve --part sht4x --vhost-user /tmp/bus.socket
        aneroid serve weather-station --usbip 127.0.0.1:3240
        aneroid serve --firmata /tmp/arduino --log
        aneroid serve trace:bench.i2ctrace --usbredir /tmp/bus.socket
        aneroid serve /dev/i2c-1 --usbredir /tmp/bus.socket --trace t.i2ctrace

      The bus runs in real time, with its faults and its trace as for exec; times such as 'at: 20s' begin with serve. \
      Prints for each transport what to type on the other side, and serves until a signal or --for ends it. Several \
      transports share the bus; a transport serves one client at a time, and the next one after it.

        --usbredir    QEMU's usb-redir: an adapter i2c-tiny-usb, which stock kernels know
        --usbip       the same adapter for vhci-hcd, on this machine or in a guest
        --vhost-user  QEMU's vhost-user-i2c-pci: a virtio adapter, for kernels with i2c-virtio
        --firmata     a serial port with an Arduino that speaks Firmata
        --bridge      a board over Bluetooth LE, for phones

      While one client's transfer is open, the others wait. Messages are left out while nothing reads standard error, \
      and counted if more than \(RepeatedNotices.burst) of a kind come within \(RepeatedNotices.period / 1_000_000_000) s.

      Exit status: 0; 69 if the bus or a transport is not available; 74 if the trace or the events could not be \
      written; 64, 65, 66 and 78 as for every command.
      """)

  /// A board in examples.
  private static let board = BoardModel.all[0].name

  @Argument(
    help: .value("bus", "The bus; same as --bus."), completion: Completions.buses)
  var reference: String?

  @Option(
    name: .customLong("bus"),
    help: .value(
      "bus",
      """
      The bus: a rig (a file or a built-in name), FILE.i2ctrace or trace:FILE, or a real adapter such as \
      /dev/i2c-1. Default: \(PartNames.usual).
      """), completion: Completions.buses)
  var namedBus: String?

  @Option(
    help: .value(
      "path", "Socket for QEMU's usb-redir; only this user can open it. A stale one is replaced."),
    completion: .file())
  var usbredir: String?

  @Option(
    help: .value(
      "address",
      "Loopback address and port for USB/IP, such as 127.0.0.1:3240; port 0 for a free one."
    ))
  var usbip: String?

  @Option(
    help: .value(
      "path",
      "Socket for QEMU's vhost-user-i2c-pci; only this user can open it. A stale one is replaced."
    ), completion: .file())
  var vhostUser: String?

  @Option(
    help: .value(
      "path",
      "Link to the serial port of an Arduino with Firmata. A link that leads nowhere is replaced."),
    completion: .file())
  var firmata: String?

  @Option(
    help: .value(
      "board@radio",
      """
      Board of a bridge over Bluetooth LE and its radio, such as \(ServeCommand.board)@usb:0 or \(ServeCommand.board)@hci-socket:0; or \
      air:TRANSPORT for a virtual radio, in whose range a controller is reachable there, such as \
      \(ServeCommand.board)@air:tcp-server:127.0.0.1:6402. Needs Python's bumble.
      """))
  var bridge: String?

  @Option(
    help: .value("model", "Without a bus: the part, as for exec. Default: \(PartNames.usual)."),
    completion: Completions.parts)
  var part: String?

  @Option(
    help: .value(
      "name=value", "With --part: an input of the part that is no air; may be repeated."))
  var input: [String] = []

  @Option(help: "Without a bus: address of the part. Default: its first.")
  var address: Address?

  @Option(help: .value("number", "Number of the bus, for a rig with several buses."))
  var number: Int?

  @Flag(help: "Log each transfer to standard error, one per line.")
  var log = false

  @Option(
    help: .value("file", "Also record every transfer."), completion: .file(extensions: ["i2ctrace"])
  )
  var trace: String?

  @Option(help: .value("mode", "Replay mode of a trace: strict, lenient or model, as for exec."))
  var replay: ReplayMode = .lenient

  @Option(
    help: .value(
      "hertz", "Frequency of a virtual bus. Default: the rig's, or \(I2CBusFrequency.standardText)."
    ),
    transform: BusFrequency.read)
  var frequency: BusFrequency?

  @Option(
    help: .value("keys", "Add a fault, with the keys of a rig, as for exec; may be repeated."))
  var fault: [String] = []

  @Option(
    help: .value("file", "Also write events as JSON Lines, as exec does."),
    completion: .file(extensions: ["jsonl"]))
  var events: String?

  @Flag(help: "Do not report at the end what a real part would not have tolerated.")
  var quiet = false

  @Flag(help: "Answer everything that a data sheet leaves open against the client.")
  var harsh = false

  @Option(name: .customLong("for"), help: .value("time", "Serve only this long, for example 1h."))
  var limit: Interval?

  @OptionGroup var permission: ProgramPermission

  func validate() throws {
    guard reference == nil || namedBus == nil else {
      throw ValidationError(
        "two buses given: '\(reference ?? "")' and --bus '\(namedBus ?? "")'; name only one")
    }
    if let bridge, Self.bridge(bridge) == nil {
      let known = BoardModel.all.map(\.name).joined(separator: ", ")
      throw ValidationError(
        "--bridge '\(bridge)': a board and its radio are expected, such as \(Self.board)@usb:0"
          + " (boards: \(known))")
    }
    guard !transports.isEmpty else {
      throw ValidationError(
        "no transport given: one of --usbredir, --usbip, --vhost-user, --firmata and --bridge is required"
      )
    }
    let paths = [usbredir, vhostUser, firmata].compactMap { $0 }
    guard Set(paths).count == paths.count else {
      throw ValidationError("two transports have the same path; each needs its own")
    }
    if let complaint = request.benchComplaint { throw ValidationError(complaint) }
  }

  private var bus: String? { reference ?? namedBus }

  /// Parses the value of --bridge; `nil` if it has no known board or no radio.
  private static func bridge(_ text: String) -> ServedBench.Bridge? {
    let parts = text.split(separator: "@", maxSplits: 1)
    guard parts.count == 2, let model = BoardModel.named(String(parts[0])) else { return nil }
    return ServedBench.Bridge(model, radio: String(parts[1]))
  }

  private var transports: ServedBench.Transports {
    var transports = ServedBench.Transports()
    transports.usbRedirection = usbredir
    transports.usbip = usbip
    transports.vhostUser = vhostUser
    transports.firmata = firmata
    transports.bridge = bridge.flatMap(Self.bridge)
    return transports
  }

  /// The options that select the bench, which are those of `exec`.
  private var request: ExecRequest {
    var request = ExecRequest()
    if let bus, case .rig(let file, _) = BusReference(bus) {
      request.rig = file
    } else {
      request.bus = bus
      request.number = number
    }
    request.part = part
    request.input = input
    request.address = address
    request.log = log
    request.trace = trace
    request.replay = replay
    request.frequency = frequency
    request.fault = fault
    request.events = events
    request.quiet = quiet
    request.harsh = harsh
    request.allowRun = permission.allowRun
    return request
  }

  /// The number of the bus in the rig; `nil` for the only one.
  private var selected: Int? {
    if let bus, case .rig(_, let selected?) = BusReference(bus) { return selected }
    return number
  }

  func run() throws {
    let status: Int32
    do throws(Failure) { status = try serve() } catch { throw StandardError.exit(error) }
    if status != 0 { throw ExitCode(status) }
  }

  /// Serves the bus to its end.
  ///
  /// - Returns: the exit status.
  private func serve() throws(Failure) -> Int32 {
    let request = request
    let places = try OutputDestination.check([events, trace], reading: request.inputs)
    let rig = request.bus == nil ? try request.plannedRig() : nil
    try OutputDestination.check([events, trace], reading: rig?.files ?? [])
    let events = try places[0].map { place throws(Failure) in try EventOutput(place) }
    let output = places[1].map { TraceOutput($0, mayBuffer: false) }
    defer { output?.closeAfterFailure() }
    // Clients are served whether or not anyone reads the messages, and while a disk is full.
    StandardError.waitsForReader = false
    let warn = { (failure: Failure) in
      failure.messages.forEach { StandardError.say("\($0); the bus is still served") }
    }
    events?.onFailure(warn)
    output?.onFailure = warn
    let text = ProgramReport(explanation: request.explanation) { StandardError.say($0) }
    let report = { (event: RunEvent) in
      text.take(event)
      events?.take(event)
    }
    let buses = try request.clientBuses(rig, output, report)
    let bench = try ServedBench(
      buses, number: rig == nil ? nil : selected, transports, limit: limit?.nanoseconds,
      report: report)
    EndSignals.notice()
    let lines = bench.accesses.flatMap(\.lines).map { TerminalText.safe($0) + "\n" }.joined()
    // Output would exit, and leave the sockets of the transports.
    signal(SIGPIPE, SIG_IGN)
    if ProgramStart.isOutputClosed { ProgramStart.hasLostOutput = true }
    guard writeAll(Array(lines.utf8), to: STDOUT_FILENO) == 0 else {
      bench.close()
      throw Failure(.inputOutput, "standard output: the lines for clients could not be written")
    }
    let status = bench.run { EndSignals.hasCome }
    try output?.close()
    try events?.close()
    return status
  }
}

extension ServedBench.Access {
  /// What to type on the other side.
  fileprivate var lines: [String] {
    switch self {
    case .usbRedirection(let path):
      [
        "usbredir: options for QEMU: -device qemu-xhci -chardev \(socket(path))"
          + " -device usb-redir,chardev=aneroid",
        "usbredir: in the guest: modprobe -a xhci-pci i2c-tiny-usb i2c-dev; sleep 1; i2cdetect -l",
      ]
    case .usbip(let address, let port):
      [
        "usbip: modprobe -a vhci-hcd i2c-tiny-usb i2c-dev;"
          + " usbip --tcp-port \(port) attach -r \(address) -b 1-1; sleep 1; i2cdetect -l",
        "usbip: in a guest of QEMU with a user network, the address is 10.0.2.2",
      ]
    case .vhostUser(let path):
      [
        "vhost-user: options for QEMU: -m 512M -object memory-backend-memfd,id=mem,size=512M,share=on"
          + " -machine memory-backend=mem -chardev \(socket(path))"
          + " -device vhost-user-i2c-pci,chardev=aneroid",
        "vhost-user: in the guest, whose kernel needs the module i2c-virtio:"
          + " modprobe -a i2c-virtio i2c-dev; i2cdetect -l",
      ]
    case .firmata(let path):
      [
        "firmata: the serial port is \(ShellCommand.text([Self.absolute(path)]));"
          + " pymata4: Pymata4(com_port=\"\(Self.absolute(path))\", arduino_wait=0)"
      ]
    case .bridge(let bridge):
      [
        "\(bridge.model.name): a board advertises as \(bridge.model.profile.name);"
          + " a client: aneroid read --bus \(ShellCommand.text([bridge.clientName]))"
      ]
    }
  }

  /// The chardev of a socket, as a word of a shell; QEMU doubles commas in a path.
  private func socket(_ path: String) -> String {
    let escaped = Self.absolute(path).replacing(",", with: ",,")
    return ShellCommand.text(["socket,path=\(escaped),id=aneroid"])
  }

  /// Returns a path that is valid in every folder.
  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var folder = [CChar](repeating: 0, count: 4096)
    guard getcwd(&folder, folder.count) != nil else { return path }
    return String(decoding: folder.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      + "/" + path
  }
}
