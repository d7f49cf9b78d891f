import ArgumentParser
import Files
import Scoring

/// `aneroid score`: what the forecasters are worth on a table of weather.
struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Say what the forecasters are worth on a table of hourly weather.",
    discussion: """
      EXAMPLES
        aneroid score jfk-2013
        aneroid score my-weather.csv

      For each word of each forecaster: how often precipitation followed within six \
      hours. The table (CSV) has the columns time_hour (2013-01-01T06:00:00Z), pressure \
      at sea level in hPa, wind_dir in degrees and precip; what is no number is missing, \
      and what is out of range ends it with the line and exit status 65.
      """)

  @Argument(help: "The table: a file or a built-in name.", completion: Completions.weather)
  var table: String

  @Flag(help: "Print it as the page of the documentation, in Markdown.")
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
