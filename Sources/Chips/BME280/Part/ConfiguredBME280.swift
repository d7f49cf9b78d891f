import VirtualParts
import BME280
package import BME280Model
package import Environment
package import I2C
import Files
package import Parts
package import Schema
import Text

/// A BME280 or BMP280 as a rig describes it.
package struct ConfiguredBME280: ConfiguredPart {
  /// Which chip it is and what its NVM holds.
  package let memory: CalibrationFile
  /// How it deviates from the ideal part.
  package let options: SensorOptions
  /// What an earlier program wrote to it, in this order.
  package let left: [(register: UInt8, value: UInt8)]

  package var model: any PartModel { BME280Part(memory.chip) }

  package var calibration: String? { memory.device }

  package var wasUsed: Bool { !left.isEmpty }

  package var remarks: [String] { [options.noise.remark, options.timing.remark] }

  package var excesses: [PartExcess] {
    options.beyondAccuracy.map {
      PartExcess(key: $0.key, quantity: $0.quantity, asked: $0.asked, allowed: $0.allowed)
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
    guard let calibration = value["calibration"] else { return nil }
    let memory: CalibrationFile
    if let path = calibration.text {
      do throws(Failure) {
        memory = try CalibrationFile(path: reader.named(path))
      } catch {
        reader.fail(error)
        return nil
      }
      if memory.chip != chip {
        reader.checker.note(
          "the calibration is of a \(memory.chip.name), the model is a \(name)",
          at: calibration.position)
      }
    } else {
      guard let nvm = reader.checker.nvm(calibration, of: chip) else { return nil }
      memory = CalibrationFile(registers: nvm, of: chip)
    }
    return ConfiguredBME280(
      memory: memory, options: SensorOptions(value), left: left(value["initial_registers"]))
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
