import Glibc

/// Standard output of a run, in large pieces; what cannot be written ends the program.
final class HubOutput {
  /// How much waits at most, in bytes.
  private static let piece = 1 << 16
  private var waiting: [UInt8] = []
  /// Whether each text is written at once.
  var isPrompt = false

  /// Takes a text.
  func put(_ text: String) {
    waiting += text.utf8
    if isPrompt || waiting.count >= Self.piece { flush() }
  }

  /// Writes what waits.
  func flush() {
    guard HubConsole.write(waiting) else {
      HubConsole.fail("cannot write to standard output: \(String(cString: strerror(errno)))", 74)
    }
    waiting = []
  }
}
