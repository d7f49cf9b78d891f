package import Files

/// Why an audit cannot be made.
package enum AuditError: Error {
  /// The bench cannot be set up.
  case bench(Failure)
  /// The program cannot be run: the exit status of `exec` and what it said.
  case program(Int32, [String])
  /// How the program shows its values is not known.
  case output(OutputError)
  /// It was interrupted.
  case interrupted
}
