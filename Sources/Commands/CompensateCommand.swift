import ArgumentParser
public import BME280
import Chips
import Diagnosis
import Support

extension CompensationTable.Units: ExpressibleByArgument {}
extension CompensationVariant: Named {}

/// `aneroid compensate`: converts raw register values to physical values.
struct CompensateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compensate",
    abstract: "Convert a table of raw register values to physical values.",
    discussion: """
      The table is CSV with a header. Required columns: calib (66 hexadecimal digits: registers \
      0x88 to 0xA1, then 0xE1 to 0xE7; 48 digits for a BMP280), adc_T and adc_P; for humidity also \
      adc_H. Codes are decimal, or hexadecimal with 0x. Columns are separated by commas or \
      semicolons. The output has the same columns, followed by t_fine, temperature, pressure and \
      humidity.

      EXAMPLES
        aneroid compensate --input log.csv --units si
        aneroid compensate --variant bosch-int32 < log.csv > result.csv

      The first bad row ends the conversion with its line number; the rows before it are written.
      """)

  @Option(help: "The compensation formulas.")
  var variant = NamedChoice(CompensationVariant.datasheetInt64)

  @Option(
    help: .value("file", "The table; - for standard input."), completion: .file(extensions: ["csv"])
  )
  var input: String = "-"

  @Option(help: "native (the units of the variant) or si (C, Pa, %RH).")
  var units: CompensationTable.Units = .native

  func run() throws {
    let output = Output()
    do throws(Failure) {
      try OutputDestination.checkStandardOutput(reading: input)
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

/// `aneroid calibration`: prints a calibration in the format of rigs.
struct CalibrationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibration",
    abstract: "Convert a part's calibration from any supported format to a file for rigs.",
    discussion: """
      EXAMPLES
        i2cdump -y 1 0x76 b > dump.txt
        aneroid calibration dump.txt > my-part.yaml
        aneroid calibration periph-i2c
        aneroid calibration bench.i2ctrace
        aneroid calibration

      \(CalibrationForm.forms.split(separator: "\n").joined(separator: " "))

      Use the output in a rig as 'calibration: my-part.yaml'. Without an argument, the built-in \
      calibrations are listed.
      """)

  @Argument(
    help: "A file, - for standard input, or the name of a built-in calibration.",
    completion: Completions.calibrations)
  var calibration: String?

  func run() throws {
    try TraceCommand.finish { output throws(Failure) in
      if let calibration {
        output.write(try CalibrationForm.text(of: calibration))
        return true
      }
      let rows = try Calibrations.list()
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        let gap = String(repeating: " ", count: width - row.name.count + 2)
        output.write("\(row.name)\(gap)\(row.chip)  \(row.provenance)\n")
      }
      return true
    }
  }
}
