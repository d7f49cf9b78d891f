import ArgumentParser

/// `aneroid station`: starts the station, a program of its own, in place of this one.
struct StationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "station",
    abstract: "Serve a weather station: forecasts for any place, corrected by a sensor.",
    discussion: """
      EXAMPLES
        aneroid station
        aneroid station --bus /dev/i2c-1 --store station.sqlite
        aneroid station rigs/weather-station.yaml --listen 127.0.0.1:8081
        aneroid station doctor gfs.nc
        aneroid station extract wrfout.nc --output surface.nc

      'aneroid station --help' lists the options once the program aneroid-station is there.
      """)

  @Argument(parsing: .captureForPassthrough, help: "What aneroid-station is given.")
  var words: [String] = []

  func run() throws {
    try CompanionProgram.station.start(words) {
      if !Set(words).isDisjoint(with: ["--help", "-h"]) { throw CleanExit.helpRequest(self) }
    }
  }
}
