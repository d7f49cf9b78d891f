import Glibc
import I2C
import I2CTrace

/// A trace in the making, in a file.
///
/// Of virtual time lines gather and are written in large pieces, once a second and when a signal ends the
/// program; of real time each is written at once, so that somebody can watch, and nothing is lost when
/// the program is killed.
public final class TraceOutput {
  private let path: String
  private let mayGather: Bool
  private let descriptor: Int32
  private var recorder: TraceRecorder?
  private var failure: Int32 = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - mayGather: whether lines of virtual time may gather.
  /// - Throws: ``BenchFailure`` when that is not possible.
  public init(_ path: String, mayGather: Bool = true) throws(BenchFailure) {
    self.path = path
    self.mayGather = mayGather
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw BenchFailure(
        .inputOutput, "\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Begins the trace of some buses.
  func begin(_ header: TraceHeader) -> TraceRecorder {
    let isBuffered = mayGather && header.clock == "virtual"
    let writer = TraceWriter(header, isBuffered: isBuffered) { [unowned self] in write($0) }
    let recorder = isBuffered ? Self.buffering(writer) : TraceRecorder(writer)
    self.recorder = recorder
    return recorder
  }

  private static func buffering(_ writer: TraceWriter) -> TraceRecorder {
    Interruption.watch()
    var due = WallClock.monotonic() + 1_000_000_000
    return TraceRecorder(writer) { recorder in
      let now = WallClock.monotonic()
      guard now >= due || Interruption.hasCome else { return }
      recorder.flush()
      due = now + 1_000_000_000
      Interruption.end()
    }
  }

  /// Records the one bus that is used without a rig.
  func recording(
    _ adapter: any I2CAdapter, number: Int, _ clock: any I2CClock, name: String
  ) -> RecordingAdapter {
    let bus = TraceHeader.Bus(
      number: number, functionality: adapter.functionality, quirks: adapter.quirks)
    let header = TraceHeader(
      generator: "aneroid \(Version.text)", clock: clock is WallClock ? "real" : "virtual",
      buses: [bus], note: name)
    return RecordingAdapter(adapter, bus: number, clock: clock, recorder: begin(header))
  }

  /// Writes what has gathered.
  ///
  /// - Throws: ``BenchFailure`` when not everything could be written.
  public func close() throws(BenchFailure) {
    recorder?.flush()
    guard failure == 0 else {
      throw BenchFailure(
        .inputOutput, "\(path): not all could be written: \(String(cString: strerror(failure)))")
    }
  }

  private func write(_ bytes: [UInt8]) {
    if failure == 0 { failure = WholeWrite.write(bytes, to: descriptor) }
  }
}

extension TraceHeader {
  /// The header of what happens on the buses of a rig.
  init(_ rig: Rig, clock: String, start: Int64, buses: [Bus]) {
    self.init(
      generator: "aneroid \(Version.text)", clock: clock, seed: rig.seed,
      start: start == 0 ? nil : Moment.stamp(start), rigDigest: rig.digest, buses: buses,
      note: "rig \(rig.name)")
  }
}
