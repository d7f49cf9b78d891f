package import BME280
package import Support

/// Compensates tables of register values (CSV), row by row.
package struct CompensationTable {
  /// The units of the results.
  package enum Units: String, Sendable, CaseIterable {
    /// The native units of the formula variant, such as 0.01 C and 1/256 Pa.
    case native
    /// C, Pa and %RH.
    case si
  }

  /// The variant of the formulas.
  package let variant: CompensationVariant
  package let units: Units

  package init(variant: CompensationVariant, units: Units) {
    self.variant = variant
    self.units = units
  }

  /// Compensates every row of a table and prints the rows with their results.
  ///
  /// All results are printed before more input is read, so rows can be streamed.
  ///
  /// - Parameters:
  ///   - name: the name of the input for messages.
  ///   - source: returns the input in chunks, and `nil` at the end of the input.
  ///   - print: receives the output in chunks of whole rows.
  /// - Throws: `Failure` at the first invalid row; the rows before it have been printed.
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
      throw CSV.FormatError(line: 1, message: "the table is empty; a header is required")
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

extension CompensationTable {
  /// The column indices from the header.
  package struct Columns {
    package let calibration, temperature, pressure: Int
    /// The index of the column of humidity codes, or `nil` if the table has no such column, as for a BMP280.
    package let humidity: Int?
    package let count: Int

    package init(header: [String]) throws(CSV.FormatError) {
      func index(_ name: String) throws(CSV.FormatError) -> Int {
        if let index = header.firstIndex(of: name) { return index }
        throw CSV.FormatError(
          line: 1,
          message: "no column '\(name)'" + NearestWord.hint(name, among: header)
            + " (required: calib, adc_T, adc_P; for humidity adc_H)")
      }
      calibration = try index("calib")
      temperature = try index("adc_T")
      pressure = try index("adc_P")
      humidity = header.firstIndex(of: "adc_H")
      count = header.count
    }
  }

  /// The part that a row was measured with.
  ///
  /// The calibration is decoded only once for consecutive rows of the same part.
  package struct Part {
    private(set) var calibration = Calibration(
      t1: 0, t2: 0, t3: 0, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, p6: 0, p7: 0, p8: 0, p9: 0)
    private(set) var chip = Chip.bme280
    private var digits: [UInt8] = []

    /// Reads the calibration of a row and returns `true` if the part differs from the previous row's.
    ///
    /// - Throws: `CSV.FormatError` if the row has a wrong number of fields or an invalid calibration.
    package mutating func read(_ csv: CSV, _ columns: Columns) throws(CSV.FormatError) -> Bool {
      guard csv.fields.count == columns.count else {
        throw CSV.FormatError(
          line: csv.line,
          message: "the row has \(csv.fields.count) fields, the header \(columns.count)")
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
