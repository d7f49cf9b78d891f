import ArgumentParser
import Files
import Glibc

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
        aneroid station extract wrfout.nc --output surface.nc

      'aneroid station --help' lists the options once the program aneroid-station is there.
      """)

  @Argument(parsing: .captureForPassthrough, help: "What aneroid-station is given.")
  var words: [String] = []

  func run() throws {
    guard let own = Self.own else {
      throw StandardError.exit(Failure(.unavailable, "cannot find where this program lies"))
    }
    guard let program = Self.places(own).first(where: { access($0, X_OK) == 0 }) else {
      if !Set(words).isDisjoint(with: ["--help", "-h"]) { throw CleanExit.helpRequest(self) }
      throw StandardError.exit(
        Failure(
          .unavailable,
          "cannot start the station: there is no program aneroid-station beside \(own); build it with "
            + "swift build -c release --package-path Sources/Station, in a checkout"))
    }
    setenv("ANEROID_PROGRAM", own, 1)
    var arguments = ([program] + words).map { strdup($0) }
    arguments.append(nil)
    execv(program, arguments)
    throw StandardError.exit(
      Failure(.unavailable, "cannot start \(program): \(String(cString: strerror(errno)))"))
  }

  /// The file of this program.
  private static var own: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &bytes, Int(PATH_MAX))
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Beside this program; in a checkout, where the package of the station builds it.
  private static func places(_ own: String) -> [String] {
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var places = [(folder + ["aneroid-station"]).joined(separator: "/")]
    // .build/<triple>/release/aneroid lies three folders below the checkout, by its link two.
    for up in 2...3 where folder.count > up {
      let root = folder.dropLast(up).joined(separator: "/")
      places.append(root + "/Sources/Station/.build/release/aneroid-station")
    }
    return places
  }
}
