/// The bytes and words of a described part on the wire, which its driver, its trace text and its checks share.
extension PartDescription {
  /// The number of bytes of the response to a command, with checksums.
  func responseLength(of command: Command) -> Int {
    let data = command.response.reduce(0) { $0 + $1.bits } / 8
    let placement = placement(in: command)
    if let group = placement.groupLength { return data + data / group }
    return placement == .response ? data + 1 : data
  }

  /// The commands with whose codes the bytes of a write begin.
  func commands(with bytes: [UInt8]) -> [Int] {
    let codes = [1, 2].map { bytes.prefix($0).reduce(UInt16(0)) { $0 << 8 | UInt16($1) } }
    return commands.indices.filter { index in
      codes.contains { commands[index].hasCode($0) }
    }
  }

  /// The command whose response a read returns: the last one, or the one without a code; `nil` if there is neither.
  func command(answeringAfter last: Int?) -> Int? {
    if let last, !commands[last].response.isEmpty { return last }
    return commands.firstIndex { $0.code == nil }
  }

  /// The single measurement that is started by writing a word to a register; `nil` if none is.
  func measurement(startedBy word: UInt32, in register: Int) -> Int? {
    measurements.firstIndex { measurement in
      !measurement.starts.isEmpty
        && measurement.starts.allSatisfy {
          registers.fields[$0.field].register == register && registers.written(word, $0)
        }
    }
  }

  // MARK: Settings

  /// Returns the factor of the codes of a value, with some contents of the registers.
  func scale(of value: Value, in contents: [UInt32]) -> Double {
    registers.selected(value.scale, in: contents) / registers.factor(value.gain, in: contents)
  }

  /// Returns the typical and the longest duration of a measurement in nanoseconds, with some contents of the registers.
  func duration(of measurement: Measurement, in contents: [UInt32]) -> Span {
    Span(
      typical: registers.multiplied(measurement.typical, measurement.times, in: contents),
      maximum: registers.multiplied(measurement.maximum, measurement.times, in: contents))
  }

  /// Returns the period of a measurement in nanoseconds, with some contents of the registers; `nil` if it does not repeat.
  func period(of measurement: Measurement, in contents: [UInt32]) -> UInt64? {
    measurement.every.map { registers.multiplied($0, measurement.times, in: contents) }
  }

  /// What a checksum follows in the response to a command.
  func placement(in command: Command) -> Checksum.Placement {
    checksum.map { command.placement ?? $0.placement } ?? .none
  }

  /// Separates the data of a response from its checksums.
  ///
  /// - Returns: the data, and the first checksum that is wrong, with the right one; `nil` if all are right.
  func separated(
    _ bytes: [UInt8], of command: Command
  ) -> (data: [UInt8], wrong: (found: UInt8, right: UInt8)?) {
    let placement = placement(in: command)
    guard let checksum, placement != .none else { return (bytes, nil) }
    var data: [UInt8] = []
    var sum = checksum.start
    var wrong: (found: UInt8, right: UInt8)?
    for (index, byte) in bytes.enumerated() {
      let isSum =
        placement.groupLength.map { index % ($0 + 1) == $0 } ?? (index == bytes.count - 1)
      guard isSum else {
        data.append(byte)
        sum = checksum.next(sum, byte)
        continue
      }
      if byte != sum, wrong == nil { wrong = (byte, sum) }
      if !placement.isCumulative { sum = checksum.start }
    }
    return (data, wrong)
  }

  /// Returns the codes of the values in the data of a response, each with the index of its value.
  func codes(in data: [UInt8], of command: Command) -> [(value: Int, code: UInt32)] {
    var (bits, width, rest) = (UInt64(0), 0, data[...])
    var codes: [(value: Int, code: UInt32)] = []
    for item in command.response {
      while width < item.bits, let byte = rest.popFirst() {
        bits = bits << 8 | UInt64(byte)
        width += 8
      }
      guard width >= item.bits else { break }
      width -= item.bits
      let word = UInt32(truncatingIfNeeded: bits >> UInt64(width) & (1 << UInt64(item.bits) - 1))
      if case .value(let index) = item.content { codes.append((index, word)) }
    }
    return codes
  }
}

extension PartDescription.Command {
  /// Returns whether it has a code, whatever the bits that set a field are.
  func hasCode(_ code: UInt16?) -> Bool {
    guard let own = self.code, let code else { return self.code == code }
    return code & ~codeMask == own
  }

  /// The bytes that a client writes, without those for a register.
  var message: [UInt8] {
    guard let code else { return [] }
    return (code > 0xFF ? [UInt8(truncatingIfNeeded: code >> 8)] : [])
      + [UInt8(truncatingIfNeeded: code)] + arguments
  }
}

extension PartDescription.Registers {
  /// The number of bytes of a register.
  func width(of index: Int) -> Int { list[index].bytes ?? bytes }

  /// The reserved bits of a register: those that belong to no field, if others can be written and it shows no value.
  func reservedBits(of index: Int) -> UInt32 {
    let register = list[index]
    guard register.writable != 0, register.value == nil, register.calibration == nil else {
      return 0
    }
    let width = UInt32(8 * width(of: index))
    var bits: UInt32 = width >= 32 ? .max : 1 << width - 1
    for field in fields where field.register == index { bits &= ~field.mask }
    return bits
  }

  /// The bytes of a word in the order of the part.
  func bytes(of word: UInt32, count: Int) -> [UInt8] {
    (0..<count).map { index in
      UInt8(truncatingIfNeeded: word >> UInt32(8 * (isLittleEndian ? index : count - 1 - index)))
    }
  }

  /// The word that bytes in the order of the part stand for.
  func word(of bytes: [UInt8]) -> UInt32 {
    (isLittleEndian ? bytes.reversed() : bytes).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the value of a field in the contents of the registers.
  func value(of field: Int, in contents: [UInt32]) -> UInt32 {
    fields[field].value(in: contents[fields[field].register])
  }

  /// Returns whether a word that is written to the register of a field sets the field to a value.
  func written(_ word: UInt32, _ setting: PartDescription.Setting) -> Bool {
    fields[setting.field].value(in: word) == setting.value
  }

  /// Returns the element that a field selects in the contents of the registers.
  func selected<Element>(
    _ choice: PartDescription.Choice<Element>, in contents: [UInt32]
  ) -> Element {
    choice[choice.field.map { value(of: $0, in: contents) } ?? 0]
  }

  /// Returns a factor in the contents of the registers; 1 for none.
  func factor(_ multiplier: PartDescription.Multiplier?, in contents: [UInt32]) -> Double {
    multiplier.map { $0[value(of: $0.field, in: contents)] } ?? 1
  }

  /// Returns a duration that a field selects, multiplied by a factor.
  fileprivate func multiplied(
    _ choice: PartDescription.Choice<UInt64>, _ multiplier: PartDescription.Multiplier?,
    in contents: [UInt32]
  ) -> UInt64 {
    let time = selected(choice, in: contents)
    guard let multiplier else { return time }
    return UInt64((Double(time) * factor(multiplier, in: contents)).rounded())
  }

  /// Returns whether the contents of the registers fulfil all conditions.
  func fulfil(_ conditions: [PartDescription.Condition], in contents: [UInt32]) -> Bool {
    conditions.allSatisfy { $0.values.contains(value(of: $0.field, in: contents)) }
  }

  /// Sets a field in the contents of the registers.
  func set(_ setting: PartDescription.Setting, in contents: inout [UInt32]) {
    let field = fields[setting.field]
    contents[field.register] =
      contents[field.register] & ~field.mask | field.bits(of: setting.value)
  }
}
