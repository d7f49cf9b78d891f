package import Files
package import Machines

extension SerialPort {
  /// Its number, with which its name ends: 6 of USART6.
  fileprivate var number: Substring { name.drop { !$0.isNumber } }
}

/// The serial ports of a microcontroller, and where their bytes go.
package final class SerialConsole {
  /// A line that a port has sent.
  package struct Line: Hashable, Sendable {
    /// When its first byte had been sent, in nanoseconds.
    package let time: UInt64
    /// The name of the port.
    package let port: String
    /// The line without its end.
    package let text: String
  }

  /// One port.
  private final class Outlet {
    let port: SerialPort
    @exclusivity(unchecked) var lines = SerialLines()
    @exclusivity(unchecked) var write: ([UInt8]) -> Void = { _ in }
    var terminal: PseudoTerminalPort?
    var file: OutputFile?
    @exclusivity(unchecked) var waiting: [UInt8] = []

    init(_ port: SerialPort) { self.port = port }

    /// Takes a byte; returns the line that it ends.
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

  /// What the ports look at before they pass a byte on.
  private final class Gate {
    @exclusivity(unchecked) var isClosed = false
    /// How many lines have ended.
    @exclusivity(unchecked) var lines = 0
    /// The number of the outlet that took the last byte: another one lets it pass on first what it holds.
    @exclusivity(unchecked) var speaker = 0
  }

  private let gate = Gate()
  private let outlets: [Outlet]
  private let didEnd: (Line) -> Void
  /// Whether nothing more is passed on.
  package var isClosed: Bool {
    get { gate.isClosed }
    set { gate.isClosed = newValue }
  }
  /// How many lines the ports have ended so far.
  var lineCount: Int { gate.lines }
  /// The names of the terminals that were opened, by port.
  package private(set) var terminals: [(port: String, name: String)] = []

  /// Ties the ports of a microcontroller to their places.
  ///
  /// Its serial ports all go to standard output where none of them is named, the others as each says.
  ///
  /// - Parameters:
  ///   - ports: the serial ports, whose numbers are taken as well as their names.
  ///   - others: what else sends bytes, and whether it goes to standard output unless it is named.
  ///   - routes: where their bytes go.
  ///   - standardOutput: takes bytes for standard output.
  ///   - didEnd: takes each line of any port.
  /// - Throws: `Failure` when a port is not there, or a place cannot be opened.
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
          "there is no serial port '\(route.port)': there are \(names.joined(separator: ", "))")
      }
      guard named.insert(index).inserted else {
        throw Failure(.usage, "the serial port \(outlets[index].port.name) is sent to two places")
      }
      try open(outlets[index], route.place, standardOutput)
    }
    let isAnyNamed = named.contains { $0 < ports.count }
    for (index, outlet) in outlets.enumerated() {
      let isShown = index < ports.count ? !isAnyNamed : others[index - ports.count].isShown
      if isShown, !named.contains(index) { outlet.write = standardOutput }
      outlet.port.output = { [gate, outlets] byte, time in
        guard !gate.isClosed else { return }
        if gate.speaker != index {
          outlets[gate.speaker].flush()
          gate.speaker = index
        }
        if let line = outlet.take(byte, time) {
          gate.lines += 1
          didEnd(line)
        }
      }
    }
  }

  private func open(
    _ outlet: Outlet, _ place: SerialRoute.Place, _ standardOutput: @escaping ([UInt8]) -> Void
  ) throws(Failure) {
    switch place {
    case .none: break
    case .standardOutput: outlet.write = standardOutput
    case .terminal:
      let terminal = try PseudoTerminalPort()
      outlet.terminal = terminal
      outlet.write = { terminal.write($0) }
      terminals.append((outlet.port.name, terminal.name))
    case .file(let path):
      // It grows as the bytes come, so that a run that is killed leaves them.
      let file = try OutputFile(OutputPlace(path), isDurable: false)
      file.appear()
      outlet.file = file
      outlet.write = { file.write($0) }
    }
  }

  /// Passes on what has come since the last look at the world.
  package func passOn() {
    for outlet in outlets { outlet.flush() }
  }

  /// Passes on what has come, and takes what was typed.
  package func exchange() {
    passOn()
    for outlet in outlets {
      if let typed = outlet.terminal?.read(), !typed.isEmpty { outlet.port.send(typed) }
    }
  }

  /// Tells lines that nothing has ended, and ends the files.
  ///
  /// - Throws: `Failure` when a file could not be written.
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
