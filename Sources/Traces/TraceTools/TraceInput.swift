package import I2CTrace
import Parts
package import Support

/// A trace read from a file.
package struct TraceInput {
  /// The name of the input for messages.
  package let name: String
  package var header: TraceHeader { reader.header }
  private(set) var reader: TraceReader

  /// Opens a trace.
  ///
  /// `-` is standard input; a name to which no file belongs is the name of a built-in trace.
  ///
  /// - Throws: `Failure` if the trace is missing or its header is invalid.
  package init(_ path: String) throws(Failure) {
    try self.init(path, named: nil)
  }

  /// Opens a trace, with a different name for messages.
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
  /// - Throws: `Failure` with the line number of an error, or `TraceError` if the trace was cut
  ///   off.
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
  /// - Throws: `Failure` with the line number of an error.
  package mutating func nextWhole() throws(Failure) -> TracedTransfer? {
    do {
      return try next()?.transfer
    } catch let failure as Failure {
      throw failure
    } catch {
      return nil
    }
  }

  /// Converts an error in a trace to a failure that names the trace.
  package static func failure(_ error: any Error, _ name: String) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let trace as TraceError:
      Failure(.badContent, "\(name):\(trace.line): error: \(trace.message)")
    default: Failure(.inputOutput, "\(name): \(error)")
    }
  }
}
