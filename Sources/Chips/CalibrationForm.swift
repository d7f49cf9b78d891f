import BuiltIn
package import Files
import Schema

/// Calibrations in the form that a rig takes, whichever chip they are of.
package enum CalibrationForm {
  /// The forms that are taken, in lines for help.
  package static let forms =
    Calibrations.forms
    + "\nOf a dump whose 0xD0 names a BMP180 the lines of its device are printed.\n"

  /// The calibration of a file: of a dump the form of the chip that its identity names.
  ///
  /// - Parameter word: a file in any form, or the name of a built-in calibration.
  /// - Returns: the text, its last line ended.
  /// - Throws: `Failure` where there is none, or it is in none of the forms.
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
