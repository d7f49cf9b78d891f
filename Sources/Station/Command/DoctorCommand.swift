import ArgumentParser
import Forecasts
import Glibc

/// Says what a forecast file has and lacks, how it was understood, and draws one point of it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what a forecast file has and lacks, how its rain is counted, and draw a place.",
    discussion: """
      aneroid station doctor gfs.nc
      aneroid station doctor gfs.nc --latitude 38.7223 --longitude=-9.1393
      """)

  @Argument(help: ArgumentHelp("A forecast file (NetCDF).", valueName: "file"))
  var file: String

  @Option(
    parsing: .unconditional, help: "Degrees north; default: the middle of the file's grid.")
  var latitude: Double?

  @Option(
    parsing: .unconditional,
    help: "Degrees east, below 0 in the west; default: the middle of the file's grid.")
  var longitude: Double?

  func validate() throws {
    guard (latitude == nil) == (longitude == nil) else {
      throw ValidationError("--latitude and --longitude are given together, or neither is.")
    }
  }

  func run() throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      let model = try ModelFile(try NetCDFFile(path: file))
      let middle = model.grid.middle
      guard
        let place = Place(
          latitude: latitude ?? middle.latitude, longitude: longitude ?? middle.longitude)
      else { Talk.fail("--latitude is -90 to 90, --longitude -180 to 360", 64) }
      guard let column = try model.column(at: place) else {
        Talk.fail("\(file): \(place.latitude), \(place.longitude) lies outside of its grid", 1)
      }
      print("\(file): \(model.outline)")
      for (name, words) in model.metrics {
        print("  \(Self.padded(name))\(words ?? "missing")")
      }
      print("at \(place.latitude), \(place.longitude)" + (latitude == nil ? ", the middle:" : ":"))
      for line in Self.drawing(column) { print("  \(line)") }
    } catch {
      Talk.fail("cannot use a forecast: \(error)", access(file, F_OK) == 0 ? 65 : 66)
    }
  }

  /// A line for each metric of a column: its range, and its course over the times of the file.
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
      add("rain in each step", "mm", steps.map { column.rain(from: $0, to: $1) ?? .nan })
    }
    add("cloud", "%", column.series(.cloud))
    add("wind", "m/s", column.series(.windSpeed))
    add("wind from", "°", column.series(.windDirection))
    add("pressure at sea level", "hPa", column.series(.seaLevelPressure))
    add("pressure at the ground", "hPa", column.series(.surfacePressure))
    return lines
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(1, 24 - name.count))
  }
}

/// Values drawn in one line, each as a bar of eight heights between the lowest and the highest.
struct Sparkline {
  /// The longest line, in characters; of more values some are left out, evenly.
  private static let longest = 72

  private let values: [Double]

  /// Creates a line; NaN is a missing value, drawn as a point.
  init(_ values: [Double]) { self.values = values }

  /// The range with its unit, and the bars.
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
    return "\(Self.written(low)) to \(Self.written(high)) \(unit)  \(bars.joined())"
      + (missing > 0 ? "  (\(missing) of \(values.count) missing)" : "")
  }

  /// A number with one decimal.
  private static func written(_ value: Double) -> String {
    let tenths = Int((abs(value) * 10).rounded())
    return (value < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)"
  }
}
