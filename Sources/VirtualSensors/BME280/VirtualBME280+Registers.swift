import BME280

extension VirtualBME280 {
  /// What a register reads at a time up to which everything has happened.
  func value(of register: UInt8, at time: UInt64) -> UInt8 {
    switch register {
    case 0x88...0xA1: return calibrationByte(Int(register) - 0x88)
    case 0xD0: return chip.identifier
    case 0xE1...0xE7: return calibrationByte(Int(register) - 0xE1 + Calibration.lowerLength)
    case 0xF2: return chip.measuresHumidity ? controlHumidity : 0
    case 0xF3: return status(at: time).rawValue
    case 0xF4: return controlMeasurement
    case 0xF5: return configuration
    case 0xF7...0xFE:
      let index = Int(register) - 0xF7
      return index < chip.dataLength ? visible.registers[index] : 0
    case 0xFF: return chip == .bme280 ? 0x80 : 0
    default: return 0
    }
  }

  /// Writes a register at a time up to which everything has happened.
  ///
  /// What is read-only or not there takes the byte and ignores it.
  func write(_ value: UInt8, to register: UInt8, at time: UInt64) {
    switch register {
    case Register.reset where value == Register.resetCommand:
      reset(at: time)
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
  private func writeControl(_ value: UInt8, at time: UInt64) {
    switch phase {
    case .asleep, .standby: apply(control: value, at: time)
    case .starting: break
    case .converting: if pendingControl == nil { pendingControl = value }
    }
  }

  /// A write to config: ignored in normal mode (DS 5.4.6: "may be"), and it resets the filter.
  private func writeConfiguration(_ value: UInt8) {
    guard mode != .normal else { return }
    configuration = value & 0xFD
    temperatureFilter.reset()
    pressureFilter.reset()
  }

  /// A byte of the calibration image, 0 until the first copy has ended and where there is none.
  private func calibrationByte(_ index: Int) -> UInt8 {
    if case .starting = phase { return 0 }
    return index < Calibration.length(on: chip) ? nvm[index] : 0
  }

  private func status(at time: UInt64) -> Status {
    switch phase {
    case .starting: .imageUpdate
    case .asleep, .standby: []
    case .converting(let since, _):
      time < since + options.measuringDelay ? .imageUpdate : .measuring
    }
  }
}
