import BME280
package import BME280Model
package import Environment
package import I2C
package import Parts
package import Schema
import Support
import VirtualI2C

/// A BME280 or BMP280 with the options that a rig configures.
package struct ConfiguredBME280: ConfiguredPart {
  /// The chip and the contents of its NVM.
  package let memory: CalibrationFile
  /// The deviations from the ideal part.
  package let options: SensorOptions
  /// The registers that an earlier program wrote, with their values, in the order of the writes.
  package let left: [(register: UInt8, value: UInt8)]

  package var model: any PartModel { BME280Part(memory.chip) }

  package var calibration: String? { memory.device }

  package var wasUsed: Bool { !left.isEmpty }

  package var details: [String] { [options.noise.summary, options.timing.summary] }

  package var excesses: [PartExcess] {
    options.beyondAccuracy.map {
      PartExcess(key: $0.key, quantity: $0.quantity, asked: $0.requested, allowed: $0.allowed)
    }
  }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    let part = VirtualBME280(
      chip: memory.chip, nvm: memory.nvm, address: address, air: air, options: options, seed: seed)
    for write in left { part.writeEarly(write.value, to: write.register) }
    return part
  }
}

extension BME280Part {
  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    guard let memory = memory(value["calibration"], &reader),
      let options = BME280Keys.device.options(value, &reader)
    else { return nil }
    return ConfiguredBME280(
      memory: memory, options: options, left: left(value["initial_registers"]))
  }

  /// Returns the calibration that a rig specifies for the part, or `nil` after reporting an error.
  ///
  /// Default: the built-in calibration of a typical part.
  private func memory(_ value: CheckedValue?, _ reader: inout PartReader) -> CalibrationFile? {
    guard let value else {
      return try? CalibrationFile(
        path: NamedInput(CalibrationFile.typical(of: chip), .calibration).path)
    }
    if !value.list.isEmpty {
      return inPlace(value, &reader) { () throws(CalibrationText.FormatError) in
        try CalibrationText(bytes: value.list.compactMap(\.integer).map { UInt8($0) }, for: chip)
      }
    }
    guard let word = value.text else {
      return reader.checker.nvm(value, of: chip).map { CalibrationFile(registers: $0, of: chip) }
    }
    // A file of this name takes precedence. Names of built-in calibrations are shorter than the
    // bytes.
    if word.utf8.count >= 24, !TextFile.exists(TextFile.resolve(word, relativeTo: reader.file)) {
      let before = reader.checker.errors.count
      let found = inPlace(value, &reader) { () throws(CalibrationText.FormatError) in
        try CalibrationText(word, for: chip)
      }
      if found != nil || reader.checker.errors.count > before { return found }
    }
    guard let path = reader.named(word, .calibration, at: value.position) else { return nil }
    do throws(Failure) {
      let memory = try CalibrationFile(path: path)
      return isOfThisChip(memory.chip, value, &reader) ? memory : nil
    } catch {
      reader.fail(error, at: value.position)
      return nil
    }
  }

  /// Parses a calibration whose bytes or words the rig itself contains.
  private func inPlace(
    _ value: CheckedValue, _ reader: inout PartReader,
    _ read: () throws(CalibrationText.FormatError) -> CalibrationText?
  ) -> CalibrationFile? {
    do throws(CalibrationText.FormatError) {
      guard let text = try read(), isOfThisChip(text.chip, value, &reader) else { return nil }
      return CalibrationFile(text)
    } catch {
      reader.checker.note(error.message, at: value.position)
      return nil
    }
  }

  private func isOfThisChip(
    _ other: Chip, _ value: CheckedValue, _ reader: inout PartReader
  ) -> Bool {
    if other == chip { return true }
    reader.checker.note(
      "the calibration is that of a \(other.name), the model is a \(name)", at: value.position)
    return false
  }

  private func left(_ value: CheckedValue?) -> [(register: UInt8, value: UInt8)] {
    [
      ("config", Register.configuration), ("ctrl_hum", Register.controlHumidity),
      ("ctrl_meas", Register.controlMeasurement),
    ].compactMap { key, register in
      value?[key]?.integer.map { (register, UInt8($0)) }
    }
  }
}

extension VirtualBME280: VirtualPart {
  package func chargeUsed(at time: UInt64) -> Double? { charge(at: time).total }
}
