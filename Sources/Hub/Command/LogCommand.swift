import ArgumentParser

/// Exports the life of every alarm.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Export the life of every alarm, open and closed.",
    discussion: """
      EXAMPLES
        aneroid hub log
        aneroid hub log --format csv > alarms.csv

      'jsonl' is what happened, a line each: breaches, alarms with the limit that \
      held for them, who was told, who acknowledged and why, what ended. 'csv' is one \
      alarm a line, for spreadsheets.
      """)

  /// In which form the log is given.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case jsonl, csv
  }

  @Option(help: "In which form.")
  var format = Format.jsonl

  @OptionGroup var client: HubClient

  func run() async throws {
    let output = HubOutput()
    output.put(await client.text(format == .csv ? "/v1/alarms.csv" : "/v1/log.jsonl"))
    output.flush()
  }
}
