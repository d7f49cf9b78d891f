public import I2C
public import VirtualI2C

extension VirtualSHT21 {
  /// Sees its address: for reading it acknowledges only when it has something to give.
  ///
  /// A measurement that holds the clock does so here, behind the address (DS 5.4, figure 15).
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    switch phase {
    case .off: return false
    case .starting where options.unknown.accessDuringStart == .nack: return false
    default: break
    }
    switch direction {
    case .write: return startWrite()
    case .read: return startRead(&time)
    }
  }

  private func startWrite() -> Bool {
    if case .measuring = phase {
      guard options.unknown.commandWhileMeasuring == .followed else { return false }
      phase = .idle
    }
    expected = .command
    return true
  }

  private func startRead(_ time: inout WireTime) -> Bool {
    if case .measuring(_, let until, let holdsClock) = phase {
      guard holdsClock else { return false }
      time.stretch(nanoseconds: until - time.nanoseconds)
      advance(to: until)
    }
    if case .ready = phase { phase = .idle }
    if isAnswerDue {
      isAnswerDue = false
    } else if options.unknown.secondRead == .idle || answer.isEmpty {
      answer = SHT21Answer()
      return options.unknown.idleRead == .ones
    }
    answer.rewind()
    return true
  }

  /// Takes a command, or what follows one.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    let now = time.nanoseconds
    advance(to: now)
    switch expected {
    case .command:
      return follow(byte, at: now)
    case .userRegister:
      expected = .nothing
      writeUserRegister(byte, at: now)
      return true
    case .memoryPlace(let first):
      expected = .nothing
      return readMemory(UInt16(first) << 8 | UInt16(byte))
    case .nothing:
      return options.unknown.unknownCommand == .ack
    }
  }

  /// Gives the next byte of the answer.
  public func read(at time: inout WireTime) -> UInt8 {
    answer.read() ?? (options.unknown.pastEnd == .ones ? 0xFF : 0x00)
  }

  /// Sees a stop: the next byte written is a command.
  public func stop(at time: inout WireTime) { expected = .command }

  private func follow(_ byte: UInt8, at time: UInt64) -> Bool {
    expected = .nothing
    guard let command = SHT21Command(rawValue: byte) else {
      if byte == UInt8(SHT21SerialNumber.firstCommand >> 8)
        || byte == UInt8(SHT21SerialNumber.secondCommand >> 8)
      {
        expected = .memoryPlace(first: byte)
        return true
      }
      return options.unknown.unknownCommand == .ack
    }
    answer = SHT21Answer()
    isAnswerDue = false
    switch command {
    case .temperatureHold, .humidityHold, .temperatureNoHold, .humidityNoHold:
      if let quantity = command.quantity {
        begin(quantity, holdingClock: command.holdsClock, at: time)
      }
    case .writeUserRegister:
      expected = .userRegister
    case .readUserRegister:
      answer.add(userRegister.rawValue)
      isAnswerDue = true
    case .softReset:
      loadDefaults()
      phase = .starting(until: time + options.unknown.resetTime)
    }
    return true
  }

  private func writeUserRegister(_ byte: UInt8, at time: UInt64) {
    let wasOn = userRegister.isHeaterOn
    var mask = SHT21UserRegister.writableMask
    if options.unknown.reservedWrite == .taken { mask |= SHT21UserRegister.reservedMask }
    userRegister.rawValue = userRegister.rawValue & ~mask | byte & mask
    let isOn = userRegister.isHeaterOn
    userRegister.isHeaterOn = wasOn
    switchHeater(to: isOn, at: time)
  }

  private func readMemory(_ command: UInt16) -> Bool {
    guard
      command == SHT21SerialNumber.firstCommand || command == SHT21SerialNumber.secondCommand
    else { return options.unknown.unknownCommand == .ack }
    answer = SHT21Answer(serialNumber, command: command, options.unknown.serialChecksum)
    isAnswerDue = true
    return true
  }
}
