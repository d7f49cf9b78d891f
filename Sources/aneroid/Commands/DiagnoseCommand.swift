import ArgumentParser
import DriverDefects
import DriverDiagnosis
import Files
import Findings
import RadioPrograms
import Schema
import TraceTools

/// `aneroid diagnose`: which defects of a driver explain a trace and what was shown.
struct DiagnoseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnose",
    abstract: "Say which defects of a driver explain a trace, and what its program showed.",
    discussion: """
      EXAMPLES
        aneroid diagnose bench.i2ctrace
        aneroid diagnose bench.i2ctrace --pressure 1789hPa --temperature 26.21C
        aneroid diagnose bench.i2ctrace --pressure 1300..1800hPa
        aneroid diagnose bench.i2ctrace --observed shown.csv --format json
        aneroid diagnose bmp-bosch-decode --temperature 23.07C --pressure 1443.34hPa

      The trace is a conversation, or just the calibration and the data registers of \
      a part (aneroid trace import). Without values that were shown, the conversation \
      alone is judged. A value stands for all that are rounded to its digits. The \
      table of --observed has the columns t, temperature_c, pressure_hpa (or _pa) and \
      humidity_rh, as far as they are known.

      The exit status is 0 when nothing is wrong, and 1 for a defect, or for values \
      that no defect explains.
      """)

  /// In which form the diagnosis is given.
  enum Format: String, ReportFormat {
    case text, json, junit, github, markdown
  }

  @Argument(
    help: "The trace, a file or a built-in name; - is standard input.",
    completion: .file(extensions: ["i2ctrace"]))
  var trace: String?

  @Flag(help: "Instead print the catalogue of defects.")
  var catalogue = false

  @Option(
    parsing: .unconditional,
    help: .value(
      "value", "What the program showed as pressure: 1789hPa, 100653Pa, 29.81inHg, 1300..1800hPa."))
  var pressure: String?

  @Option(
    parsing: .unconditional,
    help: .value("value", "What it showed as temperature: 26.21C, -12.3C, 79F."))
  var temperature: String?

  @Option(parsing: .unconditional, help: .value("value", "What it showed as humidity: 40.2%."))
  var humidity: String?

  @Option(
    help: .value("file", "A table of what it showed (CSV)."), completion: .file(extensions: ["csv"])
  )
  var observed: String?

  @Option(help: "The sensor's address; the one with most measurements unless given.")
  var address: Address?

  @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
  var format: Format = .text

  func validate() throws {
    guard (trace == nil) == catalogue else {
      throw ValidationError("a trace is needed, or --catalogue alone")
    }
    let single = [pressure, temperature, humidity].contains { $0 != nil }
    guard observed == nil || !single else {
      throw ValidationError("--observed stands alone: its table holds all that was shown")
    }
    for (name, text, band) in [
      ("--pressure", pressure, pressure.flatMap(Observation.Band.pressure)),
      ("--temperature", temperature, temperature.flatMap(Observation.Band.temperature)),
      ("--humidity", humidity, humidity.flatMap(Observation.Band.humidity)),
    ] {
      guard text == nil || band != nil else {
        throw ValidationError("\(name) \(text ?? ""): a number and its unit are needed")
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
      tell(Diagnosis.inspection(of: input.name, .silence), output)
      return false
    }
    let diagnosis = Diagnosis(evidence, observations)
    switch format {
    case .text: output.write(DiagnosisReport.text(diagnosis, file: input.name))
    case .json: output.write(DiagnosisReport.json(diagnosis, file: input.name))
    case .junit, .github, .markdown: break
    }
    tell(diagnosis.inspection(of: input.name), output)
    return diagnosis.isClean && NoDataReason(evidence) == nil
  }

  /// Tells the findings in the form that was asked for, and where GitHub Actions runs.
  private func tell(_ inspection: Inspection, _ output: Output) {
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
