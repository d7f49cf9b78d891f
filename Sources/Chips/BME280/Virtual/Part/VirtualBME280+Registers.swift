import BME280

extension VirtualBME280 {
  /// What a register reads at a time up to which everything has happened.
  func value(of register: UInt8, at time: UInt64) -> UInt8 {
    switch register {
    case 0x88...0xA1: return calibrationByte(Int(register) - 0x88, at: time)
    case 0xD0: return identifier
    case 0xE1...0xE7:
      return calibrationByte(Int(register) - 0xE1 + Calibration.lowerLength, at: time)
    case 0xF2: return chip.measuresHumidity ? controlHumidity : 0
    case 0xF3: return status(at: time).rawValue
    case 0xF4: return controlMeasurement
    case 0xF5: return configuration
    case 0xF7...0xFC: return dataByte(register)
    case 0xFD...0xFE: return chip.measuresHumidity ? dataByte(register) : 0
    default:
      return ReservedRegisters.value(of: register, on: chip, latchedHumidity: latchedHumidity)
    }
  }

  /// Writes a register as an earlier program did: as soon as the part had started.
  ///
  /// - Parameters:
  ///   - value: the byte.
  ///   - register: where it goes.
  public func writeEarly(_ value: UInt8, to register: UInt8) {
    let time = firstPowerOn + options.unknown.powerOnCopyTime
    advance(to: time)
    write(value, to: register, at: time)
  }

  /// Writes a register at a time up to which everything has happened.
  ///
  /// What is read-only or not there takes the byte and ignores it.
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

  /// A write to ctrl_meas: at once, or at the end of the running conversion (DS 3.3.1).
  ///
  /// While the part starts it reads back, and is followed when the start is over.
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

  /// A write to config: "may be ignored" in normal mode (DS 5.4.6); it resets the filter.
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

  /// A byte of the data that are to be seen, without making all eight.
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

  /// A byte of the calibration image; until the first copy has ended there is none.
  private func calibrationByte(_ index: Int, at time: UInt64) -> UInt8 {
    let unknown = options.unknown
    if phase.isStarting
      || unknown.calibrationBeforeConversion == .unreadable && isCopyingAgain(at: time)
    {
      return unknown.unreadable == .ones ? 0xFF : 0
    }
    return index < Calibration.length(on: chip) ? image[index] : 0
  }

  /// What the id register reads; while the part starts, that is a switch.
  private var identifier: UInt8 {
    guard phase.isStarting else { return chip.identifier }
    return switch options.unknown.identityDuringStart {
    case .right: chip.identifier
    case .zeros: 0
    case .ones: 0xFF
    }
  }

  /// Whether the memory is being copied before a conversion.
  private func isCopyingAgain(at time: UInt64) -> Bool {
    guard case .converting(let since, _) = phase else { return false }
    return time < since + options.unknown.measuringDelay
  }

  /// The status; `measuring` falls when the results are in the data registers (DS 5.4.4), which a
  /// burst delays.
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

  /// Whether a register takes data.
  func isWritable(_ register: UInt8) -> Bool {
    switch register {
    case Register.reset, Register.controlMeasurement, Register.configuration: true
    case Register.controlHumidity: chip.measuresHumidity
    default: false
    }
  }
}
