public import BME280

/// Compensates tables of register values (CSV), a row at a time.
public struct CompensationTable {
  /// In which units the results are written.
  public enum Units: String, Sendable, CaseIterable {
    /// The units of the variant.
    case native
    /// C, Pa and %RH.
    case si
  }

  /// Which formulas.
  public let variant: CompensationVariant
  /// Which units.
  public let units: Units

  /// Makes a table compensator.
  public init(variant: CompensationVariant, units: Units) {
    self.variant = variant
    self.units = units
  }

  /// Compensates every row of a table and prints the rows with their results.
  ///
  /// - Parameters:
  ///   - name: the input's name for messages.
  ///   - source: gives the input in chunks, nothing at its end.
  ///   - print: takes each line of the output.
  /// - Throws: ``BenchFailure`` at the first bad row; the rows before it have been printed.
  public func compensate(
    _ name: String, from source: @escaping () throws(BenchFailure) -> [UInt8]?,
    to print: (String) -> Void
  ) throws(BenchFailure) {
    do {
      try compensate(CSV(source), to: print)
    } catch let problem as CSV.Problem {
      throw BenchFailure(.badContent, "\(name):\(problem.line): \(problem.message)")
    } catch let failure as BenchFailure {
      throw failure
    } catch {
      throw BenchFailure(.inputOutput, "\(name): \(error)")
    }
  }

  private func compensate(_ input: CSV, to print: (String) -> Void) throws {
    var csv = input
    var fields: [String] = []
    guard try csv.row(into: &fields) else {
      throw CSV.Problem(line: 1, message: "the table is empty; it needs a header")
    }
    let columns = try Columns(header: fields)
    let titles = ["t_fine", "temperature", "pressure", "humidity"]
    print(Self.line(fields + titles))
    while try csv.row(into: &fields) {
      print(Self.line(fields + (try results(of: fields, columns, line: csv.line))))
    }
  }

  /// Where the header has the columns.
  private struct Columns {
    let calibration, temperature, pressure, humidity: Int
    let count: Int

    init(header: [String]) throws(CSV.Problem) {
      func index(_ name: String) throws(CSV.Problem) -> Int {
        if let index = header.firstIndex(of: name) { return index }
        throw CSV.Problem(
          line: 1,
          message: "no column '\(name)'" + NearestWord.hint(name, among: header)
            + " (needed: calib, adc_T, adc_P, adc_H)")
      }
      calibration = try index("calib")
      temperature = try index("adc_T")
      pressure = try index("adc_P")
      humidity = try index("adc_H")
      count = header.count
    }
  }

  private func results(
    of fields: [String], _ columns: Columns, line: Int
  ) throws(CSV.Problem) -> [String] {
    guard fields.count == columns.count else {
      throw CSV.Problem(
        line: line, message: "\(fields.count) fields where the header has \(columns.count)")
    }
    let (calibration, chip) = try Self.calibration(fields[columns.calibration], line)
    let humidity = fields[columns.humidity]
    let raw = RawMeasurement(
      temperature: try Self.code(fields[columns.temperature], "adc_T", bits: 20, line),
      pressure: try Self.code(fields[columns.pressure], "adc_P", bits: 20, line),
      humidity: humidity.isEmpty
        ? RawMeasurement.skipped16 : try Self.code(humidity, "adc_H", bits: 16, line))
    let native = calibration.compensate(raw, variant: variant)
    let result = units == .si ? native.converted(from: variant) : native
    return [
      String(result.fineTemperature), text(result.temperature), text(result.pressure),
      humidity.isEmpty || !chip.measuresHumidity ? "" : text(result.humidity),
    ]
  }

  private func text(_ value: Double) -> String { Decimal.shortest(value) }

  private static func calibration(
    _ digits: String, _ line: Int
  ) throws(CSV.Problem) -> (Calibration, Chip) {
    if let digit = digits.utf8.first(where: { Hexadecimal.value($0) == nil }) {
      let character = Character(Unicode.Scalar(digit))
      throw CSV.Problem(line: line, message: "calib: '\(character)' is not a hexadecimal digit")
    }
    let bytes = Hexadecimal.bytes(digits)
    guard digits.utf8.count.isMultiple(of: 2), let calibration = Calibration(bytes: bytes.span)
    else {
      throw CSV.Problem(
        line: line,
        message: "calib has \(digits.count) digits; a BME280 takes 66, a BMP280 48")
    }
    return (calibration, bytes.count == Calibration.bme280Length ? .bme280 : .bmp280)
  }

  private static func code(
    _ text: String, _ column: String, bits: Int, _ line: Int
  ) throws(CSV.Problem) -> Int32 {
    guard let code = Int32(text), (0..<(1 << Int32(bits))).contains(code) else {
      throw CSV.Problem(
        line: line,
        message: "\(column): '\(text.clipped)' is not a whole number from 0 to \((1 << bits) - 1)")
    }
    return code
  }

  /// A row with the quotes that it needs.
  private static func line(_ fields: [String]) -> String {
    fields.map { field in
      let needsQuotes = field.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 10 || $0 == 13 }
      return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }.joined(separator: ",") + "\n"
  }
}
