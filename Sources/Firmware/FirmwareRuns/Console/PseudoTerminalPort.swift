import Files
import Glibc

/// A terminal for a serial port, to which any terminal program can be connected.
final class PseudoTerminalPort {
  /// What a terminal program opens, such as `/dev/pts/3`.
  let name: String
  private let controller: Int32
  /// Kept open, so that bytes are not lost while nobody is connected.
  private let terminal: Int32

  // Requests of Linux that its C library wraps in functions which Swift does not see (asm-generic/ioctls.h).
  private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
  private static let getNumber: UInt = 0x8004_5430  // TIOCGPTN

  /// Opens one that passes everything as it is.
  ///
  /// - Throws: `Failure` of kind unavailable.
  init() throws(Failure) {
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard controller >= 0, ioctl(controller, Self.setLock, &locked) == 0,
      ioctl(controller, Self.getNumber, &number) == 0
    else {
      throw Failure(
        .unavailable, "no terminal can be opened: \(String(cString: strerror(errno)))")
    }
    name = "/dev/pts/\(number)"
    terminal = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    tcgetattr(terminal, &settings)
    cfmakeraw(&settings)
    tcsetattr(terminal, TCSANOW, &settings)
  }

  deinit {
    close(controller)
    if terminal >= 0 { close(terminal) }
  }

  /// Writes bytes; those for which there is no room are lost, as on a line where nobody listens.
  func write(_ bytes: [UInt8]) { _ = Glibc.write(controller, bytes, bytes.count) }

  /// What was typed since the last time.
  func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(controller, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }
}
