import Rigs
import Runs

/// Tells each line of a serial port, and notices one that ends the run.
final class LineWatch {
  private let patterns: [SerialPattern]
  private let report: (RunEvent) -> Void
  /// Takes the expression that a line matches which ends the run.
  var didMatch: (SerialPattern) -> Void = { _ in }

  init(_ patterns: [SerialPattern], _ report: @escaping (RunEvent) -> Void) {
    self.patterns = patterns
    self.report = report
  }

  /// Takes a line.
  func take(_ line: SerialConsole.Line) {
    report(.serial(RunEvent.SerialLine(time: line.time, port: line.port, text: line.text)))
    if let pattern = patterns.first(where: { $0.matches(line.text) }) { didMatch(pattern) }
  }
}
