package import BME280
import BuiltIn
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

  /// The words of these bytes; `nil` where they make no part.
  package var calibration: Calibration? { Calibration(bytes: nvm.span) }

  /// Reads a calibration file.
  ///
  /// - Throws: `Failure` of kind missing input or bad content.
  package init(path: String) throws(Failure) {
    try self.init(
      text: TextFile.read(NamedInput.open(path), longest: Document.longest),
      file: NamedInput.title(path))
  }

  /// Reads the text of a calibration file, or of any other form that a calibration has.
  ///
  /// - Throws: `Failure` of kind bad content, with every mistake.
  package init(text: String, file: String) throws(Failure) {
    let isTrace = text.hasPrefix(CalibrationText.traceMark)
    if isTrace || !DocumentKind.calibration.matches(text, BME280Keys.calibrationFile) {
      do throws(CalibrationText.FormatError) {
        let found = isTrace ? try CalibrationText(trace: text) : try CalibrationText(text)
        if let found {
          self.init(found, device: Self.name(of: file), provenance: "read from \(file)")
          return
        }
      } catch {
        throw Failure(.badContent, "\(file): \(error.message)")
      }
    }
    try self.init(yaml: text, file: file)
  }

  private init(yaml text: String, file: String) throws(Failure) {
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

  /// Creates a part of which only the bytes are known.
  init(
    _ text: CalibrationText, device: String = "calibration given in place",
    provenance: String = "given in the rig"
  ) {
    (self.device, self.provenance) = (device, provenance)
    (chip, nvm) = (text.chip, text.nvm)
  }

  /// The name of a built-in calibration that stands for a chip where a rig gives none.
  static func typical(of chip: Chip) -> String {
    chip.measuresHumidity ? "periph-i2c" : "bmp-orangepi"
  }

  /// The name of a part whose file says none: that of the file.
  private static func name(of file: String) -> String {
    let last = file.split(separator: "/").last ?? "calibration"
    return String(last.lastIndex(of: ".").map { last[..<$0] } ?? last)
  }
}

extension CheckedValue {
  /// The words of a calibration, where these are given instead of its registers.
  fileprivate var words: CalibrationWords? {
    var words: [String: Int] = [:]
    for (name, _) in CalibrationWords.ranges {
      if let word = self["dig_\(name)"]?.integer { words[name] = word }
    }
    return words.isEmpty ? nil : CalibrationWords(words: words)
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
    guard let registers else { return nil }
    if let words = registers.words { return nvm(words, at: registers.position, of: chip) }
    guard let lower = registers["0x88"], let lowerText = lower.text else { return nil }
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

  /// The NVM that holds some words.
  private mutating func nvm(
    _ words: CalibrationWords, at position: Position, of chip: Chip
  ) -> InlineArray<33, UInt8>? {
    guard words.measuresHumidity == chip.measuresHumidity else {
      note(
        chip.measuresHumidity
          ? "the words of a \(chip.name) lack those of humidity, dig_H1 to dig_H6"
          : "a \(chip.name) has no words of humidity, dig_H1 to dig_H6", at: position)
      return nil
    }
    do throws(CalibrationText.FormatError) {
      return try words.calibration().bytes
    } catch {
      note(error.message, at: position)
      return nil
    }
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
