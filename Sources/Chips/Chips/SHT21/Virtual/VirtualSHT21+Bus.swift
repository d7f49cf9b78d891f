public import I2C
public import VirtualI2C

extension VirtualSHT21 {
  /// Handles the address byte and returns `true` to acknowledge it; a read is acknowledged only if
  /// a response is available.
  ///
  /// In hold master mode, the part holds SCL after the address byte of the read (DS 5.4, figure
  /// 15).
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
    if isResponseDue {
      isResponseDue = false
    } else if options.unknown.secondRead == .idle || response.isEmpty {
      response = SHT21Response()
      return options.unknown.idleRead == .ones
    }
    response.rewind()
    return true
  }

  /// Handles a written byte, which is a command or its argument, and returns `true` to acknowledge
  /// it.
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
    case .memoryAddress(let first):
      expected = .nothing
      return readMemory(UInt16(first) << 8 | UInt16(byte))
    case .nothing:
      return options.unknown.unknownCommand == .ack
    }
  }

  /// Returns the next byte of the response.
  public func read(at time: inout WireTime) -> UInt8 {
    response.read() ?? (options.unknown.pastEnd == .ones ? 0xFF : 0x00)
  }

  /// Handles a STOP condition, after which the next written byte is a command.
  public func stop(at time: inout WireTime) { expected = .command }

  private func follow(_ byte: UInt8, at time: UInt64) -> Bool {
    expected = .nothing
    guard let command = SHT21Command(rawValue: byte) else {
      if byte == UInt8(SHT21SerialNumber.firstCommand >> 8)
        || byte == UInt8(SHT21SerialNumber.secondCommand >> 8)
      {
        expected = .memoryAddress(first: byte)
        return true
      }
      return options.unknown.unknownCommand == .ack
    }
    response = SHT21Response()
    isResponseDue = false
    switch command {
    case .temperatureHold, .humidityHold, .temperatureNoHold, .humidityNoHold:
      if let quantity = command.quantity {
        begin(quantity, holdingClock: command.holdsClock, at: time)
      }
    case .writeUserRegister:
      expected = .userRegister
    case .readUserRegister:
      response.add(userRegister.rawValue)
      isResponseDue = true
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
    response = SHT21Response(serialNumber, command: command, options.unknown.serialChecksum)
    isResponseDue = true
    return true
  }
}

/// The bytes that a virtual SHT21 returns to reads.
struct SHT21Response {
  private var bytes = InlineArray<8, UInt8>(repeating: 0)
  private(set) var count = 0
  private var next = 0

  /// `true` if there are no bytes to read.
  var isEmpty: Bool { count == 0 }

  mutating func add(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Adds a word, most significant byte first, and its checksum.
  mutating func addChecked(_ word: UInt16) {
    add(UInt8(word >> 8))
    add(UInt8(truncatingIfNeeded: word))
    add(SHT21Checksum(of: word).value)
  }

  /// Makes the next read return the first byte again.
  mutating func rewind() { next = 0 }

  /// Returns the next byte, or `nil` after the last one.
  mutating func read() -> UInt8? {
    guard next < count else { return nil }
    defer { next += 1 }
    return bytes[next]
  }

  /// Creates the response to the command that reads one of the serial number's two memory
  /// addresses.
  init(
    _ number: SHT21SerialNumber, command: UInt16, _ kind: SHT21UndocumentedBehavior.SerialChecksum
  ) {
    var checksum = SHT21Checksum()
    func begin() { if kind == .each { checksum = SHT21Checksum() } }
    if command == SHT21SerialNumber.firstCommand {
      for shift in [24, 16, 8, 0] as [UInt32] {
        begin()
        let byte = UInt8(truncatingIfNeeded: number.middle >> shift)
        checksum.add(byte)
        add(byte)
        add(checksum.value)
      }
    } else {
      for word in [number.low, number.high] {
        begin()
        for byte in [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)] {
          checksum.add(byte)
          add(byte)
        }
        add(checksum.value)
      }
    }
  }

  init() {}
}
