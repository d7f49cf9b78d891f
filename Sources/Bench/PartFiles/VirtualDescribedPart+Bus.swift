package import I2C
package import VirtualI2C

/// The bus interface of a described part.
extension VirtualDescribedPart {
  /// Handles the address byte and returns `true` to acknowledge it.
  package func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    switch phase {
    case .off, .busy: return false
    case .starting where options.unknown.accessDuringStart == .nack: return false
    case .measuring(let index, let until):
      switch part.measurements[index].meanwhile {
      case .nack: return false
      case .last: break
      case .stretch where direction == .write: return false
      case .stretch:
        time.stretch(nanoseconds: until - time.nanoseconds)
        advance(to: until)
      }
    case .idle, .starting: break
    }
    guard direction == .read else {
      (written, code, word, command) = (0, 0, 0, nil)
      isIgnoring = false
      return true
    }
    // A repeated START comes before the STOP with which the measurement starts.
    if let requested, part.measurements[requested].meanwhile == .nack { return false }
    return part.registers.isAddressed ? startRegisters() : startResponse()
  }

  private func startRegisters() -> Bool {
    guard pointer != Self.unknown else {
      // A pointer to no register is acknowledged.
      response.removeAll(keepingCapacity: true)
      return true
    }
    fillRegisters(from: pointer ?? part.registers.list.firstIndex { $0.address != nil } ?? 0)
    nextByte = skipped
    return true
  }

  /// Prepares the response to the last command.
  private func startResponse() -> Bool {
    guard let command = lastCommand else {
      response.removeAll(keepingCapacity: true)
      return options.unknown.idleRead == .empty
    }
    let listed = part.commands[command]
    fillResponse(listed)
    for (index, measurement) in part.measurements.enumerated()
    where listed.measurement.map({ $0 == index }) ?? returns(listed, measurement) {
      if measurement.needsNew, !hasNewResult { return false }
    }
    if part.measurements.contains(where: { returns(listed, $0) }) { takeResult() }
    clearRead(listed)
    guard options.unknown.secondRead == .idle else { return true }
    // The result of a single measurement is read once.
    if let measurement = listed.measurement, part.measurements[measurement].every == nil {
      answered = nil
    }
    return true
  }

  /// Clears the codes that can be read once.
  private func clearRead(_ command: PartDescription.Command) {
    for item in command.response {
      guard case .value(let value) = item.content, part.values[value].isClearedByReading else {
        continue
      }
      codes[value] = part.values[value].firstCode
    }
  }

  /// Returns whether a response contains a value of a measurement.
  private func returns(
    _ command: PartDescription.Command, _ measurement: PartDescription.Measurement
  ) -> Bool {
    command.response.contains { item in
      if case .value(let value) = item.content { measurement.values.contains(value) } else { false }
    }
  }

  /// The command whose response a read returns: the last one, or the one without a code.
  private var lastCommand: Int? {
    part.command(answeringAfter: answered)
  }

  /// Handles a written byte and returns `true` to acknowledge it.
  package func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    let now = time.nanoseconds
    advance(to: now)
    defer { written += 1 }
    if !part.commands.isEmpty, !part.registers.isAddressed {
      return writeCommand(byte, at: now)
    }
    guard written > 0 else { return select(byte) }
    return writeRegister(byte, at: now)
  }

  /// Returns the next byte of the response, or a byte without content after the last.
  package func read(at time: inout WireTime) -> UInt8 {
    guard nextByte < response.count else {
      if part.registers.isAddressed { continueRegisters() }
      guard nextByte < response.count else { return emptyByte }
      defer { nextByte += 1 }
      return response[nextByte]
    }
    defer { nextByte += 1 }
    return response[nextByte]
  }

  /// The byte that is read where there is nothing.
  private var emptyByte: UInt8 {
    guard part.registers.isAddressed else { return options.unknown.pastEnd.byte }
    if pointer == Self.unknown { return options.unknown.reservedRegisters.byte }
    return part.registers.continuation == .ones ? 0xFF : options.unknown.pastEnd.byte
  }

  /// Handles a STOP, which may start the measurement that was requested.
  package func stop(at time: inout WireTime) {
    guard let index = requested else { return }
    advance(to: time.nanoseconds)
    requested = nil
    begin(index, at: time.nanoseconds)
  }

  // MARK: Registers

  private func select(_ byte: UInt8) -> Bool {
    word = 0
    skipped = 0
    pointer = part.registers.list.firstIndex { $0.address == byte }
    // In a map of bytes, an address may be that of a later byte of a register.
    if pointer == nil, part.registers.bytes == 1 {
      pointer = part.registers.list.indices.first { index in
        guard let address = part.registers.list[index].address, address < byte else { return false }
        skipped = Int(byte - address)
        return skipped < part.registers.width(of: index)
      }
    }
    if pointer == nil { (pointer, skipped) = (Self.unknown, 0) }
    return true
  }

  /// The pointer to no register.
  private static var unknown: Int { -1 }

  private func writeRegister(_ byte: UInt8, at time: UInt64) -> Bool {
    guard let pointer, pointer != Self.unknown else { return true }
    guard part.registers.list[pointer].writable != 0 || options.unknown.readOnlyWrite == .ack else {
      return false
    }
    let bytes = part.registers.width(of: pointer)
    let index = (written - 1) % bytes
    if part.registers.isLittleEndian {
      word |= UInt32(byte) << UInt32(8 * index)
    } else {
      word = word << 8 | UInt32(byte)
    }
    guard index == bytes - 1 else { return true }
    store(word, in: pointer, at: time)
    word = 0
    if part.registers.continuation == .next { self.pointer = following(pointer) }
    return true
  }

  /// Writes a register, and starts what its fields start.
  func store(_ word: UInt32, in index: Int, at time: UInt64) {
    let register = part.registers.list[index]
    let old = registers[index]
    var mask = register.writable
    if options.unknown.reservedWrite == .taken { mask |= part.registers.reservedBits(of: index) }
    registers[index] = old & ~mask | word & mask
    if part.resettingFields.contains(where: {
      part.registers.fields[$0.field].register == index && part.registers.written(word, $0)
    }) {
      return reset(at: time, busyFor: duration(of: part.startTime))
    }
    let started = part.measurement(startedBy: word, in: index)
    // A running conversion is not started again.
    if started != nil, case .measuring = phase { return }
    restart(at: time)
    if let started { request(started, at: time) }
  }

  private func following(_ index: Int) -> Int? {
    guard let address = part.registers.list[index].address else { return nil }
    let step = max(part.registers.width(of: index) / part.registers.bytes, 1)
    return part.registers.list.firstIndex { $0.address == address &+ UInt8(step) }
  }

  private func fillRegisters(from index: Int) {
    response.removeAll(keepingCapacity: true)
    nextByte = 0
    pointer = index
    append(content(of: index), bytes: part.registers.width(of: index))
    // Reading the result, or a register that clears its flag, takes the result.
    let value = part.registers.list[index].value
    let isTaken = part.measurements.contains { measurement in
      value.map(measurement.values.contains) ?? false
        || measurement.newFields.contains { field in
          let clearing = part.registers.fields[field].clearingRegisters
          return clearing.isEmpty
            ? part.registers.fields[field].register == index : clearing.contains(index)
        }
    }
    if isTaken { takeResult(from: index) }
  }

  private func continueRegisters() {
    guard let pointer, pointer != Self.unknown else { return }
    switch part.registers.continuation {
    case .ones: return
    case .same: fillRegisters(from: pointer)
    case .next:
      guard let next = following(pointer) else { return }
      fillRegisters(from: next)
    }
  }

  private func append(_ word: UInt32, bytes: Int) {
    for index in 0..<bytes {
      let place = part.registers.isLittleEndian ? index : bytes - 1 - index
      response.append(UInt8(truncatingIfNeeded: word >> UInt32(8 * place)))
    }
  }

  // MARK: Commands

  private func writeCommand(_ byte: UInt8, at time: UInt64) -> Bool {
    guard let command else {
      if isIgnoring || takeCode(byte, at: time) { return true }
      isIgnoring = part.ignoresUnknownCommands
      return isIgnoring
    }
    let listed = part.commands[command]
    let index = written - (listed.code ?? 0 > 0xFF ? 2 : 1)
    guard index < listed.length else { return false }
    if listed.isChecked, index % 3 == 2 {
      let checksum = part.checksum.map { checksum in
        [UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word)]
          .reduce(checksum.start, checksum.next)
      }
      guard byte == checksum else { return false }
    } else {
      word = word << 8 | UInt32(byte)
    }
    if index == listed.length - 1 { follow(command, at: time) }
    return true
  }

  /// Takes a byte of a command's code; returns `true` if there is such a command.
  private func takeCode(_ byte: UInt8, at time: UInt64) -> Bool {
    guard written < 2 else { return false }
    code = code << 8 | UInt16(byte)
    let isWhole = written == 1 || part.commands.contains { $0.hasCode(code) }
    guard isWhole else {
      return part.commands.contains {
        $0.code.map { $0 > 0xFF && UInt8(truncatingIfNeeded: $0 >> 8) == byte } ?? false
      }
    }
    guard
      let index = part.commands.firstIndex(where: { $0.hasCode(code) && holds($0.conditions) }),
      part.commands[index].forbidden.isEmpty || !holds(part.commands[index].forbidden)
    else { return false }
    (command, answered) = (index, index)
    if part.commands[index].length == 0 { follow(index, at: time) }
    return true
  }

  /// Executes a command whose bytes are complete.
  private func follow(_ index: Int, at time: UInt64) {
    let listed = part.commands[index]
    if listed.resets { return reset(at: time, busyFor: duration(of: listed.busyTime)) }
    if let register = listed.writes { store(word, in: register, at: time) }
    if let field = listed.codeField {
      set(PartDescription.Setting(field: field, value: UInt32(code & listed.codeMask)))
    }
    listed.sets.forEach(set)
    if let measurement = listed.measurement {
      request(measurement, at: time)
    } else if listed.busyTime.maximum > 0 {
      phase = .busy(until: time + duration(of: listed.busyTime))
    }
    if !listed.sets.isEmpty { restart(at: time, again: true) }
  }

  /// Packs the items of a response, most significant bit first, with checksums.
  private func fillResponse(_ command: PartDescription.Command) {
    response.removeAll(keepingCapacity: true)
    nextByte = 0
    var (bits, width) = (UInt64(0), 0)
    let placement = part.placement(in: command)
    var sum = part.checksum?.start ?? 0
    var count = 0
    for item in command.response {
      let mask: UInt64 = 1 << UInt64(item.bits) - 1
      bits = bits << UInt64(item.bits) | UInt64(content(of: item)) & mask
      width += item.bits
      while width >= 8 {
        width -= 8
        count += 1
        let byte = UInt8(truncatingIfNeeded: bits >> UInt64(width))
        response.append(byte)
        guard let checksum = part.checksum else { continue }
        sum = checksum.next(sum, byte)
        guard let group = placement.groupLength, count % group == 0 else { continue }
        response.append(sum)
        if !placement.isCumulative { sum = checksum.start }
      }
    }
    if placement == .response { response.append(sum) }
  }
}
