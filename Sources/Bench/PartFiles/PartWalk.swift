import Environment
package import I2C
import Parts
package import Support
import VirtualI2C

/// Checks on a bus which of the facts in a part file a client observes.
///
/// The part may be virtual or real. Registers are written only on request, and restored.
package struct PartWalk {
  /// A fact with what was observed.
  package struct Result: Sendable {
    /// What the part file says.
    package let fact: String
    /// `true` if it was observed, `false` if something else was observed, `nil` if it cannot be observed here.
    package let isObserved: Bool?
    /// What was observed instead, or why nothing was.
    package let detail: String
  }

  private let part: PartDescription
  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let address: I2CAddress
  private var results: [Result] = []

  package init(
    _ part: DescribedPart, on adapter: any I2CAdapter, _ clock: any I2CClock, at address: I2CAddress
  ) {
    self.part = part.description
    (self.adapter, self.clock, self.address) = (adapter, clock, address)
  }

  /// Creates the walk on a virtual bus with the part, in standard air.
  ///
  /// - Throws: `Failure` if the part cannot be at the address.
  package init(of part: DescribedPart, at address: I2CAddress) throws(Failure) {
    guard part.addresses.contains(address) else {
      throw Failure(.unavailable, "\(part.titleWithArticle) is at \(part.addressSummary)")
    }
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    let options = DescribedOptions(part.description)
    let device = VirtualDescribedPart(
      part.description, at: address, in: ScriptedAir(constant: .standard), options: options, seed: 0
    )
    do {
      try adapter.attach(device)
    } catch {
      throw Failure(.unavailable, "\(error)")
    }
    self.init(part, on: adapter, clock, at: address)
  }

  /// Walks through all facts.
  ///
  /// - Parameter mayWrite: `true` to write the writable bits of registers, and to reset the part.
  /// - Returns: the results, in the order of the file.
  package mutating func walk(mayWrite: Bool) -> [Result] {
    start()
    if part.registers.isAddressed {
      for index in part.registers.list.indices { register(index, mayWrite: mayWrite) }
    }
    for index in part.commands.indices { command(index, mayWrite: mayWrite) }
    return results
  }

  private mutating func start() {
    clock.wait(nanoseconds: part.startTime.maximum)
    let error = failure { () throws(I2CError) in try adapter.probe(address) }
    note(
      "it answers at \(address) \(time(part.startTime.maximum)) after power-on", error == nil, error
    )
  }

  // MARK: Registers

  private mutating func register(_ index: Int, mayWrite: Bool) {
    let register = part.registers.list[index]
    guard let at = register.address else { return }
    let name = "register 0x\(Hexadecimal.digits(at)) '\(register.name)'"
    let bytes = part.registers.width(of: index)
    let (read, error) = word(at, bytes)
    guard let read else { return note("\(name) can be read", false, error) }
    guard register.value == nil, register.calibration == nil else {
      return note("\(name) can be read", true, nil)
    }
    // Bits that the part sets itself may have any value.
    let own = part.measurements.flatMap { $0.busy.map(\.field) + $0.newFields }
    let free = part.registers.fields.enumerated()
      .filter { own.contains($0.offset) && $0.element.register == index }
      .reduce(UInt32(0)) { $0 | $1.element.mask }
    note(
      "\(name) has 0x\(Hexadecimal.digits(register.reset, 2 * bytes)) after power-on",
      (read ^ register.reset) & ~free == 0, "it reads 0x\(Hexadecimal.digits(read, 2 * bytes))")
    // A bit that resets the part does not keep its value.
    let writable =
      register.writable
      & ~part.resettingFields.map { part.registers.fields[$0.field] }
      .filter { $0.register == index }.reduce(UInt32(0)) { $0 | $1.mask }
    guard mayWrite, writable != 0 else { return }
    write(index, read ^ writable)
    let (changed, _) = word(at, bytes)
    write(index, read)
    let mask = writable & ~free
    note(
      "\(name): the bits 0x\(Hexadecimal.digits(writable, 2 * bytes)) can be written",
      changed.map { ($0 ^ read) & mask == mask } ?? false,
      changed.map { "it reads 0x\(Hexadecimal.digits($0, 2 * bytes))" })
  }

  private func word(_ register: UInt8, _ bytes: Int) -> (UInt32?, String?) {
    var found = [UInt8](repeating: 0, count: bytes)
    let error = failure { () throws(I2CError) in
      var span = found.mutableSpan
      try adapter.readRegisters(from: register, count: bytes, into: &span, at: address)
    }
    guard error == nil else { return (nil, error) }
    return (part.registers.word(of: found), nil)
  }

  private func write(_ index: Int, _ word: UInt32) {
    let register = part.registers.list[index]
    let data = part.registers.bytes(of: word, count: part.registers.width(of: index))
    _ = failure { () throws(I2CError) in
      try adapter.write(([register.address ?? 0] + data).span, to: address)
    }
  }

  // MARK: Commands

  private mutating func command(_ index: Int, mayWrite: Bool) {
    let command = part.commands[index]
    guard let code = command.code else { return }
    let name = "command 0x\(Hexadecimal.digits(code, code > 0xFF ? 4 : 2)) '\(command.name)'"
    let contents = part.registers.list.map(\.reset)
    let isForbidden =
      !command.forbidden.isEmpty && part.registers.fulfil(command.forbidden, in: contents)
    guard !isForbidden, command.writes == nil, command.sets.isEmpty,
      part.registers.fulfil(command.conditions, in: contents)
    else {
      return note("\(name) is acknowledged", nil, "it changes the mode, or depends on it")
    }
    guard mayWrite || !command.resets else {
      return note("\(name) is acknowledged", nil, "it resets the part; see --write")
    }
    let error = failure { () throws(I2CError) in
      try adapter.write(command.message.span, to: address)
    }
    note("\(name) is acknowledged", error == nil, error)
    guard error == nil else { return }
    if let measurement = command.measurement {
      measure(part.measurements[measurement], command, name)
    } else if !command.response.isEmpty {
      response(command, name)
    }
    clock.wait(
      nanoseconds: command.busyTime.maximum + (command.resets ? part.startTime.maximum : 0))
  }

  private mutating func measure(
    _ measurement: PartDescription.Measurement, _ command: PartDescription.Command, _ name: String
  ) {
    let maximum =
      measurement.maximum.field == nil
      ? part.duration(of: measurement, in: part.registers.list.map(\.reset)).maximum
      : measurement.maximum.elements.max() ?? 0
    if measurement.meanwhile == .nack {
      let error = failure { () throws(I2CError) in try adapter.probe(address) }
      note("\(name): it is not acknowledged meanwhile", error != nil, "it answers at once")
    }
    clock.wait(nanoseconds: maximum)
    guard !command.response.isEmpty else { return }
    response(command, "\(name): a result after \(time(maximum))")
  }

  private mutating func response(_ command: PartDescription.Command, _ name: String) {
    let length = part.responseLength(of: command)
    var bytes = [UInt8](repeating: 0, count: length)
    let error = failure { () throws(I2CError) in
      var span = bytes.mutableSpan
      try adapter.read(into: &span, from: address)
    }
    guard error == nil else {
      // A part that measures by itself may have no new result yet.
      let waits = part.measurements.contains { $0.needsNew }
      return note("\(name): \(length) bytes", waits ? nil : false, error)
    }
    note("\(name): \(length) bytes", true, nil)
    guard part.placement(in: command) != .none else { return }
    note(
      "\(name): the checksums are right", part.separated(bytes, of: command).wrong == nil,
      bytes.map { Hexadecimal.digits($0) }.joined(separator: " "))
  }

  // MARK: Results

  private mutating func note(_ fact: String, _ isObserved: Bool?, _ detail: String?) {
    results.append(
      Result(fact: fact, isObserved: isObserved, detail: isObserved == true ? "" : detail ?? ""))
  }

  private func failure(_ body: () throws(I2CError) -> Void) -> String? {
    do throws(I2CError) {
      try body()
      return nil
    } catch {
      return error.description
    }
  }

  private func time(_ nanoseconds: UInt64) -> String {
    "\(Decimal.rounded(Double(nanoseconds) / 1e6, 3)) ms"
  }
}
