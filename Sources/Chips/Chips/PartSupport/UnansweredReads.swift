import I2C
import I2CTrace
import Parts
import Support

/// Counts reads that a busy part did not acknowledge and that were never retried successfully.
///
/// A NACK is normal for a program that polls. A program that reads only once, too early, gets no
/// data, and neither the NACK nor errno explains why.
struct UnansweredReads {
  /// An operation during which the part does not acknowledge its address.
  private struct Task {
    let name: String
    let start: UInt64
    /// The time after the start of the operation during which a NACK means that the part is busy,
    /// in nanoseconds.
    let window: UInt64
    /// The documented duration in milliseconds as text without the unit, such as "up to 85.00".
    let time: String
    /// The time from the start of the operation to the last access that was not acknowledged, in
    /// nanoseconds.
    var last: UInt64?
    /// The number of accesses that were not acknowledged.
    var attempts = 0
  }

  private var task: Task?
  private var sentence = ""
  private var count = 0

  /// Records the start of an operation whose maximum duration is documented.
  ///
  /// - Parameters:
  ///   - name: the operation, such as "the start of the measurement".
  ///   - start: the start time in nanoseconds.
  ///   - longest: the maximum duration in nanoseconds.
  mutating func begin(_ name: String, at start: UInt64, longest: UInt64) {
    settle()
    let time = "up to \(Self.milliseconds(longest))"
    task = Task(name: name, start: start, window: longest, time: time)
  }

  /// Records the start of an operation of which only the typical duration is documented.
  ///
  /// - Parameters:
  ///   - name: the operation, such as "the start of the measurement".
  ///   - start: the start time in nanoseconds.
  ///   - typical: the typical duration in nanoseconds; a part may take up to a quarter longer.
  mutating func begin(_ name: String, at start: UInt64, typical: UInt64) {
    settle()
    let time = "\(Self.milliseconds(typical))"
    task = Task(name: name, start: start, window: typical + typical / 4, time: time)
  }

  /// Records that the part did not acknowledge its address.
  mutating func notAcknowledged(at time: UInt64) {
    guard let task, time >= task.start, time - task.start < task.window else { return }
    self.task?.last = time - task.start
    self.task?.attempts += 1
  }

  /// Records that the part responded, so no data was lost.
  mutating func acknowledged() { task = nil }

  /// Returns a warning about lost reads, or `nil` if no read was lost.
  ///
  /// A program that is still polling at the end of the run has not lost any data yet.
  mutating func warning() -> PartWarning? {
    if task?.attempts ?? 0 > 1 { task = nil }
    settle()
    guard count > 0 else { return nil }
    let times = count == 1 ? "once" : "\(count) times"
    return PartWarning("\(sentence) (\(times))", others: 0, isExplained: false)
  }

  /// Ends the current operation and counts it if a read was lost.
  private mutating func settle() {
    defer { task = nil }
    guard let task, let last = task.last else { return }
    if count == 0 {
      sentence =
        "a read is not acknowledged \(Self.milliseconds(last)) ms after \(task.name), which takes "
        + "\(task.time) ms"
    }
    count += 1
  }

  private static func milliseconds(_ time: UInt64) -> String {
    Decimal.fixed(Double(time) / 1e6, 2)
  }
}

extension TracedTransfer {
  /// `true` if the part did not acknowledge its address, which ended the transfer.
  var isNotAcknowledged: Bool { error?.kind == .addressNack }
}
