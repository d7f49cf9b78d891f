import Cores
import Glibc
package import Machines
package import Support

extension SerialPort {
  /// The number at the end of the port's name, such as 6 for USART6.
  fileprivate var number: Substring { name.drop { !$0.isNumber } }
}

extension [SerialPort] {
  /// Returns the index of a port by its name in upper or lower case, or of one of the first ports by its number.
  func index(of name: String, numbered count: Int) -> Int? {
    indices.first {
      $0 < count && self[$0].number == name || self[$0].name.lowercased() == name.lowercased()
    }
  }
}

/// The serial ports of a microcontroller and their output destinations.
package final class SerialConsole {
  /// A line that the program has sent on a port.
  package struct Line: Hashable, Sendable {
    /// The time of the line's first byte, in nanoseconds.
    package let time: UInt64
    /// The name of the port.
    package let port: String
    /// The line without its terminator.
    package let text: String
  }

  /// A port and its destination.
  private final class Outlet {
    let port: SerialPort
    @exclusivity(unchecked) var lines = SerialLines()
    @exclusivity(unchecked) var write: ([UInt8]) -> Void = { _ in }
    var terminal: PseudoTerminalPort?
    var file: OutputFile?
    @exclusivity(unchecked) var waiting: [UInt8] = []

    init(_ port: SerialPort) { self.port = port }

    /// Processes a byte; returns the line that the byte completes, if any.
    func take(_ byte: UInt8, _ time: UInt64) -> Line? {
      waiting.append(byte)
      if waiting.count >= 1 << 12 { flush() }
      return lines.take(byte, at: time).map {
        Line(time: lines.start, port: port.name, text: $0)
      }
    }

    func flush() {
      guard !waiting.isEmpty else { return }
      write(waiting)
      waiting.removeAll(keepingCapacity: true)
    }
  }

  /// The output state that all ports share.
  private final class OutputState {
    @exclusivity(unchecked) var isClosed = false
    /// The number of completed lines.
    @exclusivity(unchecked) var lines = 0
    /// The index of the outlet that received the last byte, which is flushed before a different outlet writes.
    @exclusivity(unchecked) var currentOutlet = 0
    @exclusivity(unchecked) var didPut: ByteObserver?
  }

  /// A callback for each byte that the program sends: the byte, its port, whether the port is a UART, and the time.
  typealias ByteObserver = (UInt8, SerialPort, Bool, UInt64) -> Void

  /// The observer of all bytes, before they are written; `nil` for none.
  var didPut: ByteObserver? {
    get { outputState.didPut }
    set { outputState.didPut = newValue }
  }

  private let outputState = OutputState()
  private let outlets: [Outlet]
  private let didEnd: (Line) -> Void
  /// `true` to discard further output.
  package var isClosed: Bool {
    get { outputState.isClosed }
    set { outputState.isClosed = newValue }
  }
  /// The number of completed lines so far.
  var lineCount: Int { outputState.lines }
  /// The names of the opened pseudo terminals, by port.
  package private(set) var terminals: [(port: String, name: String)] = []
  /// The port that receives standard input; `nil` for none.
  private(set) var inputPort: SerialPort?

  /// Connects the ports of a microcontroller to their destinations.
  ///
  /// Without routes, the output of all serial ports goes to standard output. If a route names a port, the output of the
  /// ports without a route is discarded.
  ///
  /// - Parameters:
  ///   - ports: the serial ports, which routes name by number or by name.
  ///   - others: other sources of bytes; `isShown` is `true` if they go to standard output by default.
  ///   - routes: the destinations.
  ///   - standardOutput: a callback that receives bytes for standard output.
  ///   - didEnd: a callback that receives each completed line of any port.
  /// - Throws: `Failure` if a port does not exist, or if a destination cannot be opened.
  package init(
    _ ports: [SerialPort], others: [(port: SerialPort, isShown: Bool)] = [],
    _ routes: [SerialRoute],
    standardOutput: @escaping ([UInt8]) -> Void, didEnd: @escaping (Line) -> Void
  ) throws(Failure) {
    self.didEnd = didEnd
    outlets = (ports + others.map(\.port)).map(Outlet.init)
    var named: Set<Int> = []
    let all = outlets.map(\.port)
    for route in routes {
      guard let index = all.index(of: route.port, numbered: ports.count) else {
        let names = ports.map { "\($0.number) (\($0.name))" } + others.map { $0.port.name }
        throw Failure(
          .usage,
          "unknown serial port '\(route.port)' (accepted: \(names.joined(separator: ", ")))")
      }
      guard named.insert(index).inserted else {
        throw Failure(.usage, "serial port \(outlets[index].port.name) has two destinations")
      }
      try open(outlets[index], route.destination, standardOutput)
    }
    let isAnyNamed = named.contains { $0 < ports.count }
    for (index, outlet) in outlets.enumerated() {
      let isShown = index < ports.count ? !isAnyNamed : others[index - ports.count].isShown
      if isShown, !named.contains(index) { outlet.write = standardOutput }
      outlet.port.output = { [outputState, outlets] byte, time in
        guard !outputState.isClosed else { return }
        outputState.didPut?(byte, outlet.port, index < ports.count, time)
        if outputState.currentOutlet != index {
          outlets[outputState.currentOutlet].flush()
          outputState.currentOutlet = index
        }
        if let line = outlet.take(byte, time) {
          outputState.lines += 1
          didEnd(line)
        }
      }
    }
  }

  private func open(
    _ outlet: Outlet, _ destination: SerialRoute.Destination,
    _ standardOutput: @escaping ([UInt8]) -> Void
  ) throws(Failure) {
    switch destination {
    case .none: break
    case .standardOutput: outlet.write = standardOutput
    case .standardStreams:
      guard inputPort == nil else {
        throw Failure(.usage, "standard input can be the input of one serial port only")
      }
      inputPort = outlet.port
      outlet.write = standardOutput
    case .terminal:
      let terminal = try PseudoTerminalPort()
      outlet.terminal = terminal
      outlet.write = { terminal.write($0) }
      terminals.append((outlet.port.name, terminal.name))
    case .file(let path):
      // The file grows as bytes arrive, so the bytes are not lost if the run is killed.
      let file = try OutputFile(OutputDestination(path), isDurable: false)
      file.appear()
      outlet.file = file
      outlet.write = { file.write($0) }
    }
  }

  /// Flushes pending output.
  package func flush() {
    for outlet in outlets { outlet.flush() }
  }

  /// Flushes pending output and sends input from the pseudo terminals to their ports.
  package func exchange() {
    flush()
    for outlet in outlets {
      if let typed = outlet.terminal?.read(), !typed.isEmpty { outlet.port.send(typed) }
    }
    if let inputPort, StandardInput.isTerminal { inputPort.send(StandardInput.keys()) }
  }

  /// Reports unterminated lines and closes the files.
  ///
  /// - Throws: `Failure` if a file could not be written.
  package func finish() throws(Failure) {
    for outlet in outlets {
      outlet.flush()
      if outlet.lines.isOpen {
        let start = outlet.lines.start
        if let text = outlet.lines.finish() {
          didEnd(Line(time: start, port: outlet.port.name, text: text))
        }
      }
    }
    for outlet in outlets { try outlet.file?.finish() }
  }
}

