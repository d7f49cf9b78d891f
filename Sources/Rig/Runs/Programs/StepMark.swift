import Glibc
import Support

/// Lets the reader of a program's output control whether its virtual time advances.
///
/// When all programs sleep, a mark is written to their output, after everything that they have
/// printed, and then a response is read from a socket. The reader can thus stop the programs at a
/// virtual time that does not depend on the speed of the reader or of the programs.
package enum StepMark {
  /// The beginning of a mark: an application program command (APC, ECMA-48), which terminals do not
  /// display.
  package static let prefix: [UInt8] = Array("\u{1B}_aneroid ".utf8)
  /// The end of a mark, which follows the virtual time in nanoseconds, in decimal.
  package static let suffix: [UInt8] = Array("\u{1B}\\".utf8)

  /// Creates the mark of a virtual time, in nanoseconds.
  package static func bytes(at time: UInt64) -> [UInt8] { prefix + Array("\(time)".utf8) + suffix }

  /// Creates a function that requests permission to advance the time, and waits for the response.
  ///
  /// - Parameter socket: the socket from which responses are read. A byte permits the advance; an
  ///   end of file does not. Programs do not inherit the socket.
  /// - Returns: the function; it returns whether the time may advance.
  package static func request(over socket: Int32) -> (UInt64) -> Bool {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return { request(over: socket, at: $0) }
  }

  private static func request(over socket: Int32, at time: UInt64) -> Bool {
    guard writeAll(bytes(at: time), to: STDOUT_FILENO) == 0 else { return false }
    var response: UInt8 = 0
    while true {
      let count = read(socket, &response, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1
    }
  }
}
