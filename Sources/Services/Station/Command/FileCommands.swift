import ArgumentParser
import Channels
import Forecasts
import Glibc
import StationService
import Support
import WarehouseRuns

/// Reports the fields of a forecast file and their interpretation, and plots the forecast for one
/// point.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Report the fields of a forecast file and the accumulation of its rain, and plot a point.",
    discussion: """
      aneroid station doctor gfs.nc
      aneroid station doctor gfs.nc --latitude 38.7223 --longitude=-9.1393
      """)

  @Argument(help: ArgumentHelp("A forecast file (NetCDF).", valueName: "file"))
  var file: String

  @Option(
    parsing: .unconditional, help: "Latitude in degrees north; default: the middle of the grid.")
  var latitude: Double?

  @Option(
    parsing: .unconditional,
    help: "Longitude in degrees east, negative in the west; default: the middle of the grid.")
  var longitude: Double?

  func validate() throws {
    guard (latitude == nil) == (longitude == nil) else {
      throw ValidationError("--latitude and --longitude must be given together.")
    }
  }

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      let model = try ModelFile(try NetCDFFile(path: file))
      let middle = model.grid.middle
      guard
        let location = GeoPoint(
          latitude: latitude ?? middle.latitude, longitude: longitude ?? middle.longitude)
      else { Console.fail("--latitude must be -90 to 90, --longitude -180 to 360", 64) }
      guard let column = try model.column(at: location) else {
        Console.fail(
          "\(file): \(location.latitude), \(location.longitude) is outside its grid", 1)
      }
      print("\(file): \(model.outline)")
      print("  \(Self.padded("area"))\(model.area)")
      for (name, words) in model.metrics {
        print("  \(Self.padded(name))\(words ?? "missing")")
      }
      if let slowness = model.slowness {
        print("  \(Self.padded("slow"))\(slowness); 'aneroid station extract' makes a fast copy")
      }
      if !model.unused.isEmpty {
        print("  \(Self.padded("not used"))\(model.unused.joined(separator: ", "))")
      }
      print(
        "at \(location.latitude), \(location.longitude)" + (latitude == nil ? ", the middle:" : ":")
      )
      for line in Self.drawing(column) { print("  \(line)") }
    } catch {
      Console.fail("cannot use a forecast: \(error)", access(file, F_OK) == 0 ? 65 : 66)
    }
  }

  /// Returns one line for each metric of a column, with the metric's range and its values over time
  /// as a sparkline.
  private static func drawing(_ column: Column) -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ unit: String, _ values: [Double]) {
      guard !values.isEmpty else { return }
      lines.append("\(padded(name))\(Sparkline(values).text(unit))")
    }
    add("temperature", "°C", column.series(.temperature))
    add("humidity", "%", column.series(.humidity))
    if column.hasRain {
      let steps = zip(column.times, column.times.dropFirst())
      add("rain per step", "mm", steps.map { column.rain(from: $0, to: $1) ?? .nan })
    }
    add("cloud", "%", column.series(.cloud))
    add("wind", "m/s", column.series(.windSpeed))
    add("gusts", "m/s", column.series(.windGust))
    add("wind from", "°", column.series(.windDirection))
    add("pressure at sea level", "hPa", column.series(.seaLevelPressure))
    add("surface pressure", "hPa", column.series(.surfacePressure))
    return lines
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(1, 24 - name.count))
  }
}

/// A sparkline, in which each value is a bar with one of eight heights between the minimum and the
/// maximum.
struct Sparkline {
  /// The maximum length in characters; longer series are decimated.
  private static let longest = 72

  private let values: [Double]

  /// Creates a sparkline, in which NaN is a missing value and drawn as a dot.
  init(_ values: [Double]) { self.values = values }

  /// Returns the range with its unit, followed by the bars.
  func text(_ unit: String) -> String {
    let known = values.filter { !$0.isNaN }
    guard let low = known.min(), let high = known.max() else { return "all values are missing" }
    let count = min(values.count, Self.longest)
    let bars = (0..<count).map { index in
      let value = values[count < 2 ? 0 : index * (values.count - 1) / (count - 1)]
      guard !value.isNaN else { return "·" }
      let share = high > low ? (value - low) / (high - low) : 0
      return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][min(7, Int(share * 8))]
    }
    let missing = values.count - known.count
    return "\(ModelFile.tenths(low)) to \(ModelFile.tenths(high)) \(unit)  \(bars.joined())"
      + (missing > 0 ? "  (\(missing) of \(values.count) missing)" : "")
  }
}

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
      print("\(result.after) bytes, from \(result.before)")
    } catch {
      Console.fail("cannot extract: \(error)", access(input, F_OK) == 0 ? 65 : 66)
    }
  }
}

/// Lists the channels for weather warnings, or sends a test message over them.
struct StationNotifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "List the channels for weather warnings, or test them.",
    discussion: """
      EXAMPLES
        aneroid station notify channels.yaml
        aneroid station notify channels.yaml --test
        aneroid station --notify channels.yaml --warn frost=2C

      The file has one key, 'notify', with channels as in a hub file ('aneroid hub reference'): \
      mail over SMTP, webhooks, the push services ntfy and Gotify, and heartbeats. All channels \
      report all warnings: new ones, worse ones, and those that are no longer forecast.

        notify:
          - {by: ntfy, name: phone, address: "https://ntfy.sh/my-weather-4711"}

      Exit status: 0; 69 if a test message could not be sent.
      """)

  @Argument(help: ArgumentHelp("The file of the channels.", valueName: "file"))
  var file: String

  @Flag(help: "Send a test message over each channel.")
  var test = false

  @Option(help: ArgumentHelp("Name of the station in messages.", valueName: "name"))
  var name = "Lisboa"

  func run() async throws {
    let channels = try Self.orExit { try Self.channels(file) }
    var failures = 0
    for channel in channels {
      let line = "\(channel.name) (\(channel.kind.rawValue))"
      guard test else {
        print("\(line)  \(channel.address)\(channel.quiet == nil ? "" : "  with a quiet period")")
        continue
      }
      let result = await ChannelSender.test(channel, from: .station(name))
      failures += result == nil ? 0 : 1
      print("\(line): \(result ?? "sent")")
    }
    if failures > 0 { Console.fail("\(failures) of \(channels.count) channels failed", 69) }
  }

  /// Returns the senders of the channels in a file.
  ///
  /// - Throws: `Stop` with the errors of the file.
  static func senders(_ file: String, station: String) throws -> [ChannelSender] {
    try channels(file).map { channel in
      do { return try ChannelSender(channel, from: .station(station)) } catch {
        throw Stop("the channel '\(channel.name)': \(error)", 66)
      }
    }
  }

  private static func channels(_ file: String) throws -> [NotificationChannel] {
    do { return try HubSettings.stationChannels(path: file) } catch {
      throw Stop(error.description, error.status)
    }
  }

  /// Returns the result of a function; exits with the message of a `Stop`.
  private static func orExit<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let stop as Stop { Console.fail(stop.message, stop.status) }
  }
}
