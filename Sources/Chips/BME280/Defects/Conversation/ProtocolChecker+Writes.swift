import BME280
import I2CTrace

extension ProtocolChecker {
  /// Takes a message that writes registers.
  mutating func written(
    _ write: RegisterWrite, _ bytes: [UInt8], readsOn: Bool, _ transfer: TracedTransfer
  ) {
    if write.hasStranger {
      note("B33", Self.block(bytes), transfer.time, kind: "block")
    } else if write.hasTrailingAddress, !readsOn {
      openBlock = (Self.block(bytes), transfer.time)
    }
    for (register, value) in write.pairs {
      if [0x60, 0x72, 0x74, 0x75].contains(register) {
        note(
          "B34", "register \(Self.hex(register)) is written: bit 7 is missing", transfer.time,
          kind: "bit 7")
      }
      switch register {
      case Register.reset where value == 0xB6: reset(transfer)
      case Register.controlHumidity:
        hasWrittenHumidity = true
        isHumidityPending = value & 7 != controlHumidity ?? 0
        if controlHumidity == nil || isHumidityPending { controlHumidity = value & 7 }
      case Register.controlMeasurement: takeControl(value, transfer)
      case Register.configuration: takeConfiguration(value, transfer)
      default: break
      }
    }
  }

  /// What a message of several values behind one address is.
  private static func block(_ bytes: [UInt8]) -> String {
    "\(bytes.count - 1) bytes are written from register \(hex(bytes[0])) on as a block"
  }

  /// Tells of a block whose last byte nobody has read from: it was meant as a value.
  mutating func closeBlock() {
    if let openBlock { note("B33", openBlock.sentence, openBlock.time, kind: "block") }
    openBlock = nil
  }

  private mutating func reset(_ transfer: TracedTransfer) {
    lastReset = transfer.time &+ transfer.duration
    hasSeenCopyEnd = false
    control = 0
    hasReadControl = false
    controlHumidity = nil
    effectiveHumidity = nil
    hasSeenHumidity = false
    isHumidityPending = false
    trigger = nil
    hasGoodData = false
    previousHumidityOff = nil
  }

  private mutating func takeConfiguration(_ value: UInt8, _ transfer: TracedTransfer) {
    if control & 3 == 3 {
      note("B22", "config (0xF5) is written in normal mode", transfer.time)
    }
    if value & 0b11 != 0 {
      let bit = value & 1 != 0 ? "bit 0, SPI of three wires," : "bit 1, which is reserved,"
      note("B44", "config (0xF5) is written as \(Self.hex(value)): \(bit) is set", transfer.time)
    }
  }

  private mutating func takeControl(_ value: UInt8, _ transfer: TracedTransfer) {
    if hasTimes, let trigger, control & 3 != 3, control & 3 != 0, value & 3 != 0,
      transfer.time < trigger &+ measurementTime(typical: true) / 2
    {
      note("B23", "ctrl_meas is written again while a measurement runs", transfer.time)
    }
    if value & 0xFC == 0, value & 3 != 0, controlHumidity == nil, chip != .bmp280 {
      bareMode = bareMode ?? (value, transfer.time)
    }
    endRound()
    control = value
    effectiveHumidity = controlHumidity
    isHumidityPending = false
    (polledIdle, hasSeenMeasuring, hasSeenEnd) = (false, false, false)
    readSinceTrigger = 0
    if value & 3 != 0 {
      trigger = transfer.time &+ transfer.duration
      triggersSinceData += 1
    }
  }

  /// How long the measurement takes that was triggered last, in nanoseconds.
  func measurementTime(typical: Bool) -> UInt64 {
    let settings = ControlMeasurement(byte: control)
    let humidity =
      chip == .bmp280 ? Oversampling.skipped : Oversampling(bits: (controlHumidity ?? 0) & 7)
    return typical
      ? MeasurementTime.typical(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
      : MeasurementTime.maximum(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
  }
}
