/// Why a program could not be started on virtual buses.
public enum InterposerError: Error, Hashable, Sendable {
  /// This machine does not let system calls be answered; why, and what to do.
  case unavailable(String)
  /// There is no such program.
  case notFound(String)
  /// There is a program, but not what it is run by: the interpreter in a script's first line, or a loader.
  case noInterpreter(String, String)
  /// The program cannot be run; why.
  case notRunnable(String, String)
}

extension InterposerError: CustomStringConvertible {
  /// What failed and why.
  public var description: String {
    switch self {
    case .unavailable(let reason): "/dev/i2c-N cannot be shown to programs here: \(reason)"
    case .notFound(let program): "\(program): no such program"
    case .noInterpreter(let program, let interpreter):
      "\(program): cannot be run: it asks for \(interpreter), which is not there"
    case .notRunnable(let program, let reason): "\(program): cannot be run: \(reason)"
    }
  }
}
