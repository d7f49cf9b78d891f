import ArgumentParser
import DriverDefects
import DriverDiagnosis
import Explain
import Files
import Schema
import Text

/// `aneroid explain`: what explains a table of wrong pressures.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say what explains a table of wrong pressures next to the right ones.",
    discussion: """
      EXAMPLES
        aneroid explain --table fixtures/tables/thesis.csv
        aneroid explain --table shown.csv --traps --defects 2 --rigs found
        aneroid explain --table shown.csv --given pressure-block-from-0x8d

      The table (CSV) has the columns t_h (hours), shown_hpa, right_hpa and \
      temperature_c, whose temperatures came out right; each row is the mean of five \
      readings. Tried are programs with up to three defects of the catalogue, built-in \
      calibrations and fitted ones, and what changes from row to row: another build, a \
      program begun anew, pressures missing from a sum. The fewer bits an explanation \
      takes to say, the better; random tables, searched the same way, show what that \
      is worth. Every answer is a rig that was run.

      The exit status is 0 when the table is explained and 1 when nothing explains it.
      """)

  /// In which form it is told.
  enum Format: String, ReportFormat {
    case text, json
  }

  @Option(
    help: .value("file", "The table; - is standard input."), completion: .file(extensions: ["csv"]))
  var table: String

  @Option(
    help: .value(
      "names", "Defects that the program is known to have, by their names, with commas between."))
  var given: String?

  @Option(
    help: .value(
      "number",
      "How many defects a program has at most beyond those: 1, 2 or 3. Fewer search deeper."))
  var defects = 3

  @Option(help: .value("name", "The formula that the program uses; any unless given."))
  var formula: String?

  @Flag(help: "The program's language ends it where arithmetic overflows, as Swift does.")
  var traps = false

  @Option(
    help: .value(
      "pressure", "By how much the right pressures may be off beyond their digits, as 1hPa."))
  var within: String?

  @Option(
    help: .value("name", "A calibration to try instead of the built-in ones; may be repeated."),
    completion: Completions.calibrations)
  var part: [String] = []

  @Option(help: .value("number", "Where all chance comes from."))
  var seed: UInt64 = 1

  @Option(
    help: .value(
      "percent",
      "How many fitted parts are tried: 100 takes about a minute, 1000 ten times as long. The outcome depends on this and the seed alone."
    ))
  var effort = 100

  @Option(
    help: .value(
      "folder",
      "Also write each answer as a rig into this folder: explanation-N.yaml, or nearest-miss-N.yaml where nothing explains the table."
    ),
    completion: .directory)
  var rigs: String?

  @Option(help: "text, or json (one object).")
  var format: Format = .text

  func validate() throws {
    for name in names where !FaultyDecoder.defectNames.contains(name) {
      throw ValidationError(
        "--given: there is no defect '\(name.clipped)'"
          + NearestWord.hint(name, among: FaultyDecoder.defectNames)
          + " (aneroid diagnose --catalogue)")
    }
    if let formula, !FaultyDecoder.formulaNames.contains(formula) {
      throw ValidationError(
        "--formula: one of \(FaultyDecoder.formulaNames.joined(separator: ", "))")
    }
    guard (1...3).contains(defects) else { throw ValidationError("--defects: 1, 2 or 3") }
    if let within, (try? QuantityKind.pressure.parse(within)) == nil {
      throw ValidationError("--within: a pressure is needed, for example 1hPa")
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
