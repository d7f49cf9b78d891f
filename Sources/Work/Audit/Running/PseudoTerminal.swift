import Files
import Glibc

/// A terminal for a program, so that it prints each line as soon as it is whole.
struct PseudoTerminal {
  /// Where its output is read.
  let controller: Int32
  /// What the program has as its standard output.
  let terminal: Int32

  /// Opens a terminal that passes everything as it is.
  ///
  /// - Throws: `Failure` of kind unavailable.
  init() throws(Failure) {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: Int32 = 0
    guard controller >= 0, ioctl(controller, Self.setLock, &locked) == 0 else {
      throw Self.failure()
    }
    terminal = ioctl(controller, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw Self.failure() }
    var settings = termios()
    tcgetattr(terminal, &settings)
    cfmakeraw(&settings)
    tcsetattr(terminal, TCSANOW, &settings)
    var size = winsize(ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
  }

  // Requests of Linux that its C library wraps in functions which Swift does not see (asm-generic/ioctls.h).
  private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
  private static let openPeer: UInt = 0x5441  // TIOCGPTPEER

  private static func failure() -> Failure {
    Failure(.unavailable, "no terminal can be opened: \(String(cString: strerror(errno)))")
  }
}
