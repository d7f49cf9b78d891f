import BuiltIn
package import Files
import Schema

/// Converts calibration files of any chip to the form that a rig accepts.
package enum CalibrationForm {
  /// The accepted forms, as lines of help.
  package static let forms =
    Calibrations.forms
    + "\nFor a dump whose id register 0xD0 is that of a BMP180, the lines of its device are printed.\n"

  /// Returns the calibration of a file; for a register dump, in the form of the chip that its id register names.
  ///
  /// - Parameter word: a file in any accepted form, or the name of a built-in calibration.
  /// - Returns: the text, terminated by a newline.
  /// - Throws: `Failure` if there is no such file or it is in none of the accepted forms.
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
