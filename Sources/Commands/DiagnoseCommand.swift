import ArgumentParser
import Bridges
import Campaigns
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
        aneroid diagnose bench.i2ctrace --observed shown.csv --patch reader.py

      The trace contains the transfers of a program, or only the calibration and data registers of \
      a part (see aneroid trace import). Without displayed values, only the transfers are checked. \
      A displayed value matches every value that rounds to its digits. The table of --observed has \
      the columns t, temperature_c, pressure_hpa (or _pa) and humidity_rh; columns of unknown \
      quantities can be omitted.

      --patch finds the lines of the program's source that hold the named defects, and prints them as \
      a diff. Each edit is proven: the edited program, run on a virtual sensor with the calibration \
      and the raw values of the trace, displays the values without the defect. Python, C, C++ and \
      Swift are run or compiled by default; for other languages give the command after --, with {} \
      for the source: -- node {}.

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

  @Option(
    help: .value(
      "file", "Source of the program: find the lines with the defects, and print a diff."),
    completion: .file(extensions: ["py", "c", "cpp", "swift"]))
  var patch: String?

  @Argument(
    parsing: .postTerminator,
    help: "With --patch: the command that builds and runs a source, which replaces {}.")
  var program: [String] = []

  @Option(help: "text, json (one object), junit, github (annotations) or markdown.")
  var format: Format = .text

  func validate() throws {
    guard (trace == nil) == catalogue else {
      throw ValidationError("either a trace or --catalogue is required")
    }
    let single = [pressure, temperature, humidity].contains { $0 != nil }
    guard patch == nil || single || observed != nil else {
      throw ValidationError("--patch requires displayed values, such as --pressure 1789hPa")
    }
    guard patch == nil || format == .text else {
      throw ValidationError("--patch requires --format text")
    }
    guard program.isEmpty || patch != nil && program.contains(where: { $0.contains("{}") }) else {
      throw ValidationError("a command after -- requires --patch, and {} in place of the source")
    }
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
    if let patch {
      output.flush()
      try repair(patch, diagnosis, trace, output)
    }
    return diagnosis.isClean && NoDataReason(evidence) == nil
  }

  /// Prints the findings in the chosen format, and as annotations on GitHub Actions.
  private func writeFindings(_ inspection: Inspection, _ output: Output) {
    if format != .json, let form = format.findings { output.write(form.text(inspection)) }
    if format != .github { GitHub.annotate(GitHubAnnotations.lines(inspection)) }
  }

  /// Finds the lines of a source that hold the defects, and prints a diff.
  private func repair(
    _ path: String, _ diagnosis: Diagnosis, _ trace: String, _ output: Output
  ) throws(Failure) {
    var repair = try SourceRepair(diagnosis, of: TextFile.read(path))
    let launch = try SourceLaunch(of: path, by: program, on: trace)
    let line = StatusLine()
    var runs = 0
    defer { line.clear() }
    try repair.search { text throws(Failure) in
      runs += 1
      line.show("searching in \(path): \("edit".counted(runs)) tried")
      return try launch.output(of: text)
    }
    line.clear()
    for edit in repair.edits {
      let lines = edit.lines.map { "\($0 + 1)" }
      output.write(
        "\(edit.defect): \("line".counted(lines.count)) of \(path): \(lines.joined(separator: ", ")); "
          + "proven by \("value".counted(edit.proofs)) on the replayed trace\n")
    }
    for defect in repair.missing {
      let extent =
        repair.unfinished.contains(defect.title)
        ? "no edit was found among the likely ones" : "no edit of a single token removes it"
      output.write("\(defect.title): \(extent)\n")
      if let fix = defect.defectClass?.fix { output.write("  fix: \(fix)\n") }
    }
    guard !repair.edits.isEmpty else { return }
    output.write(
      "Read each edit before you apply it: the values of a trace prove what it does, not its style.\n\n"
        + repair.diff(path))
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

/// Builds and runs variants of a source on a replayed trace.
private struct SourceLaunch {
  private let folder: ScratchFolder
  private let file: String
  private let command: [String]
  private let trace: String

  /// Creates the launch of a source.
  ///
  /// - Parameters:
  ///   - path: the source.
  ///   - command: the user's command with `{}` for the source; empty for that of the language.
  ///   - trace: the trace.
  /// - Throws: `Failure` of kind usage for an unknown language without a command.
  init(of path: String, by command: [String], on trace: String) throws(Failure) {
    folder = try ScratchFolder()
    let name = path.split(separator: "/").last.map(String.init) ?? path
    file = "\(folder.path)/\(name)"
    self.trace = trace
    let binary = "\(folder.path)/program"
    let build = { (compiler: String) in
      [
        "sh", "-c", "\(compiler) -o '\(binary)' \"$0\" -lm >/dev/null 2>&1 && exec '\(binary)'",
        "{}",
      ]
    }
    guard command.isEmpty else {
      self.command = command
      return
    }
    switch path.split(separator: ".").last {
    case "py": self.command = ["python3", "{}"]
    case "c": self.command = build("cc -w")
    case "cc", "cpp", "cxx": self.command = build("c++ -w")
    case "swift": self.command = build("swiftc -suppress-warnings")
    default:
      throw Failure(
        .usage, "\(path): unknown language; give the command that runs it, such as -- node {}")
    }
  }

  /// Returns what the program prints with another text of its source.
  func output(of text: String) throws(Failure) -> String {
    try OutputFile.write(text, to: file, isDurable: false)
    let words = command.map { $0.replacing("{}", with: file) }
    return try ChildProgram.run(
      [
        "exec", "--bus", "trace:\(trace)", "--replay", "model", "--clock", "virtual", "--for",
        "60s",
        "--",
      ] + words, from: ".", output: folder.path, seconds: 60, isInterrupted: { false }
    ).output
  }
}
