import CInterposer
import Glibc

/// Starts a program under a filter.
enum Launcher {
  /// A program that runs, and the ends that the supervisor holds.
  struct Started {
    /// The parent of the program, and the line to it.
    let guardian: Int32, line: Int32
    let listener: Int32
    let signals: Int32
    /// Where all of them are waited for.
    let hearing: Hearing
    /// Becomes readable when the program has been executed, or could not be.
    let report: Int32
    let waitsKillable: Bool
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - filter: what it is asked about.
  /// - Returns: what runs.
  /// - Throws: ``InterposerError`` when it cannot be started, or not under a filter.
  static func start(
    _ arguments: [String], filter: FilterProgram
  ) throws(InterposerError) -> Started {
    let path = try ProgramPath.find(arguments[0])
    // What would be missed only when the program runs is found out before.
    if let problem = Availability.problemOfMemory() { throw .unavailable(problem) }
    var errno: Int32 = 0
    guard let hearing = Hearing(&errno) else {
      throw .unavailable(reason("epoll_create1", -errno))
    }
    let signals = interposer_signals()
    guard signals >= 0 else { throw .unavailable(reason("signalfd", signals)) }
    let adoption = interposer_adopt()
    guard adoption == 0 else { throw .unavailable(reason("prctl", adoption)) }
    interposer_ignore_writing_signals()
    let start = withStrings(arguments) { arguments in
      withStrings(["sh", path] + arguments.dropFirst().dropLast().compactMap(text)) { shell in
        filter.instructions.withUnsafeBufferPointer { filter in
          path.withCString { path in
            var program = interposer_program(
              path: path, arguments: arguments.baseAddress, shell_arguments: shell.baseAddress,
              filter: filter.baseAddress, filter_length: UInt16(filter.count))
            return interposer_launch(&program)
          }
        }
      }
    }
    switch start.outcome {
    case INTERPOSER_STARTED:
      return Started(
        guardian: start.guard, line: start.line, listener: start.listener, signals: signals,
        hearing: hearing, report: start.report, waitsKillable: start.waits_killable)
    case INTERPOSER_NO_FILTER: throw .unavailable(Availability.reason(start.error))
    default: throw .unavailable("no process: \(String(cString: strerror(start.error)))")
    }
  }

  /// Why a system call that the supervisor needs was refused.
  private static func reason(_ call: String, _ failure: Int32) -> String {
    "\(call) is refused: \(String(cString: strerror(-failure))); "
      + "this process runs under a filter of system calls (a container's, say) that must allow it"
  }

  private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// Gives strings as C takes an argument list, ended by a null pointer.
  private static func withStrings<Value>(
    _ strings: [String],
    _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0) }
  }
}
