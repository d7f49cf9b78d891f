import Parts
import Schema
package import Support

/// Converts calibration files of any chip to the form that a rig accepts.
package enum CalibrationForm {
  /// The accepted forms, as text for the help of `aneroid compensate`.
  package static let forms =
    Calibrations.forms
    + "\nFor a dump whose id register 0xD0 is that of a BMP180, the lines of its device are printed.\n"

  /// Converts a calibration file to text for a rig.
  ///
  /// A register dump of a BMP180, recognized by its id register, is converted to the YAML lines for
  /// a device of the rig. Any other file is converted to the YAML of a BME280 or BMP280
  /// calibration.
  ///
  /// - Parameter word: a file in any accepted form, or the name of a built-in calibration.
  /// - Returns: the text, terminated by a newline.
  /// - Throws: `Failure` if the file does not exist or is in none of the accepted forms.
  package static func text(of word: String) throws(Failure) -> String {
    let path = try NamedInput(word, .calibration).path
    let text = try TextFile.read(NamedInput.open(path), longest: Document.longest)
    let title = NamedInput.title(path)
    do throws(CalibrationFormatError) {
      if let table = try RegisterTable(text), let id = table.bytes[Int(BMP180Register.id)],
        id == BMP180Register.idValue
      {
        return try BMP180Part.calibration(in: table)
      }
    } catch {
      throw Failure(.badContent, "\(title): \(error.message)")
    }
    return try CalibrationFile(text: text, file: title).yaml
  }
}
