package import BME280
package import Files
import Text

/// Compensates tables of register values (CSV), a row at a time.
package struct CompensationTable {
  /// In which units the results are written.
  package enum Units: String, Sendable, CaseIterable {
    /// The units of the variant.
    case native
    /// C, Pa and %RH.
    case si
  }

  /// Which formulas.
  package let variant: CompensationVariant
  /// Which units.
  package let units: Units

  /// Creates a table compensator.
  package init(variant: CompensationVariant, units: Units) {
    self.variant = variant
    self.units = units
  }

  /// Compensates every row of a table and prints the rows with their results.
  ///
  /// What has been computed is printed before more input is awaited, so that rows stream.
  ///
  /// - Parameters:
  ///   - name: the input's name for messages.
  ///   - source: gives the input in chunks, `nil` at its end.
  ///   - print: takes the output in pieces of whole rows.
  /// - Throws: `Failure` at the first bad row; the rows before it have been printed.
  package func compensate(
    _ name: String, from source: @escaping () throws(Failure) -> [UInt8]?,
    to print: @escaping ([UInt8]) -> Void
  ) throws(Failure) {
    let output = RowBuffer(print)
    let batch = RowBatch(variant: variant, units: units, output: output)
    func printRows() {
      batch.compensate()
      output.flush()
    }
    defer { printRows() }
    let chunks = { () throws(Failure) -> [UInt8]? in
      printRows()
      return try source()
    }
    do {
      try compensate(CSV(chunks, .recognized), in: batch, to: output)
    } catch let problem as CSV.FormatError {
      throw problem.failure(in: name)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.inputOutput, "\(name): \(error)")
    }
  }

  private func compensate(_ input: CSV, in batch: RowBatch, to output: RowBuffer) throws {
    var csv = input
    guard try csv.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty; it needs a header")
    }
    let columns = try Columns(header: csv.texts())
    output.separator = csv.separator
    output.append(csv.row)
    for name in ["t_fine", "temperature", "pressure", "humidity"] { output.append(cell: name) }
    output.append("\n".utf8)
    var part = Part()
    while try csv.nextRow() {
      if try part.read(csv, columns) { batch.begin(part) }
      let raw = try rawMeasurement(csv, columns)
      batch.append(csv.row, raw.value, hasHumidity: raw.hasHumidity && part.chip.measuresHumidity)
    }
  }

  private func rawMeasurement(
    _ csv: CSV, _ columns: Columns
  ) throws(CSV.FormatError) -> (value: RawMeasurement, hasHumidity: Bool) {
    var raw = RawMeasurement(
      temperature: try code(csv, columns.temperature, "adc_T", bits: 20),
      pressure: try code(csv, columns.pressure, "adc_P", bits: 20))
    guard let humidity = columns.humidity, !csv[humidity].isEmpty else { return (raw, false) }
    raw.humidity = try code(csv, humidity, "adc_H", bits: 16)
    return (raw, true)
  }

  private func code(
    _ csv: CSV, _ index: Int, _ column: String, bits: Int
  ) throws(CSV.FormatError) -> Int32 {
    var code: Int32 = 0
    var digits = csv[index]
    var base: Int32 = 10
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      digits = digits.dropFirst(2)
      base = 16
    }
    var isNumber = !digits.isEmpty && digits.count <= (base == 16 ? 6 : 8)
    for digit in digits where isNumber {
      let value = Hexadecimal.value(digit).map(Int32.init) ?? base
      isNumber = value < base
      if isNumber { code = code * base + value }
    }
    guard isNumber, code < 1 << Int32(bits) else {
      throw csv.problem(
        index,
        "\(column): '\(try csv.text(index).clipped)' is not a whole number from 0 to "
          + "\((1 << bits) - 1), decimal or hexadecimal with 0x")
    }
    return code
  }
}
