import CProcess
import Files
import Glibc

/// The whole terminal for a while: its other screen, keys one by one, everything as it was on any exit.
final class LiveScreen {
  private var original = termios()
  private var isOpen = false

  /// Whether a signal has asked the program to end.
  nonisolated(unsafe) private static var isAskedToEnd: sig_atomic_t = 0

  /// Checks that there is a terminal, before anything is begun.
  ///
  /// - Throws: `Failure` of kind unavailable where there is none.
  static func check() throws(Failure) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw Failure(
        .unavailable, "this is no terminal; 'aneroid read' and 'aneroid run' work without one")
    }
  }

  /// Takes the terminal.
  ///
  /// - Throws: `Failure` of kind unavailable where there is none.
  init() throws(Failure) {
    try Self.check()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else {
      throw Failure(.unavailable, "the terminal: \(String(cString: strerror(errno)))")
    }
    for number in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
      signal(number) { _ in LiveScreen.isAskedToEnd = 1 }
    }
    // A new size wakes the wait for a key; the screen is drawn anew then.
    signal(SIGWINCH) { _ in }
    process_keep_terminal(&original)
    var raw = original
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
    isOpen = true
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
  }

  deinit { close() }

  /// Gives the terminal back.
  func close() {
    guard isOpen else { return }
    isOpen = false
    write("\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
    process_keep_terminal(nil)
  }

  /// Whether the program is to end: by a signal, or because nobody looks any more.
  private(set) var isGone = false
  var mustEnd: Bool { isGone || LiveScreen.isAskedToEnd != 0 }

  /// The size of the terminal now.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines from the top.
  func show(_ lines: [String]) {
    let text = lines.map { "\($0)\u{1B}[K" }.joined(separator: "\r\n")
    write("\u{1B}[H\(text)\u{1B}[J")
  }

  /// Rings the bell.
  func ring() { write("\u{7}") }

  /// Waits for a key, at most so long.
  func key(within seconds: Double) -> Character? {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, Int32(max(seconds, 0) * 1000)) > 0 else { return nil }
    var byte: UInt8 = 0
    guard read(STDIN_FILENO, &byte, 1) == 1 else {
      isGone = true
      return nil
    }
    return Character(Unicode.Scalar(byte))
  }

  private func write(_ text: String) {
    if writeAll(Array(text.utf8), to: STDOUT_FILENO) != 0 { isGone = true }
  }
}
