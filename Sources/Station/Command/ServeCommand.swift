import ArgumentParser
import Forecasts
import Foundation
import Glibc
import Logging
import Readings
import Service

/// Serves the station.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the station, its forecasts and its page (the default).",
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
      "A real bus with a sensor of the station, such as /dev/i2c-1.", valueName: "bus"))
  var bus: String?

  @Option(help: ArgumentHelp("Where to listen.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("Remember readings here; in memory unless given.", valueName: "file"))
  var store: String?

  @Option(help: "What the station is called.")
  var name = "Lisboa"

  @Option(help: "Where it stands: degrees north.")
  var latitude = 38.7223

  @Option(help: "Where it stands: degrees east, below 0 in the west.")
  var longitude = -9.1393

  @Option(help: "Its height above the sea in m.")
  var elevation = 60.0

  @Option(help: "Within how many km it speaks for a place.")
  var radius = 10.0

  @Option(help: "Seconds from one reading to the next.")
  var interval = 10

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
      throw ValidationError("--latitude is -90 to 90, --longitude -180 to 180.")
    }
    guard (-500...9000).contains(elevation) else {
      throw ValidationError("--elevation is -500 to 9000 m.")
    }
    guard (0...1000).contains(radius) else { throw ValidationError("--radius is 0 to 1000 km.") }
    guard (1...3600).contains(interval) else { throw ValidationError("--interval is 1 to 3600 s.") }
    guard (1...36500).contains(keep) else { throw ValidationError("--keep is 1 to 36500 days.") }
    guard rate >= 0 else { throw ValidationError("--rate is 0 or more.") }
    guard rig == nil || bus == nil else { throw ValidationError("A rig or --bus, not both.") }
    _ = try address()
  }

  private func address() throws -> (host: String, port: Int) {
    guard let colon = listen.lastIndex(of: ":"),
      let port = Int(listen[listen.index(after: colon)...]),
      (0...65535).contains(port), colon > listen.startIndex
    else { throw ValidationError("--listen is HOST:PORT, such as 127.0.0.1:8080.") }
    return (String(listen[..<colon]), port)
  }

  func run() async throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    guard let place = Place(latitude: latitude, longitude: longitude) else { return }
    let site = Site(name: name, place: place, elevation: elevation, radius: radius)
    let forecasts: ForecastSource
    do {
      forecasts = try ForecastSource(paths: data, now: Talk.now)
    } catch {
      Talk.fail("cannot use a forecast: \(error)", access(data.first ?? "", F_OK) == 0 ? 65 : 66)
    }
    let readings = open()
    let source = try source(site, forecasts, readings)
    var logger = Logger(label: "aneroid-station") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .warning
    let core = try StationCore(
      site: site, source: source, store: readings, forecasts: forecasts, now: Talk.now)
    var settings = StationServer.Settings()
    (settings.host, settings.port) = try address()
    (settings.hosts, settings.rate, settings.keep) = (host, rate, keep * 86400)
    let server = StationServer(
      core: core, forecasts: forecasts, settings: settings, logger: logger, now: Talk.now)
    let shown = settings.host
    do {
      try await server.run { port in
        Talk.say("the station is at http://\(shown):\(port)/ (Ctrl-C ends it)")
      }
    } catch {
      Talk.fail("cannot serve at \(listen): \(error)", 69)
    }
    try readings.close()
  }

  /// The command that runs rigs: the one that started this program, or that lies beside it, or in PATH.
  private static func command() -> String? {
    let environment = ProcessInfo.processInfo.environment
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/aneroid" }
    let beside = own.deletingLastPathComponent().appendingPathComponent("aneroid").path
    return ([environment["ANEROID_PROGRAM"], beside].compactMap { $0 } + paths).first {
      access($0, X_OK) == 0
    }
  }

  private func open() -> ReadingStore {
    do {
      return try ReadingStore(path: store)
    } catch {
      Talk.fail("cannot open the store \(store ?? "in memory"): \(error)", 74)
    }
  }

  private func source(_ site: Site, _ forecasts: ForecastSource, _ readings: ReadingStore) throws
    -> any ReadingSource
  {
    if let bus {
      let source = RealSource(path: bus, interval: interval, now: Talk.now) { message in
        Talk.say(message)
      }
      do { try source.check() } catch { Talk.fail("cannot read \(bus): \(error)", 69) }
      return source
    }
    if let rig {
      guard let program = Self.command() else {
        Talk.fail(
          "cannot run \(rig): the command aneroid is neither beside aneroid-station nor in PATH", 69
        )
      }
      return RigSource(rig: rig, program: program, now: Talk.now) { Talk.say($0) }
    }
    return SimulatedSource(interval: interval, last: try readings.last()?.time, now: Talk.now) {
      moment in
      guard let forecast = try? forecasts.forecast(at: site.place) else { return nil }
      return LocalAir.air(forecast, site, at: moment)
    }
  }
}
