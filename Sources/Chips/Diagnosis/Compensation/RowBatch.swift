package import BME280
import Support

/// Buffered rows of one part that are compensated together.
package final class RowBatch {
  /// The maximum number of buffered rows.
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

  /// Compensates the buffered rows, then continues with rows of another part.
  package func begin(_ part: CompensationTable.Part) {
    compensate()
    calibration = part.calibration
  }

  /// Adds a row, given by its text and its codes.
  package func append(_ row: ArraySlice<UInt8>, _ raw: RawMeasurement, hasHumidity: Bool) {
    text.append(contentsOf: row)
    ends.append(text.count)
    raws.append(raw)
    self.hasHumidity.append(hasHumidity)
    if raws.count == Self.length { compensate() }
  }

  /// Compensates the buffered rows and appends them with their results to the output.
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

/// An output buffer that is printed in large chunks.
package final class RowBuffer {
  private var bytes: [UInt8] = []
  private let print: ([UInt8]) -> Void
  /// The cell separator.
  ///
  /// Default: a comma.
  package var separator = UInt8(ascii: ",")

  package init(_ print: @escaping ([UInt8]) -> Void) {
    self.print = print
  }

  /// Adds bytes.
  package func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Adds a separator and a cell.
  package func append(cell text: String) {
    bytes.append(separator)
    bytes.append(contentsOf: text.utf8)
  }

  /// Adds a separator and a whole number.
  package func append(cell number: Int64) {
    bytes.append(separator)
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var (rest, count) = (number.magnitude, 0)
    repeat {
      digits[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      count += 1
    } while rest > 0
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }

  /// Prints the buffered bytes.
  package func flush() {
    guard !bytes.isEmpty else { return }
    print(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
