package import Files
package import I2C
package import I2CTrace
import Text
import VirtualI2C

/// A trace in the making, in a file.
///
/// Nothing is touched before the buses are open: the file is begun together with the trace. Of virtual time lines
/// gather, and the file takes its place at the end, or when a signal ends the program; of real time each line is
/// written at once into a file in its place, so that somebody can watch, and nothing is lost when the program is
/// killed.
package final class TraceOutput {
  private let place: OutputPlace
  private let mayGather: Bool
  private let isKept: Bool
  private var file: OutputFile?
  private var recorder: TraceRecorder?
  /// Whether something has happened on the buses.
  private var hasTransfers = false

  /// Checks that a trace can be written; the file is left as it is until there is one.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - mayGather: whether lines of virtual time may gather.
  ///   - isKept: whether anybody wants it once the command has ended; then it must be on the disk.
  /// - Throws: `Failure` when that is not possible.
  package convenience init(
    _ path: String, mayGather: Bool = true, isKept: Bool = true
  ) throws(Failure) {
    self.init(try OutputPlace(path), mayGather: mayGather, isKept: isKept)
  }

  /// Prepares a trace for a place that has been checked.
  package init(_ place: OutputPlace, mayGather: Bool = true, isKept: Bool = true) {
    self.place = place
    self.mayGather = mayGather
    self.isKept = isKept
  }

  /// Begins the trace of some buses.
  ///
  /// - Parameters:
  ///   - header: what is traced.
  ///   - inputs: the files that are read.
  /// - Throws: `Failure` when the file cannot be made, or is one that is read.
  /// - Returns: what takes the transfers.
  package func begin(
    _ header: TraceHeader, reading inputs: [String]
  ) throws(Failure) -> TraceRecorder {
    try OutputPlace.check([place.path], reading: inputs)
    let isBuffered = mayGather && header.clock == "virtual"
    let file = try OutputFile(place, isDurable: isKept)
    self.file = file
    let writer = TraceWriter(header, isBuffered: isBuffered, to: file.write)
    let recorder = TraceRecorder(writer, afterEach: isBuffered ? gathering(file) : growing(file))
    self.recorder = recorder
    return recorder
  }

  /// What is done after each transfer of real time: the first one brings the file to its place.
  private func growing(_ file: OutputFile) -> (TraceRecorder) -> Void {
    { [unowned self] _ in
      if !hasTransfers { file.appear() }
      hasTransfers = true
    }
  }

  /// What is done after each transfer of virtual time.
  private func gathering(_ file: OutputFile) -> (TraceRecorder) -> Void {
    Interruption.watch()
    var due = MachineTime.monotonic() + 1_000_000_000
    return { [unowned self] recorder in
      hasTransfers = true
      let now = MachineTime.monotonic()
      guard now >= due || Interruption.hasCome else { return }
      recorder.flush()
      due = now + 1_000_000_000
      guard Interruption.hasCome else { return }
      file.appear()
      Interruption.end()
    }
  }

  /// Records the one bus that is used without a rig.
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

  /// Writes what has gathered, and puts the trace in its place.
  ///
  /// - Throws: `Failure` when not everything could be written.
  package func close() throws(Failure) {
    recorder?.flush()
    try file?.finish()
    file = nil
  }

  /// Ends the trace of something that failed: what happened on the buses is kept; where nothing did, so is the
  /// older file.
  package func closeAfterFailure() {
    if hasTransfers { try? close() }
    (recorder, file) = (nil, nil)
  }
}
