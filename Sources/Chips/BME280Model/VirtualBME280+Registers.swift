import BME280
public import I2C
public import VirtualI2C

extension VirtualBME280 {
  /// Handles the address byte, and returns `true` if the part acknowledges it; the next byte written is a register
  /// address.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    guard acknowledges else { return false }
    if isInBurst, options.unknown.burstEnd == .start { endBurst() }
    if direction == .write { expectsRegister = true }
    return true
  }

  /// Handles a written byte, which is alternately a register address and a value; addresses are not auto-incremented
  /// (DS 6.2.1).
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    if expectsRegister {
      pointer = byte
    } else {
      advance(to: time.nanoseconds)
      guard options.unknown.readOnlyWrite == .ack || isWritable(pointer) else { return false }
      write(byte, to: pointer, at: time.nanoseconds)
      if options.unknown.pointerAfterPair == .next { pointer &+= 1 }
    }
    expectsRegister.toggle()
    return true
  }

  /// Returns the value of the register at the pointer and increments the pointer; reading a data register freezes all
  /// data registers.
  public func read(at time: inout WireTime) -> UInt8 {
    let now = time.nanoseconds
    advance(to: now)
    if Self.dataRegisters.contains(pointer) { isInBurst = true }
    let value = value(of: pointer, at: now)
    if pointer < 0xFF || options.unknown.pastEnd == .wrap { pointer &+= 1 }
    return value
  }

  /// Handles a STOP condition, which ends a burst and makes results measured during the burst visible (DS 4.1).
  public func stop(at time: inout WireTime) {
    guard isInBurst else { return }
    advance(to: time.nanoseconds)
    endBurst()
  }

  private static var dataRegisters: ClosedRange<UInt8> { 0xF7...0xFE }

  private func endBurst() {
    isInBurst = false
    visible = latest
  }

  /// `true` if the part acknowledges its address.
  private var acknowledges: Bool {
    guard hasInterfaceSupply else { return false }
    switch phase {
    case .off: return false
    case .starting: return options.unknown.unreadable != .nack
    default: return true
    }
  }
}

extension VirtualBME280 {
  /// Returns the value of a register at `time`; all events up to that time must have been processed.
  func value(of register: UInt8, at time: UInt64) -> UInt8 {
    switch register {
    case 0x88...0xA1: return calibrationByte(Int(register) - 0x88, at: time)
    case Register.id: return identifier
    case 0xE1...0xE7:
      return calibrationByte(Int(register) - 0xE1 + Calibration.lowerLength, at: time)
    case Register.controlHumidity: return chip.measuresHumidity ? controlHumidity : 0
    case Register.status: return status(at: time).rawValue
    case Register.controlMeasurement: return controlMeasurement
    case Register.configuration: return configuration
    case 0xF7...0xFC: return dataByte(register)
    case 0xFD...0xFE: return chip.measuresHumidity ? dataByte(register) : 0
    default:
      return ReservedRegisters.value(of: register, on: chip, latchedHumidity: latchedHumidity)
    }
  }

  /// Writes a register at the end of the start-up after power-on, as if an earlier program had left the value there.
  ///
  /// - Parameters:
  ///   - value: the byte.
  ///   - register: the register address.
  public func writeEarly(_ value: UInt8, to register: UInt8) {
    let time = firstPowerOn + options.unknown.powerOnCopyTime
    advance(to: time)
    write(value, to: register, at: time)
  }

  /// Writes a register at `time`; all events up to that time must have been processed.
  ///
  /// A write to a read-only or unassigned register has no effect.
  func write(_ value: UInt8, to register: UInt8, at time: UInt64) {
    if phase.isStarting, options.unknown.writesDuringStart == .lost, register != Register.reset {
      return
    }
    switch register {
    case Register.reset where value == Register.resetCommand:
      reset(at: time, copyTime: options.unknown.resetCopyTime)
    case Register.controlHumidity where chip.measuresHumidity:
      if pendingControl == nil { controlHumidity = value & 0x07 }
    case Register.controlMeasurement:
      writeControl(value, at: time)
    case Register.configuration:
      writeConfiguration(value)
    default:
      break
    }
  }

  /// Handles a write to ctrl_meas, which takes effect immediately, or at the end of the current conversion (DS 3.3.1).
  ///
  /// A value written during start-up reads back immediately and takes effect after start-up.
  private func writeControl(_ value: UInt8, at time: UInt64) {
    switch phase {
    case .asleep, .standby: apply(control: value, at: time)
    case .off: break
    case .starting:
      controlMeasurement = value
      latchedHumidity = controlHumidity
      isHung = wasResetInNormalMode && options.unknown.writesDuringStart == .hang
    case .converting:
      guard pendingControl == nil else { return }
      pendingControl = value
      if options.unknown.oversamplingWrite == .next {
        controlMeasurement = value & ~0b11 | controlMeasurement & 0b11
      }
    }
  }

  /// Handles a write to config, which resets the filter and "may be ignored" in normal mode (DS 5.4.6).
  private func writeConfiguration(_ value: UInt8) {
    let unknown = options.unknown
    if !phase.isStarting {
      if mode == .normal, unknown.configInNormalMode == .ignored { return }
      if mode == .forced, phase.isConverting, unknown.configWhileMeasuring == .ignored { return }
    }
    configuration = unknown.configBit == .kept ? value : value & 0xFD
    temperatureFilter.reset()
    pressureFilter.reset()
  }

