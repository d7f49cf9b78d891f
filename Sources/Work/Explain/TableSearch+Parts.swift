import BuiltIn
import Chips
package import DriverDiagnosis
package import Files

extension TableSearch.Part {
  /// The built-in calibrations of real parts.
  ///
  /// - Throws: `Failure` never, unless this program is broken.
  package static func builtIn() throws(Failure) -> [TableSearch.Part] {
    var parts: [TableSearch.Part] = []
    for name in BuiltInFile.names(.calibration) {
      if let part = try named(name) { parts.append(part) }
    }
    return parts
  }

  /// The part with a calibration: the name of a built-in one or a file; `nil` where it makes no part.
  ///
  /// - Throws: `Failure` where it cannot be read.
  package static func named(_ word: String) throws(Failure) -> TableSearch.Part? {
    try CalibrationFile(path: NamedInput(word, .calibration).path).calibration.map {
      TableSearch.Part(name: word, calibration: $0)
    }
  }
}
