import ArgumentParser
import Support
import Tables

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
