import Files
import Glibc

/// Lets somebody who reads a program's output decide whether its virtual time goes on.
///
/// While all programs sleep a mark goes into their output, behind all that they have printed; an answer comes
/// over a socket. So a reader who has seen enough stops them at a moment that does not depend on how fast anybody is.
package enum StepMark {
  /// The beginning of a mark: a private message, which terminals do not show (ECMA-48, APC).
  package static let prefix: [UInt8] = Array("\u{1B}_aneroid ".utf8)
  /// The end of a mark; the virtual time in nanoseconds, in decimal, is between the two.
  package static let suffix: [UInt8] = Array("\u{1B}\\".utf8)

  /// The mark of a virtual time, in nanoseconds.
  package static func bytes(at time: UInt64) -> [UInt8] { prefix + Array("\(time)".utf8) + suffix }

  /// Creates the question whether time may go on.
  ///
  /// - Parameter socket: where the answer comes, a byte that lets it go on or an end that does not; programs do not
  ///   inherit it.
  /// - Returns: what asks it, and waits for the answer.
  package static func question(over socket: Int32) -> (UInt64) -> Bool {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return { ask(over: socket, at: $0) }
  }

  private static func ask(over socket: Int32, at time: UInt64) -> Bool {
    guard writeAll(bytes(at: time), to: STDOUT_FILENO) == 0 else { return false }
    var answer: UInt8 = 0
    while true {
      let count = read(socket, &answer, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1
    }
  }
}
