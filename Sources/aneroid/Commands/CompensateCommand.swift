import ArgumentParser
public import BME280
import Compensation
import Files

extension CompensationTable.Units: ExpressibleByArgument {}
extension CompensationVariant: Named {}

/// `aneroid compensate`: raw register values in, physical values out.
struct CompensateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compensate",
    abstract: "Compensate a table of raw register values, for logs that already exist.",
    discussion: """
      The table is CSV with a header that names at least calib (66 hexadecimal digits: registers \
      0x88 to 0xA1, then 0xE1 to 0xE7; 48 digits for a BMP280), adc_T and adc_P, and for humidity \
      adc_H. Codes are decimal, or hexadecimal with 0x. Commas or semicolons separate the columns. \
      The output has the same columns, then t_fine, temperature, pressure and humidity.

      EXAMPLES
        aneroid compensate --input log.csv --units si
        aneroid compensate --variant bosch-int32 < log.csv > result.csv

      It stops at the first bad row with its line number; the rows before it stand.
      """)

  @Option(help: "Which formulas.")
  var variant = NamedChoice(CompensationVariant.datasheetInt64)

  @Option(
    help: .value("file", "The table; - is standard input."), completion: .file(extensions: ["csv"]))
  var input: String = "-"

  @Option(help: "native (the variant's own) or si (C, Pa, %RH).")
  var units: CompensationTable.Units = .native

  func run() throws {
    let output = Output()
    do throws(Failure) {
      try OutputPlace.checkStandardOutput(reading: input)
      let source = try InputFile(input)
      let table = CompensationTable(variant: variant.value, units: units)
      try table.compensate(
        source.name, from: { () throws(Failure) in try source.chunk() }, to: output.writeNow)
      output.flush()
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
  }
}
