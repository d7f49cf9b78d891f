import Chips
package import Files
package import I2C
package import Parts
import TraceTools

extension Bench.Bus {
  /// Which part answers at an address of this bus.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - name: what names the bus in messages.
  /// - Returns: the part.
  /// - Throws: `Failure` of kind unavailable when no part that is known answers there.
  package func model(
    at address: I2CAddress, named name: String
  ) throws(Failure) -> any PartModel {
    try AnsweringPart.model(
      at: address, among: sensors.map { ($0.address, $0.model) }, in: trace, on: adapter,
      number: number, named: name)
  }
}

/// Which part answers at an address.
enum AnsweringPart {
  /// The part that is known to stand there, or the one that says so when it is asked.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - known: what is known to be on the bus.
  ///   - trace: the trace that answers on the bus, and N of its bus there; `nil` where none does.
  ///   - adapter: the bus.
  ///   - number: N in /dev/i2c-N.
  ///   - name: what names the bus in messages.
  /// - Returns: the part.
  /// - Throws: `Failure` of kind unavailable when no part that is known answers there.
  static func model(
    at address: I2CAddress, among known: [(address: I2CAddress, model: any PartModel)],
    in trace: (file: String, bus: Int)?, on adapter: any I2CAdapter, number: Int, named name: String
  ) throws(Failure) -> any PartModel {
    if let known = known.first(where: { $0.address == address }) { return known.model }
    if let trace, let model = try TracedPart.model(at: address, in: trace.file, bus: trace.bus) {
      return model
    }
    if let model = Catalogue.model(at: address, on: adapter) { return model }
    let addresses = Catalogue.addresses.map { "\($0)" }.joined(separator: ", ")
    throw Failure(
      .unavailable, "\(name): no part that is known answers at \(address) (known: \(addresses))")
  }
}
