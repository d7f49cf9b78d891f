import Files
import Glibc

/// Lets the reader of a program's output control whether its virtual time advances.
///
/// While all programs sleep, a mark is written to their output, after all that they have printed; a response is read
/// from a socket. The reader can thus stop them at a virtual time that does not depend on the speed of either side.
package enum StepMark {
  /// The beginning of a mark: a private message, which terminals do not show (ECMA-48, APC).
  package static let prefix: [UInt8] = Array("\u{1B}_aneroid ".utf8)
  /// The end of a mark; the virtual time in nanoseconds, in decimal, is between the two.
  package static let suffix: [UInt8] = Array("\u{1B}\\".utf8)

  /// Creates the mark of a virtual time, in nanoseconds.
  package static func bytes(at time: UInt64) -> [UInt8] { prefix + Array("\(time)".utf8) + suffix }

  /// Creates a function that requests permission to advance the time, and waits for the response.
  ///
  /// - Parameter socket: the socket of the responses: a byte permits, an end of file does not; programs do not
  ///   inherit it.
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
