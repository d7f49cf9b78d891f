package import BME280
package import Files
package import Schema
import Text

/// The calibration of one part, as its file or rig gives it.
package struct CalibrationFile: Sendable {
  /// A name for the part.
  package let device: String
  /// Which chip it is.
  package let chip: Chip
  /// Where the bytes come from.
  package let provenance: String
  /// The bytes of the NVM, 0x88...0xA1 then 0xE1...0xE7; a BMP280 uses the first 24.
  package let nvm: InlineArray<33, UInt8>

  /// Reads a calibration file.
  ///
  /// - Throws: `Failure` of kind missing input or bad content.
  package init(path: String) throws(Failure) {
    try self.init(text: TextFile.read(path, longest: Document.longest), file: path)
  }

  /// Reads the text of a calibration file.
  ///
  /// - Throws: `Failure` of kind bad content, with every mistake.
  package init(text: String, file: String) throws(Failure) {
    var (value, checker) = try Self.document(text, file: file)
    device = value["device"]?.text ?? ""
    chip = Chip(named: value["chip"]?.text ?? "") ?? .bme280
    provenance = value["provenance"]?.text ?? ""
    let nvm = value.isSound ? checker.nvm(value["registers"], of: chip) : nil
    guard let nvm else { throw Failure(.badContent, checker.findings) }
    self.nvm = nvm
  }

  private static func document(
    _ text: String, file: String
  ) throws(Failure) -> (CheckedValue, Checker) {
    do throws(Mistake) {
      return try Document.read(
        text, file: file, as: BME280Keys.calibrationFile, named: "the calibration",
        kind: .calibration)
    } catch {
      throw Failure(.badContent, [error])
    }
  }

  /// Creates a part from registers given in place.
  package init(registers: InlineArray<33, UInt8>, of chip: Chip) {
    device = "registers given in place"
    self.chip = chip
    provenance = "given in the rig"
    nvm = registers
  }
}

extension Chip {
  /// The chip with a name in files.
  package init?(named name: String) {
    guard let chip = Chip.allCases.first(where: { "\($0.name)" == name }) else { return nil }
    self = chip
  }
}

extension Checker {
  /// The NVM that a group of registers spells, with its lengths checked.
  package mutating func nvm(_ registers: CheckedValue?, of chip: Chip) -> InlineArray<33, UInt8>? {
    guard let registers, let lower = registers["0x88"], let lowerText = lower.text else {
      return nil
    }
    let before = mistakes.count
    let lowerLength = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    checkLength(lower, is: lowerLength, register: "0x88", of: chip)
    if chip.measuresHumidity {
      if let upper = registers["0xE1"] {
        checkLength(upper, is: Calibration.upperLength, register: "0xE1", of: chip)
      } else {
        note("the registers of a bme280 lack '0xE1' (7 bytes)", at: registers.position)
      }
    } else if let upper = registers["0xE1"] {
      note("a bmp280 has no registers at 0xE1", at: upper.position)
    }
    guard mistakes.count == before else { return nil }
    var image = InlineArray<33, UInt8>(repeating: 0)
    let upperText = registers["0xE1"]?.text ?? ""
    for (index, byte) in Hexadecimal.bytes(lowerText + upperText).enumerated() {
      image[index] = byte
    }
    return image
  }

  private mutating func checkLength(
    _ value: CheckedValue, is length: Int, register: String, of chip: Chip
  ) {
    let digits = value.text?.count ?? 0
    guard digits != 2 * length else { return }
    note(
      "\(register) of a \(chip.name) takes \(length) bytes (\(2 * length) digits), "
        + "not \(digits) digits", at: value.position)
  }
}
