import BME280
import BuiltIn
package import Files

/// The calibrations of parts, for whoever knows no chip.
package enum Calibrations {
  /// The forms that are taken, in lines for help.
  package static let forms = """
    Taken are 33 bytes of a BME280 (0x88 to 0xA1, then 0xE1 to 0xE7; 32 without 0xA0) or 24 of a
    BMP280 in any spacing, a table of i2cdump, the words dig_T1 to dig_H6, a trace in which the
    calibration is read, a calibration file, or the name of a built-in calibration.
    """

  /// What is built in: the name of each, its chip and where its bytes come from.
  ///
  /// - Throws: `Failure` never, unless this program is broken.
  package static func list() throws(Failure) -> [(name: String, chip: String, provenance: String)] {
    var rows: [(String, String, String)] = []
    for name in BuiltInFile.names(.calibration) {
      let part = try CalibrationFile(path: NamedInput(name, .calibration).path)
      rows.append((name, "\(part.chip.name)", part.provenance))
    }
    return rows
  }
}
