import ArgumentParser
import Forecasts
import Foundation
import Glibc
import Logging
import Readings
import Service

/// The option `--interval`.
enum IntervalOption {
  /// Reads whole seconds, also with the unit `s`.
  static func seconds(_ text: String) throws -> Int {
    let number = text.hasSuffix("s") ? String(text.dropLast()) : text
    guard let seconds = Int(number), (1...3600).contains(seconds) else {
      throw ValidationError(
        "--interval is a whole number of seconds, 1 to 3600: readings are stored by the second."
      )
    }
    return seconds
  }
}

/// Serves the station.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "A weather station of your own: forecasts for any place, corrected by your sensor.",
    usage: "aneroid station [<rig>] [--bus <bus>] [--data <file> ...] [--store <file>] [<options>]",
    discussion: """
      Without anything it serves a simulated station and a synthetic forecast of
      Portugal at http://127.0.0.1:8080. A web browser shows the page there;
      programs ask /v1/forecast.

      EXAMPLES
        aneroid station
        aneroid station --bus /dev/i2c-1 --data runs/ --store station.sqlite
        aneroid station --bus rig:rigs/weather-station.yaml
        aneroid station rigs/weather-station.yaml

      OTHER COMMANDS
        aneroid station extract --help   cuts a model's large file down
        aneroid station doctor --help    says what a file has, and draws a place
        aneroid station point --help     shows what a file says of a place
      """,
    shouldDisplay: false)

  @Argument(
    help: ArgumentHelp(
      "A rig whose readings are replayed; a simulated station unless given.", valueName: "rig"))
  var rig: String?

  @Option(
    name: .customLong("data"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Forecasts: NetCDF files, and folders of them; the synthetic sample unless given.",
      valueName: "file"))
  var data: [String] = []

  @Option(
    help: ArgumentHelp(
      "A bus with a sensor: /dev/i2c-1; rig:FILE, a rig's bus as time goes by, with #NUMBER where it has several; or trace:FILE, a recording, replayed.",
      valueName: "bus"))
  var bus: String?

  @Option(help: ArgumentHelp("Where to listen.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("Remember readings here; in memory unless given.", valueName: "file"))
  var store: String?

  @Option(help: "What the station is called.")
  var name = "Lisboa"

  @Option(parsing: .unconditional, help: "Where it stands: degrees north.")
  var latitude = 38.7223

  @Option(parsing: .unconditional, help: "Where it stands: degrees east, below 0 in the west.")
  var longitude = -9.1393

  @Option(parsing: .unconditional, help: "Its height above the sea in m.")
  var elevation = 60.0

  @Option(help: "Within how many km it speaks for a place.")
  var radius = 10.0

  @Option(
    help: "Whole seconds from one reading to the next, 1 to 3600.",
    transform: IntervalOption.seconds)
  var interval = 10

  @Flag(help: "Take a store that another source or place has written as this station's.")
  var adoptStore = false

  @Option(help: "How many days readings are kept.")
  var keep = 400

  @Option(help: "Requests a second that one address may send; 0 for no limit.")
  var rate = 100

  @Option(help: ArgumentHelp("Another name by which browsers may address it.", valueName: "name"))
  var host: [String] = []

  @Flag(help: "Tell what happens.")
  var verbose = false

  func validate() throws {
    guard Place(latitude: latitude, longitude: longitude) != nil else {
      throw ValidationError("--latitude is -90 to 90, --longitude -180 to 360.")
    }
    guard (-500...9000).contains(elevation) else {
      throw ValidationError("--elevation is -500 to 9000 m.")
    }
    guard (0...1000).contains(radius) else { throw ValidationError("--radius is 0 to 1000 km.") }
    guard (1...36500).contains(keep) else { throw ValidationError("--keep is 1 to 36500 days.") }
    guard rate >= 0 else { throw ValidationError("--rate is 0 or more.") }
    guard rig == nil || bus == nil else { throw ValidationError("A rig or --bus, not both.") }
    _ = try address()
  }

  /// Where to listen: a name, an IPv4 address or an IPv6 address in brackets, and a port.
  private func address() throws -> (host: String, port: Int) {
    guard let colon = listen.lastIndex(of: ":"),
      let port = Int(listen[listen.index(after: colon)...]),
      (0...65535).contains(port), colon > listen.startIndex
    else { throw ValidationError("--listen is HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080.") }
    let host = String(listen[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      return (String(host.dropFirst().dropLast()), port)
    }
    guard !host.contains(":") else {
      throw ValidationError("--listen has an IPv6 address in brackets, such as [::1]:8080.")
    }
    return (host, port)
  }

  func run() async throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      try await serve()
    } catch let stop as Stop {
      Talk.fail(stop.message, stop.status)
    } catch let failure as ListeningFailure {
      Talk.fail("cannot serve at \(listen): \(failure)", 69)
    } catch {
      guard let words = StoreError.words(for: error) else { throw error }
      Talk.fail("cannot use the store \(store ?? "in memory"): \(words)", 74)
    }
  }

  private func serve() async throws {
    guard let place = Place(latitude: latitude, longitude: longitude) else { return }
    let site = Site(name: name, place: place, elevation: elevation, radius: radius)
    let forecasts: ForecastSource
    do throws(ForecastFileError) {
      forecasts = try ForecastSource(paths: data, now: Talk.now)
    } catch {
      Talk.fail("cannot use a forecast: \(error)", access(error.file, F_OK) == 0 ? 65 : 66)
    }
    if !data.isEmpty { for line in forecasts.accounts { Talk.say(line) } }
    for problem in forecasts.problems { Talk.say("\(problem); the other forecasts are used") }
    EarlySignals.keep()
    let readings = try ReadingStore(path: store)
    do {
      try await serve(site, forecasts, readings)
    } catch {
      // A store that is left open leaves files beside it.
      try? readings.close()
      throw error
    }
    try readings.close()
  }

  private func serve(_ site: Site, _ forecasts: ForecastSource, _ readings: ReadingStore)
    async throws
  {
    let last = try readings.last(before: Talk.now() + 1)?.time
    let source = try StationSources(
      rig: rig, bus: bus, interval: interval, site: site, forecasts: forecasts
    ).source(last: last)
    try readings.claim(by: owner(site, source), adopts: adoptStore)
    if let last, bus?.hasPrefix("rig:") == true {
      Talk.say(
        "the rig begins at its time 0 again; what the store has, up to \(CivilTime.stamp(last)), stays"
      )
    }
    var logger = Logger(label: "aneroid-station") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .warning
    let core = try StationCore(
      site: site, source: source, store: readings, forecasts: forecasts, now: Talk.now)
    var settings = StationServer.Settings()
    (settings.host, settings.port) = try address()
    (settings.hosts, settings.rate, settings.keep) = (host, rate, keep * 86400)
    let server = StationServer(
      core: core, forecasts: forecasts, settings: settings, logger: logger, now: Talk.now)
    let shown = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    try await server.run { port in
      Talk.say("the station is at http://\(shown):\(port)/ (Ctrl-C ends it)")
      EarlySignals.release()
    }
  }

  /// Whose the store is.
  private func owner(_ site: Site, _ source: any ReadingSource) -> StoreOwner {
    let name = rig ?? bus.flatMap { $0.contains(":") ? $0 : nil }
    let file = name.map { " " + ($0.split(separator: "/").last.map(String.init) ?? $0) } ?? ""
    return StoreOwner(source: source.kind + file, site: site)
  }
}
