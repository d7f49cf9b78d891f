import Bench
import Glibc
import Reports
import Rigs
import Runs

/// A line on standard error that shows how far a long run is; only on a terminal.
final class Progress: RunReport {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var duration: UInt64 = 0
  private var lastShown: UInt64 = 0
  private var isOnLine = false
  private let clock = WallClock()

  /// Shows the time of an event, ten times a second at most.
  func take(_ event: RunEvent) {
    guard isShown else { return }
    switch event {
    case .began(let rig, _): duration = rig.duration ?? 0
    case .reading(let reading): show(reading.time, of: duration)
    case .verdict: clear()
    default: break
    }
  }

  /// Takes the line away, so that something else can stand there.
  func clear() {
    guard isOnLine else { return }
    StandardError.write("\r\u{1B}[K")
    isOnLine = false
  }

  /// Shows how far it is, ten times a second at most.
  ///
  /// - Parameters:
  ///   - time: the time that has passed, in nanoseconds.
  ///   - duration: the whole time.
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
