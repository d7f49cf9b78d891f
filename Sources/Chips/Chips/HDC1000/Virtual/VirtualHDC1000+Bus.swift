public import I2C
public import VirtualI2C

extension VirtualHDC1000 {
  /// Handles the address byte, and returns `true` if the part acknowledges it.
  ///
  /// By default, a read of a result register is acknowledged only if a new result is available.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    if case .off = phase { return false }
    switch direction {
    case .write:
      if phase.isMeasuring, options.unknown.writeWhileMeasuring == .nack { return false }
      written = .none
      return true
    case .read:
      readIndex = 0
      return startRead()
    }
  }

  private func startRead() -> Bool {
    // The id registers respond from power-on (DS 8.5.2).
    guard pointer < HDC1000Register.serial else { return true }
    if phase.isStarting, options.unknown.accessDuringStart == .refused { return false }
    guard pointer <= HDC1000Register.humidity else { return true }
    if phase.isMeasuring { return false }
    guard isUpdated || options.unknown.staleRead == .last else { return false }
    isUpdated = false
    return true
  }

  /// Handles a written byte, and returns `true` if the part acknowledges it.
  ///
  /// The first byte is the pointer, which may start a measurement. The next two bytes are a register value.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    let now = time.nanoseconds
    advance(to: now)
    switch written {
    case .none:
      written = .pointer
      pointer = byte
      isTriggerDue = triggers
      if options.unknown.trigger == .pointer { followTrigger(at: now) }
      return true
    case .pointer:
      guard isWritable else { return false }
      written = .high(byte)
      return true
    case .high(let high):
      written = .word
      writeWord(UInt16(high) << 8 | UInt16(byte), at: now)
      return true
    case .word:
      return options.unknown.readOnlyWrite == .ack
    }
  }

  /// Returns the next byte of the register at the pointer.
  ///
  /// In the mode that measures both quantities, the bytes of the humidity follow those of the temperature.
  public func read(at time: inout WireTime) -> UInt8 {
    defer { readIndex += 1 }
    guard let word = word(readIndex / 2) else {
      return options.unknown.pastEnd == .ones ? 0xFF : 0x00
    }
    return UInt8(truncatingIfNeeded: readIndex % 2 == 0 ? word >> 8 : word)
  }

  /// Handles a STOP condition, which starts the measurement that a pointer byte requested, if it has not started yet.
  public func stop(at time: inout WireTime) {
    guard isTriggerDue else { return }
    advance(to: time.nanoseconds)
    followTrigger(at: time.nanoseconds)
  }

  /// `true` if writing the current pointer starts a measurement.
  private var triggers: Bool {
    if phase.isStarting, options.unknown.accessDuringStart == .refused { return false }
    switch pointer {
    case HDC1000Register.temperature: return true
    case HDC1000Register.humidity:
      return !configuration.measuresBoth || options.unknown.humidityPointer == .measures
    default: return false
    }
  }

  private func followTrigger(at time: UInt64) {
    guard isTriggerDue else { return }
    isTriggerDue = false
    let channels: HDC1000Channels =
      pointer == HDC1000Register.humidity
      ? .humidity : configuration.measuresBoth ? [.temperature, .humidity] : .temperature
    begin(channels, at: time)
  }

  private var isWritable: Bool {
    pointer == HDC1000Register.configuration || options.unknown.readOnlyWrite == .ack
  }

  private func writeWord(_ word: UInt16, at time: UInt64) {
    guard pointer == HDC1000Register.configuration else { return }
    if phase.isStarting, options.unknown.accessDuringStart == .refused { return }
    if word & HDC1000Configuration.resetBit != 0 {
      restart(at: time, for: options.unknown.resetTime)
    } else {
      let mask = HDC1000Configuration.writableMask
      configuration.rawValue = configuration.rawValue & ~mask | word & mask
    }
  }

  /// Returns the word with the given index among the words of the current read, or `nil` after the last word.
  private func word(_ index: Int) -> UInt16? {
    switch pointer {
    case HDC1000Register.temperature:
      return index == 0 || index == 1 && configuration.measuresBoth ? codes[index] : nil
    case _ where index > 0: return nil
    case HDC1000Register.humidity: return codes[1]
    case HDC1000Register.configuration: return configuration.rawValue
    case HDC1000Register.serial..<HDC1000Register.manufacturer:
      return serialNumber.word(Int(pointer - HDC1000Register.serial))
    case HDC1000Register.manufacturer: return HDC1000Figures.manufacturer
    case HDC1000Register.device: return HDC1000Figures.device
    default: return options.unknown.reservedRegisters == .zeros ? 0x0000 : 0xFFFF
    }
  }
}
