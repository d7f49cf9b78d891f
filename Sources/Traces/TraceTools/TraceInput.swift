import BuiltIn
package import Files
package import I2CTrace

/// A trace read from a file.
package struct TraceInput {
  /// The name of the input for messages.
  package let name: String
  /// The header.
  package var header: TraceHeader { reader.header }
  private(set) var reader: TraceReader

  /// Opens a trace; `-` is standard input, and a name without a file that of a built-in trace.
  ///
  /// - Throws: `Failure` if it is missing, or its header is invalid.
  package init(_ path: String) throws(Failure) {
    try self.init(path, named: nil)
  }

  /// Opens a trace under another name for the user.
  package init(_ path: String, named other: String?) throws(Failure) {
    let file = try NamedInput.open((try? NamedInput(path, .trace))?.path ?? path)
    name = other ?? file.name
    do {
      reader = try TraceReader { try file.chunk() }
    } catch {
      throw Self.failure(error, file.name)
    }
  }

  /// Returns the next transfer; `nil` at the end.
  ///
  /// - Throws: `Failure` with the line of an error; `TraceError` if the trace was cut off.
  package mutating func next() throws -> (line: Int, transfer: TracedTransfer)? {
    do {
      return try reader.next().map { (reader.line, $0) }
    } catch let error as TraceError where error.kind == .cutOff {
      throw error
    } catch {
      throw Self.failure(error, name)
    }
  }

  /// Returns the next transfer; `nil` at the end, or if the trace was cut off.
  ///
  /// - Throws: `Failure` with the line of an error.
  package mutating func nextWhole() throws(Failure) -> TracedTransfer? {
    do {
      return try next()?.transfer
    } catch let failure as Failure {
      throw failure
    } catch {
      return nil
    }
  }

  /// Returns the failure for an error of a trace.
  package static func failure(_ error: any Error, _ name: String) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let trace as TraceError:
      Failure(.badContent, "\(name):\(trace.line): error: \(trace.message)")
    default: Failure(.inputOutput, "\(name): \(error)")
    }
  }
}
