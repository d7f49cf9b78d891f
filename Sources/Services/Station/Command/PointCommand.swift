import ArgumentParser
import Forecasts
import Glibc
import StationService
import Support

/// Prints the forecast in a file for a point.
struct PointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "point", abstract: "Print the forecast of a file for a point as JSON.",
    discussion: """
      aneroid station point wrfout.nc --latitude 38.7223 --longitude=-9.1393
      """)

  @Argument(help: ArgumentHelp("A forecast file (NetCDF).", valueName: "file"))
  var file: String

  @Option(parsing: .unconditional, help: "Latitude in degrees north.")
  var latitude: Double

  @Option(parsing: .unconditional, help: "Longitude in degrees east, negative in the west.")
  var longitude: Double

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    guard let location = GeoPoint(latitude: latitude, longitude: longitude) else {
      Console.fail("--latitude must be -90 to 90, --longitude -180 to 360", 64)
    }
    do {
      let model = try ModelFile(try NetCDFFile(path: file))
      guard let column = try model.column(at: location) else {
        Console.fail("\(file): \(latitude), \(longitude) is outside its grid", 1)
      }
      print(Self.json(model, column).compact)
    } catch {
      Console.fail("cannot use a forecast: \(error)", access(file, F_OK) == 0 ? 65 : 66)
    }
  }

  private static func json(_ model: ModelFile, _ column: Column) -> JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("grid", .string(model.grid.kind)), ("cell_km", .rounded(column.size, 3)),
      ("reference", .string(CivilTime.stamp(column.reference))),
      ("elevation_m", .rounded(column.elevation, 3)),
      ("times", .array(column.times.map { .string(CivilTime.stamp($0)) })),
    ]
    for quantity in Column.Quantity.allCases {
      let values = column.series(quantity)
      if !values.isEmpty { members.append(("\(quantity)", .array(values.map { .rounded($0, 4) }))) }
    }
    if column.hasRain {
      let hours = zip(column.times, column.times.dropFirst())
      if let words = model.rainAccount { members.append(("rain_counted", .string(words))) }
      members.append(("rain", .array(hours.map { .rounded(column.rain(from: $0, to: $1), 4) })))
    }
    return .object(members)
  }
}

/// Extracts the surface fields of a model file.
struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Extract the surface metrics that the station reads from a large model file.",
    discussion: """
      aneroid station extract wrfout_d01.nc --output surface.nc
      """)

  @Argument(help: ArgumentHelp("A model file (NetCDF, classic or 4).", valueName: "file"))
  var input: String

  @Option(name: [.short, .long], help: ArgumentHelp("The output file.", valueName: "file"))
  var output: String

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      let result = try SurfaceExtract.run(input, to: output)
      print("\(output): \(result.variables.joined(separator: " "))")
      print("reduced \(result.before) bytes to \(result.after)")
    } catch {
      Console.fail("cannot extract: \(error)", access(input, F_OK) == 0 ? 65 : 66)
    }
  }
}
