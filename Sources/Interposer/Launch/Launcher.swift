import CInterposer
import Glibc

/// Starts a program under a filter.
enum Launcher {
  /// A program that runs, and the ends that the supervisor holds.
  struct Started {
    let process: Int32
    let listener: Int32
    let signals: Int32
    /// Becomes readable when the program has been executed, or could not be.
    let report: Int32
    let waitsKillable: Bool
  }

  /// Starts a program.
  ///
  /// - Throws: ``InterposerError`` when it cannot be started, or not under a filter.
  static func start(
    _ arguments: [String], filter: FilterProgram
  ) throws(InterposerError) -> Started {
    let path = try ProgramPath.find(arguments[0])
    let signals = interposer_signals()
    guard signals >= 0, interposer_adopt() == 0 else {
      throw .unavailable("signals or orphans cannot be taken over: errno \(-signals)")
    }
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
        process: start.process, listener: start.listener, signals: signals,
        report: start.report, waitsKillable: start.waits_killable)
    case INTERPOSER_NO_FILTER: throw .unavailable(Availability.reason(start.error))
    default: throw .unavailable("no process: \(String(cString: strerror(start.error)))")
    }
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
