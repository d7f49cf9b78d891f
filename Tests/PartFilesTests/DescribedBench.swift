import Environment
import I2C
import PartFiles
import Parts
import Support
import VirtualI2C

/// A described part on a virtual bus, in air that the test chooses.
final class DescribedBench {
  let clock = VirtualClock()
  let adapter: VirtualAdapter
  let part: VirtualDescribedPart
  let model: DescribedPart
  var address: I2CAddress { part.address }

  /// Powers a built-in part on.
  ///
  /// - Parameters:
  ///   - name: a built-in part.
  ///   - air: the ambient air.
  ///   - isStarted: `true` if the part has started. Default: `true`.
  ///   - inputs: the values of inputs that differ from the usual ones. Default: none.
  ///   - options: changes the part's options.
  /// - Throws: if there is no such part.
  convenience init(
    _ name: String, in air: Air = .standard, isStarted: Bool = true,
    inputs: [String: Double] = [:], _ options: (inout DescribedOptions) -> Void = { _ in }
  ) throws {
    guard let model = PartFile.builtIn(name) else { throw Failure(.missingInput, name) }
    try self.init(model, in: air, isStarted: isStarted) {
      for (index, input) in model.inputs.enumerated() {
        if let value = inputs[input.name] { $0.inputs[index] = Profile(constant: value) }
      }
      options(&$0)
    }
  }

  /// Powers a part on.
  init(
    _ model: DescribedPart, in air: Air = .standard, isStarted: Bool = true,
    _ options: (inout DescribedOptions) -> Void = { _ in }
  ) throws {
    self.model = model
    var chosen = DescribedOptions(model.description)
    options(&chosen)
    part = VirtualDescribedPart(
      model.description, at: model.addresses[0], in: ScriptedAir(constant: air), options: chosen,
      seed: 1)
    adapter = VirtualAdapter(clock: clock)
    try adapter.attach(part)
    if isStarted { clock.wait(nanoseconds: model.startTime) }
  }

  func write(_ bytes: UInt8...) throws(I2CError) { try adapter.write(bytes.span, to: address) }

  func read(_ count: Int) throws(I2CError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: address)
    return bytes
  }

  func register(_ register: UInt8, _ count: Int) throws(I2CError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &span, at: address)
    return bytes
  }

  func wait(milliseconds: Double) { clock.wait(nanoseconds: UInt64(milliseconds * 1e6)) }
}
