package import BME280
import Parts
package import Schema
package import Support

/// The calibration of one part, from a file or a rig.
package struct CalibrationFile: Sendable {
  /// The name of the part.
  package let device: String
  package let chip: Chip
  /// The source of the bytes, as text.
  package let provenance: String
  /// The bytes of the NVM, 0x88...0xA1 then 0xE1...0xE7; a BMP280 uses the first 24.
  package let nvm: InlineArray<33, UInt8>

  /// The calibration words; `nil` if the bytes are not a valid calibration.
  package var calibration: Calibration? { Calibration(bytes: nvm.span) }

  /// Reads a calibration file.
  ///
  /// - Throws: `Failure` of kind missing input if the file cannot be read, of kind bad content if
  ///   it is invalid.
  package init(path: String) throws(Failure) {
    try self.init(
      text: TextFile.read(NamedInput.open(path), longest: Document.longest),
      file: NamedInput.title(path))
  }

  /// Parses the text of a calibration file, or of any other accepted form.
  ///
  /// - Throws: `Failure` of kind bad content, which lists all errors.
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
    do throws(DocumentError) {
      return try Document.read(
        text, file: file, as: BME280Keys.calibrationFile, named: "the calibration",
        kind: .calibration)
    } catch {
      throw Failure(.badContent, [error])
    }
  }

  /// Creates a calibration from registers that the rig itself contains.
  package init(registers: InlineArray<33, UInt8>, of chip: Chip) {
    device = "registers in the rig"
    self.chip = chip
    provenance = "given in the rig"
    nvm = registers
  }

  /// Creates a calibration from parsed bytes, which name neither the part nor their source.
  init(
    _ text: CalibrationText, device: String = "calibration in the rig",
    provenance: String = "given in the rig"
  ) {
    (self.device, self.provenance) = (device, provenance)
    (chip, nvm) = (text.chip, text.nvm)
  }

  /// Returns the name of the built-in calibration that is used if a rig does not specify one.
  static func typical(of chip: Chip) -> String {
    chip.measuresHumidity ? "periph-i2c" : "bmp-orangepi"
  }

  /// Returns the default name of a part, which is the name of its file without folder and
  /// extension.
  private static func name(of file: String) -> String {
    let last = file.split(separator: "/").last ?? "calibration"
    return String(last.lastIndex(of: ".").map { last[..<$0] } ?? last)
  }
}

extension CheckedValue {
  /// The calibration words, or `nil` if the value contains registers instead.
  fileprivate var words: CalibrationWords? {
    var words: [String: Int] = [:]
    for (name, _) in CalibrationWords.ranges {
      if let word = self["dig_\(name)"]?.integer { words[name] = word }
    }
    return words.isEmpty ? nil : CalibrationWords(words: words)
  }
}

extension Chip {
  /// Creates the chip that files refer to by a name, or `nil` if the name is unknown.
  package init?(named name: String) {
    guard let chip = Chip.allCases.first(where: { "\($0.name)" == name }) else { return nil }
    self = chip
  }
}

extension Checker {
  /// Returns the NVM contents that a section of registers or words specifies, or `nil` after
  /// reporting an error.
  package mutating func nvm(_ registers: CheckedValue?, of chip: Chip) -> InlineArray<33, UInt8>? {
    guard let registers else { return nil }
    if let words = registers.words { return nvm(words, at: registers.position, of: chip) }
    guard let lower = registers["0x88"], let lowerText = lower.text else { return nil }
    let before = errors.count
    let lowerLength = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    checkLength(lower, is: lowerLength, register: "0x88", of: chip)
    if chip.measuresHumidity {
      if let upper = registers["0xE1"] {
        checkLength(upper, is: Calibration.upperLength, register: "0xE1", of: chip)
      } else {
        note("the registers of a bme280 require '0xE1' (7 bytes)", at: registers.position)
      }
    } else if let upper = registers["0xE1"] {
      note("a bmp280 has no registers at 0xE1", at: upper.position)
    }
    guard errors.count == before else { return nil }
    var image = InlineArray<33, UInt8>(repeating: 0)
    let upperText = registers["0xE1"]?.text ?? ""
    for (index, byte) in Hexadecimal.bytes(lowerText + upperText).enumerated() {
      image[index] = byte
    }
    return image
  }

  /// Returns the NVM contents that encode the calibration words, or `nil` after reporting an error.
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

extension CalibrationFile {
  /// The calibration as the YAML text of a calibration file.
  package var yaml: String {
    let lower = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    func digits(_ range: Range<Int>) -> String {
      "\"" + range.map { Hexadecimal.digits(nvm[$0]) }.joined() + "\""
    }
    var registers = "0x88: \(digits(0..<lower))"
    if chip.measuresHumidity {
      registers += ", 0xE1: \(digits(lower..<Calibration.bme280Length))"
    }
    return """
      \(comment)device: \(quoted(device))
      chip: \(chip.name)
      provenance: \(quoted(provenance))
      registers: {\(registers)}

      """
  }

  /// The decoded words as YAML comment lines, or an empty text if the bytes are invalid.
  private var comment: String {
    guard
      let calibration = Calibration(
        bytes: nvm.span.extracting(first: Calibration.length(on: chip)))
    else { return "" }
    let temperature = [Int(calibration.t1), Int(calibration.t2), Int(calibration.t3)]
    let pressure = [
      Int(calibration.p1), Int(calibration.p2), Int(calibration.p3), Int(calibration.p4),
      Int(calibration.p5), Int(calibration.p6), Int(calibration.p7), Int(calibration.p8),
      Int(calibration.p9),
    ]
    let humidity = [
      Int(calibration.h1), Int(calibration.h2), Int(calibration.h3), Int(calibration.h4),
      Int(calibration.h5), Int(calibration.h6),
    ]
    var lines = [("T", temperature), ("P", pressure)]
    if chip.measuresHumidity { lines.append(("H", humidity)) }
    return lines.map { name, words in
      let last = words.count
      return "# dig_\(name)1 to dig_\(name)\(last): "
        + words.map(String.init).joined(separator: " ") + "\n"
    }.joined()
  }

  private func quoted(_ text: String) -> String { JSONValue.string(text).compact }
}

/// The built-in calibrations of the BME280 and BMP280, and the accepted forms of other
/// calibrations.
package enum Calibrations {
  /// The accepted forms, as text for the help of the command.
  package static let forms = """
    Accepted forms: 33 bytes of a BME280 (0x88 to 0xA1, then 0xE1 to 0xE7; 32 without 0xA0) or 24
    bytes of a BMP280 with any spacing, a table of i2cdump, the words dig_T1 to dig_H6, a trace in
    which the calibration is read, a calibration file, or the name of a built-in calibration.
    """

  /// Returns the name, chip and source of each built-in calibration.
  ///
  /// - Throws: `Failure` only if a built-in file is invalid, which is a bug.
  package static func list() throws(Failure) -> [(name: String, chip: String, provenance: String)] {
    var rows: [(String, String, String)] = []
    for name in BuiltInFile.names(.calibration) {
      let part = try CalibrationFile(path: NamedInput(name, .calibration).path)
      rows.append((name, "\(part.chip.name)", part.provenance))
    }
    return rows
  }
}