/// A line splitter for the bytes of a serial port.
struct SerialLines {
  /// The maximum length of a line in bytes.
  ///
  /// Longer lines are split, because a port without line ends would exhaust memory.
  static let longest = 4096

  private var bytes: [UInt8] = []
  /// The time of the line's first byte.
  private(set) var start: UInt64 = 0

  /// Processes a byte; returns the line that the byte completes, if any, without its terminator.
  mutating func take(_ byte: UInt8, at time: UInt64) -> String? {
    if bytes.isEmpty { start = time }
    if byte != 10 {
      bytes.append(byte)
      guard bytes.count >= Self.longest else { return nil }
    }
    return finish()
  }

  /// Ends and returns a line that has no terminator.
  mutating func finish() -> String? {
    defer { bytes.removeAll(keepingCapacity: true) }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `true` if an unterminated line is pending.
  var isOpen: Bool { !bytes.isEmpty }
}

/// The destination of a serial port's output.
package struct SerialRoute: Hashable, Sendable {
  package enum Destination: Hashable, Sendable {
    case standardOutput
    /// Standard output, and standard input as the input of the port.
    case standardStreams
    /// A pseudo terminal, whose name is reported; what is typed in it goes to the port.
    case terminal
    case file(String)
    /// The output is discarded.
    case none
  }

  /// The port's name, or the number at the end of its name.
  package let port: String
  package let destination: Destination

  /// Parses `N=stdout`, `N=stdio`, `N=pty`, `N=none` or `N=FILE`; returns `nil` if the text is invalid.
  ///
  /// The destinations `stdin`, `stderr` and `tty` are invalid; write `./stdin` for a file with that name.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    port = String(text[..<equals])
    switch text[text.index(after: equals)...] {
    // The names of streams that are not valid destinations must not become file names.
    case "", "stdin", "stderr", "tty": return nil
    case "stdout", "-": destination = .standardOutput
    case "stdio": destination = .standardStreams
    case "pty": destination = .terminal
    case "none": destination = .none
    case let file: destination = .file(String(file))
    }
  }
}

