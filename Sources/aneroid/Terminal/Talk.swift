import ArgumentParser
import Glibc
import Rigs

/// Standard error: messages that begin with `aneroid:`.
enum Talk {
  /// Says one thing.
  static func say(_ message: String) {
    write("aneroid: \(message)\n")
  }

  /// Says why something failed and ends with its exit status.
  static func exit(_ failure: BenchFailure) -> ExitCode {
    failure.messages.forEach(say)
    return ExitCode(failure.exitStatus)
  }

  /// Writes text as it is.
  static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }
}
