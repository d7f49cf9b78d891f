import ArgumentParser
import Diagnosis
import Schema
import Support
import Tables

/// `aneroid explain`: finds explanations for a table of wrong pressures.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Find explanations for a table of wrong pressures and the reference pressures.",
    discussion: """
      EXAMPLES
        aneroid explain --table fixtures/tables/thesis.csv
        aneroid explain --table shown.csv --traps --defects 2 --rigs found
        aneroid explain --table shown.csv --given pressure-block-from-0x8d

      The table (CSV) has the columns t_h (hours), shown_hpa (displayed), right_hpa (reference) and \
      temperature_c, whose temperatures are correct; each row is the mean of five readings. The \
      search covers programs with up to three defects of the catalogue, built-in and fitted \
      calibrations, and changes between rows: another build, a restart of the program, pressures \
      missing from a sum. Explanations are ranked by description length in bits; the same search on \
      random tables estimates how likely a chance match is. Every answer is verified by running it \
      as a rig.

      Exit status: 0 if an explanation was found, 1 if not.
      """)

  /// The output format of an explanation.
  enum Format: String, ReportFormat {
    case text, json
  }

  @Option(
    help: .value("file", "The table; - for standard input."), completion: .file(extensions: ["csv"])
  )
  var table: String

  @Option(
    help: .value(
      "names", "Names of defects that the program is known to have, separated by commas."))
  var given: String?

  @Option(
    help: .value(
      "number",
      "Maximum number of further defects: 1, 2 or 3. A smaller number allows a deeper search."))
  var defects = 3

  @Option(help: .value("name", "The formula of the program. Default: any."))
  var formula: String?

  @Flag(help: "The program traps on arithmetic overflow, as Swift does.")
  var traps = false

  @Option(
    help: .value(
      "pressure", "Additional uncertainty of the reference pressures, for example 1hPa."))
  var within: String?

  @Option(
    help: .value("name", "A calibration to try instead of the built-in ones; may be repeated."),
    completion: Completions.calibrations)
  var part: [String] = []

  @Option(help: .value("number", "Random seed."))
  var seed: UInt64 = 1

  @Option(
    help: .value(
      "percent",
      "Search effort for fitted parts: 100 takes about a minute, 1000 ten times as long. The result depends only on this and the seed."
    ))
  var effort = 100

  @Option(
    help: .value(
      "folder",
      "Also write each answer as a rig to this folder: explanation-N.yaml, or nearest-miss-N.yaml if nothing explains the table."
    ),
    completion: .directory)
  var rigs: String?

  @Option(help: "text, or json (one object).")
  var format: Format = .text

  func validate() throws {
    for name in names where !FaultyDecoder.defectNames.contains(name) {
      throw ValidationError(
        "--given: unknown defect '\(name.clipped)'"
          + NearestWord.hint(name, among: FaultyDecoder.defectNames)
          + "; 'aneroid diagnose --catalogue' lists all")
    }
    if let formula, !FaultyDecoder.formulaNames.contains(formula) {
      throw ValidationError(
        "--formula: unknown formula; accepted: \(FaultyDecoder.formulaNames.joined(separator: ", "))"
      )
    }
    guard (1...3).contains(defects) else {
      throw ValidationError("--defects must be 1, 2 or 3")
    }
    if let within, (try? QuantityKind.pressure.parse(within)) == nil {
      throw ValidationError("--within must be a pressure, for example 1hPa")
    }
    guard (0...10_000).contains(effort) else {
      throw ValidationError("--effort must be from 0 to 10000 percent")
    }
  }

  private var names: [String] { given?.split(separator: ",").map { $0.trimmed } ?? [] }

  func run() throws {
    let output = Output()
    let isExplained: Bool
    do throws(Failure) {
      let margin = within.flatMap { try? QuantityKind.pressure.parse($0) } ?? 0
      let shown = try TableFile.read(table, within: margin)
      var settings = TableStudy.Settings()
      (settings.seed, settings.given, settings.traps) = (seed, names, traps)
      settings.parts = part
      settings.limits.defects = defects
      if defects < 3 { settings.limits.climbs *= 2 }
      settings.limits.scale(to: effort)
      if let formula { settings.formulas = [formula] }
      let study = try TableStudy(shown, settings)
      output.write(format == .json ? study.json.compact + "\n" : study.text)
      if let rigs { try write(study, into: rigs) }
      output.flush()
      isExplained = study.isExplained
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    if !isExplained { throw ExitCode(1) }
  }

  private func write(_ study: TableStudy, into folder: String) throws(Failure) {
    try Folder.make(folder)
    let near = [study.nearest, study.nearestWithLosses].compactMap { $0 }
    for answer in study.answers + near {
      try OutputFile.write(answer.rig, to: "\(folder)/\(answer.file)")
    }
  }
}

/// `aneroid score`: scores the forecasters on a table of weather.
struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Score the forecasters on a table of hourly weather.",
    discussion: """
      EXAMPLES
        aneroid score jfk-2013
        aneroid score my-weather.csv

      For each forecast text of each forecaster: how often precipitation followed within six \
      hours. The table (CSV) has the columns time_hour (2013-01-01T06:00:00Z), pressure (hPa at sea \
      level), wind_dir (degrees) and precip. A value that is not a number counts as missing; a \
      value out of range is an error with its line, and exit status 65.
      """)

  @Argument(help: "The table: a file or a built-in name.", completion: Completions.weather)
  var table: String

  @Flag(help: "Print the score as Markdown, as in the documentation.")
  var page = false

  func run() throws {
    let output = Output()
    do throws(Failure) {
      let score = try ForecastScore(table)
      output.write(page ? score.page : score.text)
      output.flush()
    } catch {
      throw StandardError.exit(error)
    }
  }
}
