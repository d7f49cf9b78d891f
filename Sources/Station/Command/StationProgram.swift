import ArgumentParser
import Forecasts
import Glibc
import Logging
import Readings
import Service

/// The program: serves a station, or cuts a forecast file.
@main
struct StationProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aneroid station",
    abstract: "A weather station of your own: forecasts for any place, corrected by your sensor.",
    discussion: """
      Without anything it serves a simulated station and a synthetic forecast of Portugal at
      http://127.0.0.1:8080. A web browser shows the page there; programs ask /v1/forecast.

      aneroid station
      aneroid station --bus /dev/i2c-1 --data runs/ --store station.sqlite
      aneroid station rigs/weather-station.yaml
      aneroid station extract wrfout.nc -o surface.nc
      """,
    subcommands: [ServeCommand.self, ExtractCommand.self, PointCommand.self],
    defaultSubcommand: ServeCommand.self)
}

/// Messages of the program itself.
enum Talk {
  /// Says why nothing can be done, and ends the program.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Says something on standard error.
  static func say(_ message: String) {
    let line = Array("aneroid: \(message)\n".utf8)
    _ = write(2, line, line.count)
  }

  /// The time, in seconds since 1970.
  static let now: @Sendable () -> Int = { time(nil) }
}
