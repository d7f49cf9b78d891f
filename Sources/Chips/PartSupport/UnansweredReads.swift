import I2C
import I2CTrace
import Parts
import Text

/// The reads that came while a part was busy, were not acknowledged, and were not tried again with success.
///
/// A part that does not acknowledge is no error of a program that polls. One that reads once, too early, gets nothing,
/// and finds neither on the wires nor in its errno why.
struct UnansweredReads {
  /// What a part is busy with.
  private struct Task {
    let name: String
    let start: UInt64
    /// Until when, from the start, no acknowledgement means that the part is busy.
    let window: UInt64
    /// How long it takes, in words.
    let time: String
    /// How long after the start the last attempt came, and how many there were.
    var last: UInt64?
    var attempts = 0
  }

  private var task: Task?
  private var sentence = ""
  private var count = 0

  /// The part begins something.
  ///
  /// - Parameters:
  ///   - name: what, as in "its measurement began".
  ///   - start: when, in nanoseconds.
  ///   - longest: how long it takes at most, in nanoseconds.
  mutating func begin(_ name: String, at start: UInt64, longest: UInt64) {
    settle()
    let time = "up to \(Self.milliseconds(longest))"
    task = Task(name: name, start: start, window: longest, time: time)
  }

  /// The part begins something of which no longest time is documented.
  ///
  /// - Parameters:
  ///   - name: what, as in "its measurement began".
  ///   - start: when, in nanoseconds.
  ///   - typical: how long it usually takes, in nanoseconds; a part may take a quarter longer.
  mutating func begin(_ name: String, at start: UInt64, typical: UInt64) {
    settle()
    let time = "\(Self.milliseconds(typical))"
    task = Task(name: name, start: start, window: typical + typical / 4, time: time)
  }

  /// The part does not acknowledge its address.
  mutating func refused(at time: UInt64) {
    guard let task, time >= task.start, time - task.start < task.window else { return }
    self.task?.last = time - task.start
    self.task?.attempts += 1
  }

  /// The part answers, so that nothing is lost.
  mutating func answered() { task = nil }

  /// What was lost, or `nil`; a program that still polls at the end has lost nothing yet.
  mutating func remark() -> PartRemark? {
    if task?.attempts ?? 0 > 1 { task = nil }
    settle()
    guard count > 0 else { return nil }
    let times = count == 1 ? "once" : "\(count) times"
    return PartRemark("\(sentence) (\(times))", others: 0, isExplained: false)
  }

  private mutating func settle() {
    defer { task = nil }
    guard let task, let last = task.last else { return }
    if count == 0 {
      sentence =
        "it is not acknowledged \(Self.milliseconds(last)) ms after \(task.name), which takes "
        + "\(task.time) ms"
    }
    count += 1
  }

  private static func milliseconds(_ time: UInt64) -> String {
    Decimal.fixed(Double(time) / 1e6, 2)
  }
}

extension TracedTransfer {
  /// Whether the part did not acknowledge its address, and at no later message either.
  var isRefused: Bool { error?.kind == .addressNack }
}
