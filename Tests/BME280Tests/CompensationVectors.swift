import BME280
import TestSupport

/// One row of `fixtures/compensation/vectors.csv`.
struct CompensationVector {
  let row: [Substring]
  let columns: [Substring: Int]

  subscript(_ column: Substring) -> Substring { columns[column].map { row[$0] } ?? "" }

  func integer(_ column: Substring) -> Int64? { Int64(self[column]) }
  func real(_ column: Substring) -> Double? { Double(self[column]) }

  var calibration: Calibration? {
    let image = bytes(self["calib_88_A1_hex"]) + bytes(self["calib_E1_E7_hex"])
    return Calibration(image)
  }

  var raw: RawMeasurement {
    RawMeasurement(
      temperature: Int32(self["adc_T"]) ?? -1, pressure: Int32(self["adc_P"]) ?? -1,
      humidity: Int32(self["adc_H"]) ?? -1)
  }

  /// Returns `true` if the reference code overflowed in an output: `P`, `Q` (32-bit pressure) or `H`.
  func overflows(_ output: Character) -> Bool { self["overflow"].contains(output) }

  static let all: [CompensationVector] = {
    guard let text = try? Fixtures.text("fixtures/compensation/vectors.csv") else { return [] }
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let columns = Dictionary(
      uniqueKeysWithValues: lines[0].enumerated().map { ($0.element, $0.offset) })
    return lines.dropFirst().map { CompensationVector(row: $0, columns: columns) }
  }()
}
