public import I2C
import I2CTrace

/// The conformance check for I2C adapters.
public enum Conformance {
  /// A deviation of an adapter from the contract.
  public struct Difference: CustomStringConvertible {
    /// The title of the clause.
    public let title: String
    let expected, found: TracedTransfer

    /// The required and the actual transfer, one below the other as in a comparison of traces.
    public var description: String { "\(title):\n- \(expected)\n+ \(found)" }
  }

  /// Performs all transfers of the contract on an adapter and compares the results.
  ///
  /// - Parameters:
  ///   - adapter: an adapter whose bus has the part of the contract and no other.
  ///   - capabilities: its optional capabilities. A transfer that needs others must be rejected.
  /// - Returns: the deviations; empty if the adapter conforms.
  public static func differences(
    of adapter: any I2CAdapter, _ capabilities: Capabilities = .all
  ) -> [Difference] {
    Clause.all.compactMap { clause in
      let isWithin = clause.needs.isSubset(of: capabilities)
      // A rejected transfer has left no data to read.
      if !isWithin, case .reads = clause.outcome, clause.needs == .anyMessages,
        clause.segments.count == 2
      {
        return nil
      }
      let found = outcome(of: clause, on: adapter)
      let isRight =
        isWithin ? conforms(found, to: clause, capabilities) : found.error?.kind == .unsupported
      return isRight
        ? nil : Difference(title: clause.title, expected: clause.transfer, found: found)
    }
  }

  private static func outcome(of clause: Clause, on adapter: any I2CAdapter) -> TracedTransfer {
    let count = clause.segments.filter { $0.direction == .read }.map(\.count).reduce(0, +)
    // A prefilled buffer reveals bytes that a read does not set.
    var reading = [UInt8](repeating: 0xEE, count: count)
    do throws(I2CError) {
      var bytes = reading.mutableSpan
      try adapter.transfer(clause.segments.span, writing: clause.writing.span, reading: &bytes)
      return clause.transfer(reading: reading, nil)
    } catch {
      return clause.transfer(reading: [], error)
    }
  }

  private static func conforms(
    _ found: TracedTransfer, to clause: Clause, _ capabilities: Capabilities
  ) -> Bool {
    guard case .fails(let message) = clause.outcome else {
      return found.messages == clause.transfer.messages && found.error == nil
    }
    guard let error = found.error else {
      // Without the kind of a failure a NACKed write is not detected; only a missing response is.
      return !capabilities.contains(.causes)
        && clause.segments.allSatisfy { $0.direction == .write }
    }
    return (!capabilities.contains(.causes) || error.kind == .addressNack)
      && (!capabilities.contains(.positions) || error.message == message)
  }
}

extension Clause {
  /// The required transfer.
  fileprivate var transfer: TracedTransfer {
    switch outcome {
    case .reads(let bytes): transfer(reading: bytes, nil)
    case .fails(let message):
      transfer(reading: [], I2CError(.addressNack, message: message, errno: .enxio))
    }
  }

  fileprivate func transfer(reading: [UInt8], _ error: I2CError?) -> TracedTransfer {
    TracedTransfer(
      time: 0, duration: 0, bus: 1, segments.span, writing: writing.span, reading: reading.span,
      error: error)
  }
}
