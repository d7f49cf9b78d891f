import ArgumentParser
import Forecasts
import Glibc
import Service

/// Shows what a forecast file says of a place.
struct PointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "point", abstract: "Show what a forecast file says of a place, as JSON.",
    discussion: """
      aneroid station point wrfout.nc --latitude 38.7223 --longitude=-9.1393
      """)

  @Argument(help: ArgumentHelp("A forecast file (NetCDF).", valueName: "file"))
  var file: String

  @Option(parsing: .unconditional, help: "Degrees north.")
  var latitude: Double

  @Option(parsing: .unconditional, help: "Degrees east, below 0 in the west.")
  var longitude: Double

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    guard let place = Place(latitude: latitude, longitude: longitude) else {
      Talk.fail("--latitude is -90 to 90, --longitude -180 to 360", 64)
    }
    do {
      let model = try ModelFile(try NetCDFFile(path: file))
      guard let column = try model.column(at: place) else {
        Talk.fail("\(file): \(latitude), \(longitude) lies outside of its grid", 1)
      }
      print(String(decoding: Self.json(model, column).bytes, as: UTF8.self))
    } catch {
      Talk.fail("cannot use a forecast: \(error)", access(file, F_OK) == 0 ? 65 : 66)
    }
  }

  private static func json(_ model: ModelFile, _ column: Column) -> JSON {
    var members: [(String, JSON)] = [
      ("grid", .string(model.grid.kind)), ("cell_km", .number(column.size, 3)),
      ("reference", .string(CivilTime.stamp(column.reference))),
      ("elevation_m", .number(column.elevation, 3)),
      ("times", .array(column.times.map { .string(CivilTime.stamp($0)) })),
    ]
    for quantity in Column.Quantity.allCases {
      let values = column.series(quantity)
      if !values.isEmpty { members.append(("\(quantity)", .array(values.map { .number($0, 4) }))) }
    }
    if column.hasRain {
      let hours = zip(column.times, column.times.dropFirst())
      if let words = model.rainAccount { members.append(("rain_counted", .string(words))) }
      members.append(("rain", .array(hours.map { .number(column.rain(from: $0, to: $1), 4) })))
    }
    return .object(members)
  }
}
