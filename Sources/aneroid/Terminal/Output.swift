import Files
import Findings
import Glibc
import Text

/// Standard output, written in large pieces.
final class Output {
  private var buffer: [UInt8] = []
  private let isInteractive = Output.isTerminal

  private static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Colour on a terminal, unless NO_COLOR or a dumb terminal says no.
  static var style: Style {
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return Style(isColoured: isTerminal && !isDumb && !isUnwanted)
  }

  /// How many columns a terminal has; `nil` where there is none, and lines stay whole.
  static var columns: Int? {
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// A finding in a line, coloured on a terminal by what it means.
  static func line(of finding: Finding) -> String {
    let look: Style.Look? =
      switch finding.severity {
      case .error: .red
      case .warning: .yellow
      case .passed: .green
      case .skipped: .faint
      default: nil
      }
    return look.map { style($0, finding.line) } ?? finding.line.visible
  }

  /// Writes text of our own, at once on a terminal and otherwise when enough has gathered.
  func write(_ text: String) {
    buffer += TerminalText.safe(text).utf8
    if isInteractive || buffer.count >= 1 << 16 { flush() }
  }

  /// Writes bytes at once.
  func writeNow(_ bytes: [UInt8]) {
    flush()
    write(all: bytes)
  }

  /// Writes what has gathered.
  func flush() {
    write(all: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes bytes; where that fails there is nothing left to do.
  private func write(all bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    // Files are written all the same; the command fails at its end.
    if ProgramStart.isOutputClosed { ProgramStart.hasLostOutput = true }
    let failure = writeAll(bytes, to: STDOUT_FILENO)
    guard failure == 0 else {
      Drafts.removeAll()
      if failure == EPIPE {
        // 'head' has seen enough: the program ends as it would without a handler, and says nothing.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      StandardError.say("standard output: \(String(cString: strerror(failure)))")
      exit(Failure.Kind.inputOutput.rawValue)
    }
  }
}
