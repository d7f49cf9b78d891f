import ArgumentParser
import Bridges
import Diagnosis
import Schema
import Support
import TraceTools

/// `aneroid diagnose`: finds the driver defects that explain a trace and the displayed values.
struct DiagnoseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnose",
    abstract:
      "Find the driver defects that explain a trace and the values that a program displayed.",
    discussion: """
      EXAMPLES
        aneroid diagnose bench.i2ctrace
        aneroid diagnose bench.i2ctrace --pressure 1789hPa --temperature 26.21C
        aneroid diagnose bench.i2ctrace --pressure 1300..1800hPa
        aneroid diagnose bench.i2ctrace --observed shown.csv --format json
        aneroid diagnose bmp-bosch-decode --temperature 23.07C --pressure 1443.34hPa

      The trace contains the transfers of a program, or only the calibration and data registers of \
      a part (see aneroid trace import). Without displayed values, only the transfers are checked. \
      A displayed value matches every value that rounds to its digits. The table of --observed has \
      the columns t, temperature_c, pressure_hpa (or _pa) and humidity_rh; columns of unknown \
      quantities can be omitted.

      Exit status: 0 if no defect was found; 1 for a defect, or for values that no known defect \
      explains.
      """)

  /// The output format of a diagnosis.
  enum Format: String, ReportFormat {
    case text, json, junit, github, markdown
  }

  @Argument(
    help: "The trace: a file or a built-in name; - for standard input.",
    completion: .file(extensions: ["i2ctrace"]))
  var trace: String?

  @Flag(help: "Print the catalogue of defects, and exit.")
  var catalogue = false

  @Option(
    parsing: .unconditional,
    help: .value(
      "value", "Displayed pressure: 1789hPa, 100653Pa, 29.81inHg or a range 1300..1800hPa."))
  var pressure: String?

  @Option(
    parsing: .unconditional,
    help: .value("value", "Displayed temperature: 26.21C, -12.3C, 79F."))
  var temperature: String?

  @Option(parsing: .unconditional, help: .value("value", "Displayed humidity: 40.2%."))
  var humidity: String?

  @Option(
    help: .value("file", "Table of displayed values (CSV)."),
    completion: .file(extensions: ["csv"])
  )
  var observed: String?

  @Option(help: "Address of the sensor. Default: the one with the most measurements.")
  var address: Address?

  @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
  var format: Format = .text

  func validate() throws {
    guard (trace == nil) == catalogue else {
      throw ValidationError("either a trace or --catalogue is required")
    }
    let single = [pressure, temperature, humidity].contains { $0 != nil }
    guard observed == nil || !single else {
      throw ValidationError(
        "--observed cannot be combined with --temperature, --pressure or --humidity")
    }
    for (name, text, band) in [
      ("--pressure", pressure, pressure.flatMap(Observation.Band.pressure)),
      ("--temperature", temperature, temperature.flatMap(Observation.Band.temperature)),
      ("--humidity", humidity, humidity.flatMap(Observation.Band.humidity)),
    ] {
      guard text == nil || band != nil else {
        throw ValidationError("\(name) \(text ?? ""): expected a number with a unit")
      }
    }
  }

  func run() throws {
    let output = Output()
    guard let trace else {
      output.write(CataloguePage.text + "\n" + TagDefect.page)
      return output.flush()
    }
    let isClean: Bool
    do throws(Failure) {
      isClean = try diagnose(trace, output)
      output.flush()
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    if !isClean { throw ExitCode(1) }
  }

  private func diagnose(_ trace: String, _ output: Output) throws(Failure) -> Bool {
    let observations = try observations()
    var input = try TraceInput(trace)
    let found = try Evidence.gathered(input.header, address: address?.address) {
      () throws(Failure) in try input.nextWhole()
    }
    guard let evidence = found else {
      DiagnosisReport.text(.silence).dropFirst().forEach(StandardError.say)
      writeFindings(Diagnosis.inspection(of: input.name, .silence), output)
      return false
    }
    let diagnosis = Diagnosis(evidence, observations)
    switch format {
    case .text: output.write(DiagnosisReport.text(diagnosis, file: input.name))
    case .json: output.write(DiagnosisReport.json(diagnosis, file: input.name))
    case .junit, .github, .markdown: break
    }
    writeFindings(diagnosis.inspection(of: input.name), output)
    return diagnosis.isClean && NoDataReason(evidence) == nil
  }

  /// Prints the findings in the chosen format, and as annotations on GitHub Actions.
  private func writeFindings(_ inspection: Inspection, _ output: Output) {
    if format != .json, let form = format.findings { output.write(form.text(inspection)) }
    if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
  }

  private func observations() throws(Failure) -> [Observation] {
    if let observed {
      let text = try InputFile(observed).text()
      do throws(CSV.FormatError) {
        return try ObservationTable.read(text)
      } catch {
        throw error.failure(in: observed)
      }
    }
    guard pressure != nil || temperature != nil || humidity != nil else { return [] }
    return [
      Observation(
        temperature: temperature.flatMap(Observation.Band.temperature),
        pressure: pressure.flatMap(Observation.Band.pressure),
        humidity: humidity.flatMap(Observation.Band.humidity))
    ]
  }
}
