import Glibc
package import I2C
package import I2CTrace
import Parts
package import Support
import Synchronization
import VirtualI2C

/// A trace file that is being written.
///
/// No file is created before the buses are open. With a virtual clock, lines are buffered, and the
/// file is published at the end or when a signal ends the program. With a real clock, each line is
/// written at once to a published file, so the file can be followed and survives a kill.
package final class TraceOutput {
  private let destination: OutputDestination
  private let mayBuffer: Bool
  private let isKept: Bool
  private var file: OutputFile?
  private var recorder: TraceRecorder?
  /// Whether at least one transfer has been recorded.
  private var hasTransfers = false
  /// Called with the failure when writing fails for the first time.
  ///
  /// Default: does nothing.
  package var onFailure: (Failure) -> Void = { _ in }

  /// Checks that a trace can be written.
  ///
  /// An existing file is unchanged until the new one is published.
  ///
  /// - Parameters:
  ///   - path: the path of the trace file.
  ///   - mayBuffer: `true` to buffer lines if the clock is virtual. Default: `true`.
  ///   - isKept: `true` if the file is needed after the command and must therefore be synced to the
  ///     disk. Default: `true`.
  /// - Throws: `Failure` if the file is not writable.
  package convenience init(
    _ path: String, mayBuffer: Bool = true, isKept: Bool = true
  ) throws(Failure) {
    self.init(try OutputDestination(path), mayBuffer: mayBuffer, isKept: isKept)
  }

  /// Prepares a trace file at a destination that has already been checked.
  package init(_ destination: OutputDestination, mayBuffer: Bool = true, isKept: Bool = true) {
    self.destination = destination
    self.mayBuffer = mayBuffer
    self.isKept = isKept
  }

  /// Creates the file and begins the trace.
  ///
  /// - Parameters:
  ///   - header: the header, which lists the buses.
  ///   - inputs: the input files of the command.
  /// - Throws: `Failure` if the file cannot be created or is one of the inputs.
  /// - Returns: the recorder for the transfers.
  package func begin(
    _ header: TraceHeader, reading inputs: [String]
  ) throws(Failure) -> TraceRecorder {
    try OutputDestination.check([destination.path], reading: inputs)
    let isBuffered = mayBuffer && header.clock == "virtual"
    let file = try OutputFile(destination, isDurable: isKept)
    file.onFailure = { [unowned self] in onFailure($0) }
    self.file = file
    let writer = TraceWriter(header, isBuffered: isBuffered, to: file.write)
    let recorder = TraceRecorder(writer, afterEach: isBuffered ? gathering(file) : growing(file))
    self.recorder = recorder
    return recorder
  }

  /// Returns the closure that is called after each transfer if the clock is real; it publishes the
  /// file at the first transfer.
  private func growing(_ file: OutputFile) -> (TraceRecorder) -> Void {
    { [unowned self] _ in
      if !hasTransfers { file.appear() }
      hasTransfers = true
    }
  }

  /// Returns the closure that is called after each transfer if the clock is virtual; it flushes the
  /// lines every second, and publishes the file and ends the program if a signal has arrived.
  private func gathering(_ file: OutputFile) -> (TraceRecorder) -> Void {
    Interruption.watch()
    var due = MachineTime.monotonic() + 1_000_000_000
    return { [unowned self] recorder in
      hasTransfers = true
      let now = MachineTime.monotonic()
      guard now >= due || Interruption.hasArrived else { return }
      recorder.flush()
      due = now + 1_000_000_000
      guard Interruption.hasArrived else { return }
      file.appear()
      Interruption.end()
    }
  }

  /// Begins the trace of a command that uses a single bus instead of a rig; returns the adapter
  /// that records the transfers.
  package func recording(
    _ adapter: any I2CAdapter, number: Int, _ clock: any I2CClock, name: String
  ) throws(Failure) -> TracingAdapter {
    let bus = TraceHeader.Bus(
      number: number, functionality: adapter.functionality, quirks: adapter.quirks)
    let header = TraceHeader(
      generator: "aneroid \(Version.text)", clock: clock is VirtualClock ? "virtual" : "real",
      buses: [bus], note: name)
    return TracingAdapter(
      adapter, bus: number, clock: clock, recorder: try begin(header, reading: [name]))
  }

  /// Writes the buffered lines and publishes the trace.
  ///
  /// - Throws: `Failure` if not everything was written.
  package func close() throws(Failure) {
    recorder?.flush()
    try file?.finish()
    file = nil
  }

  /// Ends the trace after a failure.
  ///
  /// Recorded transfers are kept; if there are none, an older file is unchanged.
  package func closeAfterFailure() {
    if hasTransfers { try? close() }
    (recorder, file) = (nil, nil)
  }
}

/// The handling of a signal that ends the program, which is deferred until the trace has been
/// written.
package enum Interruption {
  private static let signal = Atomic<Int32>(0)

  /// Whether a signal has arrived.
  package static var hasArrived: Bool { signal.load(ordering: .relaxed) != 0 }

  /// Defers the first SIGINT, SIGTERM or SIGHUP.
  ///
  /// A second signal of the same kind ends the program at once.
  package static func watch() {
    // Initialize the state here, because a signal handler must not do so.
    _ = hasArrived
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      // An ignored signal, for example under nohup, stays ignored.
      guard action.__sigaction_handler.sa_handler == nil else { continue }
      action.__sigaction_handler.sa_handler = { Interruption.signal.store($0, ordering: .relaxed) }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
      sigaction(number, &action, nil)
    }
  }

  /// Ends the program with the deferred signal, if one has arrived.
  package static func end() {
    let number = signal.load(ordering: .relaxed)
    guard number != 0 else { return }
    Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}

/// A trace read from a file.
package struct TraceInput {
  /// The name of the input for messages.
  package let name: String
  package var header: TraceHeader { reader.header }
  private(set) var reader: TraceReader

  /// Opens a trace.
  ///
  /// `-` is standard input; a name to which no file belongs is the name of a built-in trace.
  ///
  /// - Throws: `Failure` if the trace is missing or its header is invalid.
  package init(_ path: String) throws(Failure) {
    try self.init(path, named: nil)
  }

  /// Opens a trace, with a different name for messages.
  package init(_ path: String, named other: String?) throws(Failure) {
    let file = try NamedInput.open((try? NamedInput(path, .trace))?.path ?? path)
    name = other ?? file.name
    do {
      reader = try TraceReader { try file.chunk() }
    } catch {
      throw Self.failure(error, file.name)
    }
  }

  /// Returns the next transfer; `nil` at the end.
  ///
  /// - Throws: `Failure` with the line number of an error, or `TraceError` if the trace was cut
  ///   off.
  package mutating func next() throws -> (line: Int, transfer: TracedTransfer)? {
    do {
      return try reader.next().map { (reader.line, $0) }
    } catch let error as TraceError where error.kind == .cutOff {
      throw error
    } catch {
      throw Self.failure(error, name)
    }
  }

  /// Returns the next transfer; `nil` at the end, or if the trace was cut off.
  ///
  /// - Throws: `Failure` with the line number of an error.
  package mutating func nextWhole() throws(Failure) -> TracedTransfer? {
    do {
      return try next()?.transfer
    } catch let failure as Failure {
      throw failure
    } catch {
      return nil
    }
  }

  /// Converts an error in a trace to a failure that names the trace.
  package static func failure(_ error: any Error, _ name: String) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let trace as TraceError:
      Failure(.badContent, "\(name):\(trace.line): error: \(trace.message)")
    default: Failure(.inputOutput, "\(name): \(error)")
    }
  }
}
