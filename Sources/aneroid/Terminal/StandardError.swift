import ArgumentParser
import Files
import Glibc
import Text

/// Standard error: messages that begin with `aneroid:`.
enum StandardError {
  /// Says one thing.
  static func say(_ message: String) {
    write("aneroid: \(message.visible)\n")
  }

  /// Rings the bell of a terminal, where there is one.
  static func ring() {
    guard isatty(STDERR_FILENO) == 1 else { return }
    _ = Glibc.write(STDERR_FILENO, "\u{7}", 1)
  }

  /// Says why something failed and ends with its exit status.
  static func exit(_ failure: Failure) -> ExitCode {
    failure.messages.forEach(say)
    return ExitCode(failure.exitStatus)
  }

  /// Writes text of our own, of several lines and with our own looks; whatever else a terminal would obey becomes visible.
  static func write(_ text: String) {
    var text = TerminalText.safe(text)
    text.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
