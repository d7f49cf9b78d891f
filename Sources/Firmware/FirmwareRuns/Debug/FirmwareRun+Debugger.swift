package import Files

extension FirmwareRun {
  /// Runs to the end as GDB wants it.
  ///
  /// - Parameter port: where GDB is heard on the loopback interface; 0 for any port that is free.
  /// - Returns: how it ended.
  /// - Throws: `Failure` when the port is in use, or something could not be written.
  package func run(debuggedAt port: UInt16) throws(Failure) -> FirmwareEnding {
    let listener = try GDBListener(port: port)
    return try run { GDBSession($0, listener).perform() }
  }
}