/// Standard input as the input of a serial port.
enum StandardInput {
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Reads standard input to its end; empty for a terminal.
  ///
  /// - Throws: `Failure` if it cannot be read or is larger than 16 MiB.
  static func text() throws(Failure) -> [UInt8] {
    isTerminal ? [] : try TextFile.bytes("-", longest: 16 << 20)
  }

  /// Returns the keys that were typed at a terminal since the last call.
  static func keys() -> [UInt8] {
    var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1, poll.revents & Int16(POLLIN) != 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}

/// A pseudo terminal for a serial port, to which any terminal program can connect.
final class PseudoTerminalPort {
  /// The path to open, such as `/dev/pts/3`.
  let name: String
  private let controller: Int32
  /// The terminal side, which is kept open because output would otherwise be lost while no program is connected.
  private let terminal: Int32

  // ioctl requests whose glibc wrappers are not visible in Swift (asm-generic/ioctls.h).
  private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
  private static let getNumber: UInt = 0x8004_5430  // TIOCGPTN

  /// Opens a pseudo terminal in raw mode.
  ///
  /// - Throws: `Failure` (unavailable) if the system provides no pseudo terminal.
  init() throws(Failure) {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard controller >= 0, ioctl(controller, Self.setLock, &locked) == 0,
      ioctl(controller, Self.getNumber, &number) == 0
    else {
      throw Failure(
        .unavailable, "cannot open a pseudo terminal: \(String(cString: strerror(errno)))")
    }
    name = "/dev/pts/\(number)"
    terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    tcgetattr(terminal, &settings)
    cfmakeraw(&settings)
    tcsetattr(terminal, TCSANOW, &settings)
  }

  deinit {
    close(controller)
    if terminal >= 0 { close(terminal) }
  }

  /// Writes bytes, which are lost if the buffer is full, as on a serial line without a receiver.
  func write(_ bytes: [UInt8]) { _ = Glibc.write(controller, bytes, bytes.count) }

  /// Returns the bytes typed since the last call, at most 256.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(controller, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}

/// Semihosting for a program on an ARM core, which makes its requests with BKPT 0xAB.
struct SemihostingConsole {
  private let machine: any Microcontroller
  private var semihosting: Semihosting
  /// The port for all semihosting output, whichever stream the program selects.
  let port: SerialPort

  /// Creates semihosting for a machine.
  init(_ machine: any Microcontroller) {
    self.machine = machine
    let port = SerialPort("semihosting")
    self.port = port
    semihosting = Semihosting { _, bytes in
      let now = machine.clock.nanoseconds
      for byte in bytes { port.output(byte, now) }
    }
  }

  /// Serves the semihosting request at PC and moves PC past it.
  mutating func serve() -> Semihosting.Response {
    let core = machine.core
    let memory = SemihostingMemory(
      read: { core.readByte($0) }, write: { core.writeByte($0, $1) })
    let response = semihosting.serve(
      UInt32(truncatingIfNeeded: core.readRegister(0)),
      UInt32(truncatingIfNeeded: core.readRegister(1)), memory: memory,
      nanoseconds: machine.clock.nanoseconds)
    switch response {
    case .result(let value): core.writeRegister(0, UInt64(value))
    case .unknown: core.writeRegister(0, UInt64(UInt32.max))
    case .exit: break
    }
    core.programCounter = core.programCounter &+ 2
    return response
  }
}
