import I2C
import I2CTrace
import Parts
import Text

/// Counts reads that a busy part did not acknowledge and that were never retried successfully.
///
/// A NACK is not an error of a program that polls. A program that reads once, too early, gets no data, and neither the
/// bus nor its errno shows why.
struct UnansweredReads {
  /// An operation during which the part does not acknowledge.
  private struct Task {
    let name: String
    let start: UInt64
    /// The time from the start during which a NACK means that the part is busy, in nanoseconds.
    let window: UInt64
    /// The duration of the operation, as text.
    let time: String
    /// The time from the start to the last attempt in nanoseconds, and the number of attempts.
    var last: UInt64?
    var attempts = 0
  }

  private var task: Task?
  private var sentence = ""
  private var count = 0

  /// Starts an operation with a documented maximum duration.
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

  /// Starts an operation without a documented maximum duration.
  ///
  /// - Parameters:
  ///   - name: the operation, such as "the start of the measurement".
  ///   - start: the start time in nanoseconds.
  ///   - typical: the typical duration in nanoseconds; a part may take a quarter longer.
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

  /// Records that the part responded, so that no data is lost.
  mutating func acknowledged() { task = nil }

  /// Returns a warning about lost reads, or `nil`.
  ///
  /// A program that is still polling at the end has lost nothing yet.
  mutating func warning() -> PartWarning? {
    if task?.attempts ?? 0 > 1 { task = nil }
    settle()
    guard count > 0 else { return nil }
    let times = count == 1 ? "once" : "\(count) times"
    return PartWarning("\(sentence) (\(times))", others: 0, isExplained: false)
  }

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
  /// `true` if the part did not acknowledge its address, and no later message was sent.
  var isNotAcknowledged: Bool { error?.kind == .addressNack }
}
