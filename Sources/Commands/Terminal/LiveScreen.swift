import CProcess
import Glibc
import Support

/// The terminal in raw mode on the alternate screen; restored on every exit.
final class LiveScreen {
  private var original = termios()
  private var isOpen = false

  /// `true` if a signal has requested the end.
  nonisolated(unsafe) private static var isAskedToEnd: sig_atomic_t = 0

  /// Checks that standard input and output are a terminal.
  ///
  /// - Throws: `Failure` of kind unavailable if not.
  static func check() throws(Failure) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw Failure(
        .unavailable, "not a terminal; 'aneroid read' and 'aneroid run' work without one")
    }
  }

  /// Switches the terminal to raw mode.
  ///
  /// - Throws: `Failure` of kind unavailable if it is not a terminal.
  init() throws(Failure) {
    try Self.check()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else {
      throw Failure(.unavailable, "the terminal: \(String(cString: strerror(errno)))")
    }
    for number in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
      signal(number) { _ in LiveScreen.isAskedToEnd = 1 }
    }
    // SIGWINCH interrupts the wait for a key, so that the screen is redrawn.
    signal(SIGWINCH) { _ in }
    process_save_terminal(&original)
    var raw = original
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
    isOpen = true
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h\u{1B}[2J")
  }

  deinit { close() }

  /// Restores the terminal.
  func close() {
    guard isOpen else { return }
    isOpen = false
    write("\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
    process_save_terminal(nil)
  }

  /// `true` if the terminal was closed.
  private(set) var isGone = false
  /// `true` if the program must end, because of a signal or because the terminal was closed.
  var mustEnd: Bool { isGone || LiveScreen.isAskedToEnd != 0 }

  /// The current size of the terminal.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws lines from the top.
  func show(_ lines: [String]) {
    let text = lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n")
    write("\u{1B}[H\(text)\u{1B}[J")
  }

  /// Rings the bell.
  func ring() { write("\u{7}") }

  /// What the user has entered.
  enum Input {
    case key(Character)
    /// Text that was pasted, as UTF-8.
    case paste([UInt8])
  }

  /// Waits for input, up to a timeout in seconds; keys that send a sequence, such as arrows, are ignored.
  func input(within seconds: Double) -> Input? {
    guard let first = byte(within: seconds) else { return nil }
    // A sequence follows its first byte at once, unlike a key after Esc.
    guard first == 0x1B, let second = byte(within: 0.02) else {
      return .key(Character(Unicode.Scalar(first)))
    }
    var sequence: [UInt8] = [second]
    guard second == 0x5B || second == 0x4F else { return nil }
    while let next = byte(within: 0.02) {
      sequence.append(next)
      if (0x40...0x7E).contains(next) { break }
    }
    return sequence == Self.pasteBegin ? .paste(pasted()) : nil
  }

  /// The sequences around pasted text, after Esc.
  private static let pasteBegin = Array("[200~".utf8), pasteEnd = [0x1B] + Array("[201~".utf8)

  /// Returns pasted text up to its end, at most 64 KiB of it.
  private func pasted() -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < 1 << 16, let next = byte(within: 0.5) {
      bytes.append(next)
      if bytes.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
        return bytes.dropLast(Self.pasteEnd.count)
      }
    }
    return bytes
  }

  /// Waits for a byte, up to a timeout in seconds.
  private func byte(within seconds: Double) -> UInt8? {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, Int32(max(seconds, 0) * 1000)) > 0 else { return nil }
    var byte: UInt8 = 0
    guard read(STDIN_FILENO, &byte, 1) == 1 else {
      isGone = true
      return nil
    }
    return byte
  }

  private func write(_ text: String) {
    if writeAll(Array(text.utf8), to: STDOUT_FILENO) != 0 { isGone = true }
  }
}
