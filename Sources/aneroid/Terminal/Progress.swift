import Audit
import Bench
import Glibc
import Reports
import Rigs
import Runs

/// A progress bar for long runs, on standard error if that is a terminal.
final class Progress: RunReport {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var duration: UInt64 = 0
  private var lastShown: UInt64 = 0
  private var isOnLine = false
  private let clock = WallClock()

  /// Shows the time of an event, at most ten times a second.
  func take(_ event: RunEvent) {
    guard isShown else { return }
    switch event {
    case .began(let rig, _): duration = rig.duration ?? 0
    case .reading(let reading): show(reading.time, of: duration)
    case .verdict: clear()
    default: break
    }
  }

  /// Erases the progress bar.
  func clear() {
    guard isOnLine else { return }
    StandardError.write("\r\u{1B}[K")
    isOnLine = false
  }

  /// Shows the progress, at most ten times a second.
  ///
  /// - Parameters:
  ///   - time: the elapsed time in nanoseconds.
  ///   - duration: the duration of the run in nanoseconds.
  func show(_ time: UInt64, of duration: UInt64) {
    let now = clock.nanoseconds
    guard isShown, duration > 0, now - lastShown >= 100_000_000 else { return }
    lastShown = now
    isOnLine = true
    let percent = min(Int(100 * Double(time) / Double(duration)), 100)
    let bar = String(repeating: "#", count: percent / 5)
    let rest = String(repeating: ".", count: 20 - percent / 5)
    StandardError.write("\r\u{1B}[Kaneroid: [\(bar)\(rest)] \(percent) %")
  }
}

/// A progress line for an audit, on standard error if that is a terminal.
final class AuditProgress {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let count: Int
  private var done = 0, found = 0

  init(count: Int) { self.count = count }

  /// Counts a judgement and updates the line.
  func take(_ judgement: Judgement) {
    done += 1
    if judgement.verdict.isFinding { found += 1 }
    guard isShown else { return }
    StandardError.write("\r\u{1B}[Kaneroid: \(done) of \(count) scenarios, \(found) with a finding")
  }

  /// Erases the line.
  func clear() {
    if isShown, done > 0 { StandardError.write("\r\u{1B}[K") }
  }
}
