import Glibc
import I2C
import I2CTrace

/// A trace in the making, in a file.
///
/// Of virtual time lines gather and are written in large pieces; of real time each is written at once, so
/// that somebody can watch, and nothing is lost when the program is killed.
public final class TraceOutput {
  private let path: String
  private let descriptor: Int32
  private var recorder: TraceRecorder?
  private var failure: Int32 = 0

  /// Creates the file.
  ///
  /// - Throws: ``BenchFailure`` when that is not possible.
  public init(_ path: String) throws(BenchFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw BenchFailure(
        .inputOutput, "\(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Begins the trace of some buses.
  func begin(_ header: TraceHeader) -> TraceRecorder {
    let writer = TraceWriter(header, isBuffered: header.clock == "virtual") {
      [unowned self] bytes in
      write(bytes)
    }
    let recorder = TraceRecorder(writer)
    self.recorder = recorder
    return recorder
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
    var offset = 0
    while offset < bytes.count, failure == 0 {
      let written = bytes[offset...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written < 0, errno == EINTR { continue }
      if written < 0 { failure = errno }
      offset += max(written, 0)
    }
  }
}

extension TraceHeader {
  /// The header of what happens on the buses of a rig.
  init(_ rig: Rig, clock: String, start: Int64, buses: [Bus]) {
    self.init(
      generator: "aneroid \(Version.text)", clock: clock, seed: rig.seed,
      start: start == 0 ? nil : Moment.stamp(start), buses: buses, note: "rig \(rig.name)")
  }
}
