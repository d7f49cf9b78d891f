import BME280
package import Files
import Text

extension CompensationTable {
  /// Where the header has the columns.
  package struct Columns {
    package let calibration, temperature, pressure: Int
    /// The column of humidity codes; `nil` in a table of a BMP280.
    package let humidity: Int?
    package let count: Int

    package init(header: [String]) throws(CSV.FormatError) {
      func index(_ name: String) throws(CSV.FormatError) -> Int {
        if let index = header.firstIndex(of: name) { return index }
        throw CSV.FormatError(
          line: 1,
          message: "no column '\(name)'" + NearestWord.hint(name, among: header)
            + " (needed: calib, adc_T, adc_P; for humidity adc_H)")
      }
      calibration = try index("calib")
      temperature = try index("adc_T")
      pressure = try index("adc_P")
      humidity = header.firstIndex(of: "adc_H")
      count = header.count
    }
  }

  /// The part of a row; rows of one part follow each other, so that it is decoded once.
  package struct Part {
    private(set) var calibration = Calibration(
      t1: 0, t2: 0, t3: 0, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, p6: 0, p7: 0, p8: 0, p9: 0)
    private(set) var chip = Chip.bme280
    private var digits: [UInt8] = []

    /// Reads the part of a row and returns whether it is another one than before.
    ///
    /// - Throws: `CSV.FormatError` when the row has not all fields or its calibration is none.
    package mutating func read(_ csv: CSV, _ columns: Columns) throws(CSV.FormatError) -> Bool {
      guard csv.fields.count == columns.count else {
        throw CSV.FormatError(
          line: csv.line,
          message: "\(csv.fields.count) fields where the header has \(columns.count)")
      }
      let field = csv[columns.calibration]
      guard !field.elementsEqual(digits) else { return false }
      if let digit = field.first(where: { Hexadecimal.value($0) == nil }) {
        let character = Character(Unicode.Scalar(digit))
        throw csv.problem(
          columns.calibration, "calib: '\(character)' is not a hexadecimal digit")
      }
      let bytes = Hexadecimal.bytes(field)
      guard field.count.isMultiple(of: 2), let calibration = Calibration(bytes: bytes.span) else {
        throw csv.problem(
          columns.calibration,
          "calib has \(field.count) digits; a BME280 takes 66, a BMP280 48")
      }
      self.calibration = calibration
      chip = bytes.count == Calibration.bme280Length ? .bme280 : .bmp280
      digits = Array(field)
      return true
    }
  }
}
