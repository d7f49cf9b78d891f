import BuiltIn
package import Files
package import I2CTrace

/// A trace that is read from a file.
package struct TraceInput {
  /// The name for messages.
  package let name: String
  /// What its first line says.
  package var header: TraceHeader { reader.header }
  private(set) var reader: TraceReader

  /// Opens a trace; `-` is standard input, and a name without a file that of a built-in trace.
  ///
  /// - Throws: `Failure` when it is missing, or its header is wrong.
  package init(_ path: String) throws(Failure) {
    try self.init(path, named: nil)
  }

  /// Opens a trace that has another name for the user.
  package init(_ path: String, named other: String?) throws(Failure) {
    let file = try NamedInput.open((try? NamedInput(path, .trace))?.path ?? path)
    name = other ?? file.name
    do {
      reader = try TraceReader { try file.chunk() }
    } catch {
      throw Self.failure(error, file.name)
    }
  }

  /// The next transfer, or `nil` at the end.
  ///
  /// - Throws: `Failure` that names the line; `TraceError` when the trace was merely cut off.
  package mutating func next() throws -> (line: Int, transfer: TracedTransfer)? {
    do {
      return try reader.next().map { (reader.line, $0) }
    } catch let error as TraceError where error.kind == .cutOff {
      throw error
    } catch {
      throw Self.failure(error, name)
    }
  }

  /// The next transfer, or `nil` at the end or where the trace was cut off.
  ///
  /// - Throws: `Failure` that names the line.
  package mutating func nextWhole() throws(Failure) -> TracedTransfer? {
    do {
      return try next()?.transfer
    } catch let failure as Failure {
      throw failure
    } catch {
      return nil
    }
  }

  /// The failure of a trace.
  package static func failure(_ error: any Error, _ name: String) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let trace as TraceError:
      Failure(.badContent, "\(name):\(trace.line): error: \(trace.message)")
    default: Failure(.inputOutput, "\(name): \(error)")
    }
  }
}