  /// Returns one byte of the results that the bus can currently read, without computing all eight bytes.
  private func dataByte(_ register: UInt8) -> UInt8 {
    let (value, shift): (Int32, Int32) =
      switch register {
      case 0xF7: (visible.pressure, 12)
      case 0xF8: (visible.pressure, 4)
      case 0xF9: (visible.pressure << 4, 0)
      case 0xFA: (visible.temperature, 12)
      case 0xFB: (visible.temperature, 4)
      case 0xFC: (visible.temperature << 4, 0)
      case 0xFD: (visible.humidity, 8)
      default: (visible.humidity, 0)
      }
    return UInt8(truncatingIfNeeded: value >> shift)
  }

  /// Returns a byte of the calibration registers, which are unreadable during start-up, while the part copies them
  /// from its NVM.
  private func calibrationByte(_ index: Int, at time: UInt64) -> UInt8 {
    let unknown = options.unknown
    if phase.isStarting
      || unknown.calibrationBeforeConversion == .unreadable && isCopyingAgain(at: time)
    {
      return unknown.unreadable == .ones ? 0xFF : 0
    }
    return index < Calibration.length(on: chip) ? image[index] : 0
  }

  /// The value of the id register; the assumption `identityDuringStart` selects the value during start-up.
  private var identifier: UInt8 {
    guard phase.isStarting else { return chip.identifier }
    return switch options.unknown.identityDuringStart {
    case .right: chip.identifier
    case .zeros: 0
    case .ones: 0xFF
    }
  }

  /// Returns `true` if the NVM is being copied before a conversion.
  private func isCopyingAgain(at time: UInt64) -> Bool {
    guard case .converting(let since, _) = phase else { return false }
    return time < since + options.unknown.measuringDelay
  }

  /// Returns the value of the status register.
  ///
  /// The bit `measuring` is cleared when the results are in the data registers (DS 5.4.4), which happens only after
  /// the end of a burst read in progress.
  private func status(at time: UInt64) -> Status {
    var status: Status =
      switch phase {
      case .starting: .imageUpdate
      case .asleep, .standby, .off: []
      case .converting: isCopyingAgain(at: time) ? .imageUpdate : .measuring
      }
    if isInBurst, visible != latest { status.insert(.measuring) }
    if options.unknown.hiddenBit == .measured,
      conversionsSinceReset > 0 || status.contains(.measuring)
    {
      status.insert(Status(rawValue: 0x04))
    }
    return status
  }

  /// Returns `true` if a write to the register can have an effect.
  func isWritable(_ register: UInt8) -> Bool {
    switch register {
    case Register.reset, Register.controlMeasurement, Register.configuration: true
    case Register.controlHumidity: chip.measuresHumidity
    default: false
    }
  }
}

/// Values of registers that the datasheet does not describe, on which several dumps of real parts agree.
///
/// If parts differ, the value comes from one of them: 0x80...0x87 and 0xA2 from the dumps saltpp-rpi3 (BME280) and
/// bmp-orangepi (BMP280), 0xE8 from fm4dd-getbme280.
enum ReservedRegisters {
  /// Returns the value of a reserved register of a chip.
  static func value(of register: UInt8, on chip: Chip, latchedHumidity: UInt8) -> UInt8 {
    switch register {
    case 0xAC: 0x33
    case 0xAF: 0xC0
    case 0xB1: 0x54
    case 0xB6: 0x60
    case 0xB7: 0x02
    case 0xB9: 0x01
    case 0xBA, 0xC3: 0xFF
    case 0xBD: 0x60
    case 0xBE: 0x03
    default:
      chip.measuresHumidity
        ? bme280Value(of: register, latchedHumidity: latchedHumidity) : bmp280Value(of: register)
    }
  }

  private static func bme280Value(of register: UInt8, latchedHumidity: UInt8) -> UInt8 {
    switch register {
    case 0x80...0x87:
      let bytes: InlineArray<8, UInt8> = [0x8C, 0x50, 0x89, 0x1F, 0x6E, 0x32, 0x79, 0x06]
      return bytes[Int(register) - 0x80]
    case 0xA2: return 0x96
    case 0xBB: return 0xFF
    case 0xBC: return 0x1F
    case 0xC8: return latchedHumidity
    case 0xE8: return 0x37
    case 0xE9: return 0x41
    case 0xEA...0xF0: return 0xFF
    case 0xFF: return 0x80
    default: return 0
    }
  }

  /// Returns the value of a reserved register of a BMP280; 0xBB repeats 0xA2 in all dumps.
  private static func bmp280Value(of register: UInt8) -> UInt8 {
    switch register {
    case 0x80...0x87:
      let bytes: InlineArray<8, UInt8> = [0x93, 0x70, 0x90, 0x3A, 0x53, 0x37, 0xFD, 0x00]
      return bytes[Int(register) - 0x80]
    case 0xA2, 0xBB: return 0xB2
    case 0xBC: return 0x13
    default: return 0
    }
  }
}
