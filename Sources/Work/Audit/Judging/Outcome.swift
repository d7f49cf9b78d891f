import DriverDefects
import DriverDiagnosis

/// What a program did in one scenario.
struct Outcome {
  var readings: [ShownReading] = []
  /// When each reading was printed; fewer where the time is unknown.
  var times: [PrintTime] = []
  /// The readings that show no air of their time and are means of what was measured.
  var means: Set<Int> = []
  /// The readings that follow from nothing that was read shortly before, where that is known.
  var unmeasured: Set<Int> = []
  /// The lines that it printed.
  var lines: [String] = []
  /// When each line was printed.
  var lineTimes: [PrintTime] = []
  /// The lines without a value, without their digits, that it printed from the first event of the scenario on.
  var otherLines: Set<String> = []
  /// What the program's processes held in a long run, in the order of time.
  var resources: [ResourceUse] = []
  /// What it said on standard error.
  var errors: [String] = []
  /// Its exit status, 128 + n for signal n; `nil` where it was ended.
  var status: Int32?
  /// Why firmware could not go on, or where it was when nothing more was to come of it.
  var reason: String?
  /// Whether it is firmware that could not go on: a fault, code that ran off, a stack that overflowed.
  var hasDied: Bool { status == 1 && reason != nil }
  /// Whether it was ended because it took too long.
  var tookTooLong = false
  /// Whether every planned fault fired.
  var hasFired = true
  /// What `exec` says of its time where some of it is the machine's.
  var leak: String?
  /// Why `exec` did not run it.
  var failure: AuditError?
  /// What was recorded of its conversation with the part.
  var evidence: Evidence?
  /// How long it took by the wall clock, in seconds.
  var seconds = 0.0

  /// The outcome with no more than some readings.
  func first(_ count: Int) -> Outcome {
    var outcome = self
    outcome.readings = Array(readings.prefix(count))
    outcome.times = Array(times.prefix(count))
    return outcome
  }
}
