import Audit
import Glibc

/// A line on standard error that shows how far an audit is; only on a terminal.
final class AuditProgress {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let count: Int
  private var done = 0, found = 0

  init(count: Int) { self.count = count }

  /// Takes a judgement.
  func take(_ judgement: Judgement) {
    done += 1
    if judgement.verdict.isFinding { found += 1 }
    guard isShown else { return }
    StandardError.write("\r\u{1B}[Kaneroid: \(done) of \(count) scenarios, \(found) with a finding")
  }

  /// Takes the line away.
  func clear() {
    if isShown, done > 0 { StandardError.write("\r\u{1B}[K") }
  }
}
