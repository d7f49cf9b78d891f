import ArgumentParser
import Channels
import Forecasts
import Foundation
import Glibc
import Logging
import Readings
import ServiceWeb
import StationService

/// The option `--interval`.
enum IntervalOption {
  /// Parses a number of whole seconds, with or without the unit `s`.
  static func seconds(_ text: String) throws -> Int {
    let number = text.hasSuffix("s") ? String(text.dropLast()) : text
    guard let seconds = Int(number), (1...3600).contains(seconds) else {
      throw ValidationError(
        "--interval must be a whole number of seconds, 1 to 3600: readings are stored with a resolution of 1 s."
      )
    }
    return seconds
  }
}

/// Runs the station server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Your own weather station: forecasts for any location, corrected by your sensor.",
    usage: "aneroid station [<rig>] [--bus <bus>] [--data <file> ...] [--store <file>] [<options>]",
    discussion: """
      By default it serves a simulated station and a synthetic forecast of
      Portugal, and with --data only these forecasts, at http://127.0.0.1:8080.
      A web browser shows the page there; programs request /v1/forecast.

      EXAMPLES
        aneroid station
        aneroid station --bus /dev/i2c-1 --data runs/ --store station.sqlite
        aneroid station --bus rig:rigs/weather-station.yaml
        aneroid station rigs/weather-station.yaml

      OTHER COMMANDS
        aneroid station extract --help   extracts the surface of a large model file
        aneroid station doctor --help    reports the fields of a file, and plots a point
        aneroid station point --help     prints the forecast of a file for a point
        aneroid station notify --help    lists or tests the channels for weather warnings
      """,
    shouldDisplay: false)

  @Argument(
    help: ArgumentHelp(
      "A rig whose readings are replayed; default: a simulated station.", valueName: "rig"))
  var rig: String?

  @Option(
    name: .customLong("data"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Forecasts: NetCDF files, and folders of them; default: the synthetic sample.",
      valueName: "file"))
  var data: [String] = []

  @Option(
    help: ArgumentHelp(
      "A bus with a sensor: /dev/i2c-1; rig:FILE, a rig's bus in real time, with #NUMBER if it has several; trace:FILE, a recording to replay; simulated; or none. Default: simulated, or none with --data.",
      valueName: "bus"))
  var bus: String?

  @Option(help: ArgumentHelp("Address and port to listen on.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(help: ArgumentHelp("Database of readings; default: in memory.", valueName: "file"))
  var store: String?

  @Option(help: "Name of the station.")
  var name = "Lisboa"

  @Option(parsing: .unconditional, help: "Latitude of the station in degrees north.")
  var latitude = 38.7223

  @Option(
    parsing: .unconditional, help: "Longitude of the station in degrees east, negative in the west."
  )
  var longitude = -9.1393

  @Option(parsing: .unconditional, help: "Elevation of the station above sea level in m.")
  var elevation = 60.0

  @Option(help: "Radius in km within which the station corrects forecasts.")
  var radius = 10.0

  @Option(
    help: "Interval between readings in whole seconds, 1 to 3600.",
    transform: IntervalOption.seconds)
  var interval = 10

  @Flag(help: "Use a store that was written by another source or at another location.")
  var adoptStore = false

  @Option(help: "Retention time of readings in days.")
  var keep = 400

  @Option(
    help: ArgumentHelp(
      "Limit of a weather warning, or off: frost=0C, heat=35C, storm=17.2m/s, rain=30mm (of six hours). Can be repeated.",
      valueName: "kind=limit"))
  var warn: [String] = []

  @Option(
    help: ArgumentHelp(
      "File of the channels for weather warnings; see 'aneroid station notify --help'.",
      valueName: "file"))
  var notify: String?

  @Option(help: "Maximum number of requests per second from one address; 0 for no limit.")
  var rate = 100

  @Option(help: ArgumentHelp("Additional host name accepted from browsers.", valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Header field in which a proxy on this machine names the client, such as X-Forwarded-For; --rate then applies to each client.",
      valueName: "field"))
  var clientHeader: String?

  @Option(
    help: ArgumentHelp(
      "Origin of other web pages that may read the station, such as https://example.org; * for all.",
      valueName: "origin"))
  var allowOrigin: String?

  @Option(
    help: ArgumentHelp(
      "TLS: certificate, followed by those of its issuers (PEM); needs --key.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("TLS: private key of the certificate (PEM).", valueName: "file"))
  var key: String?

  @Flag(help: "Log at level info.")
  var verbose = false

  func validate() throws {
    if let clientHeader, !StationServer.Settings.isField(clientHeader) {
      throw ValidationError(
        "--client-header must be the name of a header field, such as X-Forwarded-For or X-Real-IP.")
    }
    if let allowOrigin, !StationServer.Settings.isOrigin(allowOrigin) {
      throw ValidationError(
        "--allow-origin must be an origin without a path, such as https://example.org, or *.")
    }
    guard GeoPoint(latitude: latitude, longitude: longitude) != nil else {
      throw ValidationError("--latitude must be -90 to 90, --longitude -180 to 360.")
    }
    guard (-500...9000).contains(elevation) else {
      throw ValidationError("--elevation must be -500 to 9000 m.")
    }
    guard (0...1000).contains(radius) else {
      throw ValidationError("--radius must be 0 to 1000 km.")
    }
    guard (1...36500).contains(keep) else {
      throw ValidationError("--keep must be 1 to 36500 days.")
    }
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("--certificate and --key are given together.")
    }
    _ = try warningLimits()
    guard rate >= 0 else { throw ValidationError("--rate must be at least 0.") }
    guard rig == nil || bus == nil else { throw ValidationError("Give either a rig or --bus.") }
    _ = try address()
  }

  /// Returns the limits of warnings.
  private func warningLimits() throws -> WarningLimits {
    var limits = WarningLimits()
    for text in warn {
      do { try limits.set(text) } catch { throw ValidationError("--warn: \(error).") }
    }
    return limits
  }

  /// Parses the address to listen on: a name, an IPv4 address or an IPv6 address in brackets, and a port.
  private func address() throws -> (host: String, port: Int) {
    guard let colon = listen.lastIndex(of: ":"),
      let port = Int(listen[listen.index(after: colon)...]),
      (0...65535).contains(port), colon > listen.startIndex
    else {
      throw ValidationError(
        "--listen must be HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or [::1]:8080."
      )
    }
    let host = String(listen[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      return (String(host.dropFirst().dropLast()), port)
    }
    guard !host.contains(":") else {
      throw ValidationError("--listen needs brackets around an IPv6 address, such as [::1]:8080.")
    }
    return (host, port)
  }

  func run() async throws {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1)
    do {
      try await serve()
    } catch let stop as Stop {
      Console.fail(stop.message, stop.status)
    } catch let failure as CertificateFailure {
      Console.fail("\(failure)", access(failure.file, R_OK) == 0 ? 65 : 66)
    } catch let failure as ListeningFailure {
      Console.fail("cannot serve at \(listen): \(failure)", 69)
    } catch {
      guard let words = StoreError.words(for: error) else { throw error }
      Console.fail("cannot use the store \(store ?? "in memory"): \(words)", 74)
    }
  }

  private func serve() async throws {
    var encryption: ServerCertificate?
    if let certificate, let key {
      encryption = try ServerCertificate(
        chain: certificate, key: key, report: { Console.say($0) })
      if let warning = encryption?.warning { Console.say(warning) }
    }
    let channels = try notify.map { try StationNotifyCommand.senders($0, station: name) } ?? []
    guard let location = GeoPoint(latitude: latitude, longitude: longitude) else { return }
    let site = Site(name: name, location: location, elevation: elevation, radius: radius)
    let forecasts: ForecastSource
    do throws(ForecastFileError) {
      forecasts = try ForecastSource(paths: data, now: Console.now)
    } catch {
      Console.fail("cannot use a forecast: \(error)", access(error.file, F_OK) == 0 ? 65 : 66)
    }
    if !data.isEmpty {
      for line in forecasts.accounts + forecasts.advice(for: location) { Console.say(line) }
    }
    for problem in forecasts.problems { Console.say("\(problem); the other forecasts are used") }
    EarlySignals.keep()
    let readings = try ReadingStore(path: store)
    do {
      try await serve(site, forecasts, readings, encryption, channels)
    } catch {
      // If the store is not closed, files are left next to it.
      try? readings.close()
      throw error
    }
    try readings.close()
  }

  private func serve(
    _ site: Site, _ forecasts: ForecastSource, _ readings: ReadingStore,
    _ encryption: ServerCertificate?, _ channels: [ChannelSender]
  ) async throws {
    let last = try readings.last(before: Console.now() + 1)?.time
    let source = try StationSources(
      rig: rig, bus: bus, hasFiles: !data.isEmpty, interval: interval, site: site,
      forecasts: forecasts
    ).source(last: last)
    try readings.claim(by: owner(site, source), adopts: adoptStore)
    if let last, bus?.hasPrefix("rig:") == true {
      Console.say(
        "the rig starts again at its time 0; stored readings up to \(CivilTime.stamp(last)) are kept"
      )
    }
    var logger = Logger(label: "aneroid-station") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .warning
    let core = try StationCore(
      site: site, source: source, store: readings, forecasts: forecasts,
      warnings: try warningLimits(), now: Console.now, report: { Console.say($0) })
    var settings = StationServer.Settings()
    (settings.host, settings.port) = try address()
    (settings.hosts, settings.rate, settings.keep) = (host, rate, keep * 86400)
    (settings.clientHeader, settings.certificate) = (clientHeader, encryption)
    settings.allowedOrigin = allowOrigin
    settings.channels = channels
    let server = StationServer(
      core: core, forecasts: forecasts, settings: settings, logger: logger, now: Console.now)
    let shown = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
    try await server.run { port in
      let scheme = encryption == nil ? "http" : "https"
      Console.say("the station is at \(scheme)://\(shown):\(port)/ (Ctrl-C ends it)")
      EarlySignals.release()
    }
  }

  /// Returns the owner to record in the store.
  private func owner(_ site: Site, _ source: any ReadingSource) -> StoreOwner {
    let name = rig ?? bus.flatMap { $0.contains(":") ? $0 : nil }
    let file = name.map { " " + ($0.split(separator: "/").last.map(String.init) ?? $0) } ?? ""
    return StoreOwner(source: source.kind + file, site: site)
  }
}
