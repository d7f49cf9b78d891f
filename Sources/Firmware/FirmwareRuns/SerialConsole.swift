import Cores
package import Files
import Glibc
package import Machines
import Text

extension SerialPort {
  /// The number at the end of the name: 6 of USART6.
  fileprivate var number: Substring { name.drop { !$0.isNumber } }
}

/// The serial ports of a microcontroller and their output destinations.
package final class SerialConsole {
  /// A line sent by a port.
  package struct Line: Hashable, Sendable {
    /// The time of its first byte, in nanoseconds.
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

    /// Processes a byte; returns the line that it completes.
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

  /// Shared output state of all ports.
  private final class OutputState {
    @exclusivity(unchecked) var isClosed = false
    /// The number of completed lines.
    @exclusivity(unchecked) var lines = 0
    /// The index of the outlet that took the last byte; before another one writes, it is flushed.
    @exclusivity(unchecked) var currentOutlet = 0
  }

  private let outputState = OutputState()
  private let outlets: [Outlet]
  private let didEnd: (Line) -> Void
  /// Whether further output is discarded.
  package var isClosed: Bool {
    get { outputState.isClosed }
    set { outputState.isClosed = newValue }
  }
  /// The number of completed lines so far.
  var lineCount: Int { outputState.lines }
  /// The names of the opened pseudo terminals, by port.
  package private(set) var terminals: [(port: String, name: String)] = []

  /// Connects the ports of a microcontroller to their destinations.
  ///
  /// By default all its serial ports go to standard output; if a route names one of them, the ports without a route are
  /// silent.
  ///
  /// - Parameters:
  ///   - ports: the serial ports, which routes name by number or by name.
  ///   - others: other sources of bytes, and whether they go to standard output by default.
  ///   - routes: the destinations.
  ///   - standardOutput: receives bytes for standard output.
  ///   - didEnd: receives each line of any port.
  /// - Throws: `Failure` if a port does not exist, or if a destination cannot be opened.
  package init(
    _ ports: [SerialPort], others: [(port: SerialPort, isShown: Bool)] = [],
    _ routes: [SerialRoute],
    standardOutput: @escaping ([UInt8]) -> Void, didEnd: @escaping (Line) -> Void
  ) throws(Failure) {
    self.didEnd = didEnd
    outlets = (ports + others.map(\.port)).map(Outlet.init)
    var named: Set<Int> = []
    for route in routes {
      let index = outlets.indices.first {
        $0 < ports.count && outlets[$0].port.number == route.port
          || outlets[$0].port.name.lowercased() == route.port.lowercased()
      }
      guard let index else {
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
    case .terminal:
      let terminal = try PseudoTerminalPort()
      outlet.terminal = terminal
      outlet.write = { terminal.write($0) }
      terminals.append((outlet.port.name, terminal.name))
    case .file(let path):
      // The file grows as bytes arrive, so that a killed run leaves them.
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

  /// Flushes pending output and reads terminal input.
  package func exchange() {
    flush()
    for outlet in outlets {
      if let typed = outlet.terminal?.read(), !typed.isEmpty { outlet.port.send(typed) }
    }
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
  /// The maximum length of a line; longer ones are split, so that a port without line ends does not exhaust memory.
  static let longest = 4096

  private var bytes: [UInt8] = []
  /// The time of the line's first byte.
  private(set) var start: UInt64 = 0

  /// Processes a byte; returns the line that it completes, without its terminator.
  mutating func take(_ byte: UInt8, at time: UInt64) -> String? {
    if bytes.isEmpty { start = time }
    if byte != 10 {
      bytes.append(byte)
      guard bytes.count >= Self.longest else { return nil }
    }
    return finish()
  }

  /// Returns an unterminated line.
  mutating func finish() -> String? {
    defer { bytes.removeAll(keepingCapacity: true) }
    if bytes.last == 13 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a line has started.
  var isOpen: Bool { !bytes.isEmpty }
}

/// The destination of a serial port's output.
package struct SerialRoute: Hashable, Sendable {
  /// A destination.
  package enum Destination: Hashable, Sendable {
    /// Standard output.
    case standardOutput
    /// A pseudo terminal, whose name is reported; its input goes to the port.
    case terminal
    /// A file.
    case file(String)
    /// Discarded.
    case none
  }

  /// The number at the end of the port's name, or its name.
  package let port: String
  /// The destination.
  package let destination: Destination

  /// Parses `N=stdout`, `N=pty`, `N=none` or `N=FILE`; `nil` if invalid, including `stdin`, `stderr` and `tty`: write
  /// `./stdin` for a file of that name.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    port = String(text[..<equals])
    switch text[text.index(after: equals)...] {
    // Names of streams that are no valid destinations are not taken as file names.
    case "", "stdin", "stderr", "tty": return nil
    case "stdout", "-": destination = .standardOutput
    case "pty": destination = .terminal
    case "none": destination = .none
    case let file: destination = .file(String(file))
    }
  }
}

/// A pseudo terminal for a serial port, to which any terminal program can connect.
final class PseudoTerminalPort {
  /// The path to open, such as `/dev/pts/3`.
  let name: String
  private let controller: Int32
  /// Kept open, so that output is not lost while no program is connected.
  private let terminal: Int32

  // ioctl requests whose glibc wrappers are not visible in Swift (asm-generic/ioctls.h).
  private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
  private static let getNumber: UInt = 0x8004_5430  // TIOCGPTN

  /// Opens a pseudo terminal in raw mode.
  ///
  /// - Throws: `Failure` of kind unavailable.
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

  /// Writes bytes; they are lost if the buffer is full, as on a line without a receiver.
  func write(_ bytes: [UInt8]) { _ = Glibc.write(controller, bytes, bytes.count) }

  /// Returns input since the last call.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(controller, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}

/// Semihosting of a program on an ARM core by BKPT 0xAB.
struct SemihostingConsole {
  private let machine: any Microcontroller
  private var semihosting: Semihosting
  /// The port for all semihosting output, regardless of its stream.
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

  /// Serves the request at PC and continues after it.
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
