package import BME280
import Text

/// Rows of one part that wait to be compensated together.
package final class RowBatch {
  /// The most rows that wait.
  private static let length = 1024

  private let variant: CompensationVariant
  private let units: CompensationTable.Units
  private let output: RowBuffer
  private var calibration = CompensationTable.Part().calibration
  private var text: [UInt8] = []
  private var ends: [Int] = []
  private var raws: [RawMeasurement] = []
  private var hasHumidity: [Bool] = []
  private var results = CompensatedColumns()

  package init(variant: CompensationVariant, units: CompensationTable.Units, output: RowBuffer) {
    self.variant = variant
    self.units = units
    self.output = output
  }

  /// Goes on with the rows of another part.
  package func begin(_ part: CompensationTable.Part) {
    compensate()
    calibration = part.calibration
  }

  /// Adds a row: its text and what it measured.
  package func append(_ row: ArraySlice<UInt8>, _ raw: RawMeasurement, hasHumidity: Bool) {
    text.append(contentsOf: row)
    ends.append(text.count)
    raws.append(raw)
    self.hasHumidity.append(hasHumidity)
    if raws.count == Self.length { compensate() }
  }

  /// Compensates what waits and puts the rows with their results into the output.
  package func compensate() {
    guard !raws.isEmpty else { return }
    calibration.compensate(raws.span, variant: variant, into: &results)
    var start = 0
    for row in raws.indices {
      output.append(text[start..<ends[row]])
      start = ends[row]
      append(units == .si ? results[row].converted(from: variant) : results[row], row)
    }
    text.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    raws.removeAll(keepingCapacity: true)
    hasHumidity.removeAll(keepingCapacity: true)
  }

  private func append(_ result: CompensatedMeasurement, _ row: Int) {
    output.append(cell: Int64(result.fineTemperature))
    append(result.temperature)
    append(result.pressure)
    if hasHumidity[row] { append(result.humidity) } else { output.append(cell: "") }
    output.append("\n".utf8)
  }

  private func append(_ value: Double) {
    if units == .native, variant.isInteger {
      output.append(cell: Int64(value))
    } else {
      output.append(cell: Decimal.shortest(value))
    }
  }
}
