import Chips
package import Files
package import I2C
import I2CTrace
package import Parts

/// Which part a trace tells of, where parts of several families can answer at an address.
package enum TracedPart {
  /// The part that the transfers to an address speak for.
  ///
  /// The bus of a replay must not be asked: it knows the answers to what was asked before, and no others.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - file: the trace; standard input is read only once, and not for this.
  ///   - bus: N of its bus in the trace.
  /// - Returns: the part; `nil` where one family alone can answer there, or nothing speaks for any.
  /// - Throws: `Failure` when the trace is not there, or names the line that is wrong.
  package static func model(
    at address: I2CAddress, in file: String, bus: Int
  ) throws(Failure) -> (any PartModel)? {
    guard Catalogue.families(at: address).count > 1, file != "-" else { return nil }
    var input = try TraceInput(file)
    var text = RegisterText()
    _ = try TraceCommands.each(&input) { _, transfer in
      guard transfer.bus == bus, transfer.messages.first?.segment.address == address else { return }
      _ = text.meaning(of: transfer)
    }
    return text.model(at: address, on: bus)
  }
}
