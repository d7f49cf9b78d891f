package import Channels
package import Forecasts
import HTTPTypes
package import Logging
import PlainHTTP
import Readings
import ServiceLifecycle
package import ServiceWeb

/// The web server of a station, with the services that run in the background.
package struct StationServer: Sendable {
  /// The settings of the server.
  package struct Settings: Sendable {
    /// The address on which the server listens.
    package var host = "127.0.0.1"
    /// The port on which the server listens; 0 selects any free port.
    package var port = 8080
    /// The host names that are accepted from browsers in addition to the loopback names.
    package var hosts: [String] = []
    /// The maximum number of requests per second from one address; 0 for no limit.
    package var rate = 100
    /// The header field in which a proxy on this machine names the client; `nil` for none.
    package var clientHeader: String?
    /// The origin whose pages may read responses, or `*` for all; `nil` for none but the station's own page.
    package var allowedOrigin: String?
    /// The certificate for TLS; `nil` for plain HTTP.
    package var certificate: ServerCertificate?
    /// The channels for weather warnings.
    package var channels: [ChannelSender] = []
    /// The time in seconds for which readings are kept.
    package var keep = 400 * 86400

    /// Returns `true` if a text can be the name of a header field.
    package static func isField(_ name: String) -> Bool { HTTPField.Name(name) != nil }

    /// Returns `true` if a text is an origin, such as `https://example.org`, or `*`.
    package static func isOrigin(_ text: String) -> Bool {
      if text == "*" { return true }
      let rest = ["http://", "https://"].first { text.hasPrefix($0) }.map {
        text.dropFirst($0.count)
      }
      return rest.map { rest in
        !rest.isEmpty && rest.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"/?#,@".utf8.contains($0) }
      } ?? false
    }

    /// Creates the default settings.
    package init() {}
  }

  private let core: StationCore
  private let forecasts: ForecastSource
  private let settings: Settings
  private let logger: Logger
  private let now: @Sendable () -> Int

  package init(
    core: StationCore, forecasts: ForecastSource, settings: Settings, logger: Logger,
    now: @escaping @Sendable () -> Int
  ) {
    (self.core, self.forecasts, self.settings) = (core, forecasts, settings)
    (self.logger, self.now) = (logger, now)
  }

  /// Serves until a signal ends the program; pending requests are completed, and received readings are stored.
  ///
  /// - Parameter isReady: The function that receives the port once the server accepts requests.
  /// - Throws: `ListeningFailure` if the server cannot listen; otherwise the error of a service.
  package func run(isReady: @escaping @Sendable (Int) -> Void) async throws {
    let responder = StationResponder(
      dispatcher: Dispatcher(core: core, source: forecasts), core: core,
      limit: RateLimit(rate: settings.rate),
      hosts: HostRule(host: settings.host, others: settings.hosts),
      clientHeader: settings.clientHeader.flatMap { HTTPField.Name($0) },
      allowedOrigin: settings.allowedOrigin, now: now)
    let server = WebServer(
      host: settings.host, port: settings.port, option: "--listen, 0 for any free port",
      readsBodies: false, certificate: settings.certificate)
    var tasks: [any Service] = [
      Recorder(core: core, logger: logger),
      Keeper(core: core, forecasts: forecasts, keep: settings.keep, logger: logger),
    ]
    // A service that ends would end the program.
    if !settings.channels.isEmpty {
      tasks.append(
        WarningNotifier(
          core: core, forecasts: forecasts, senders: settings.channels, logger: logger, now: now))
    }
    try await server.run(responder, tasks: tasks, logger: logger, isReady: isReady)
  }
}

/// The service that records readings for the lifetime of the program.
private struct Recorder: Service {
  let core: StationCore
  let logger: Logger

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await cancelWhenGracefulShutdown {
        do {
          try await core.source.run { try await core.take($0) }
        } catch is CancellationError {
          return
        }
        // The replay has ended, but its readings stay available.
        try? await gracefulShutdown()
      }
    } onGracefulShutdown: {
      core.leaveAll()
    }
  }
}

/// The service that reloads the forecasts and maintains the store.
private struct Keeper: Service {
  let core: StationCore
  let forecasts: ForecastSource
  let keep: Int
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // The errors at the start have already been reported.
      var reported = forecasts.problems.map { "\($0)" }
      var second = 0
      while !Task.isCancelled {
        if forecasts.reload() { logger.info("the forecasts were reloaded") }
        let problems = forecasts.problems.map { "\($0)" }
        for problem in problems where !reported.contains(problem) {
          logger.warning("\(problem); the previous data stay in use")
        }
        reported = problems
        if second % 15 == 0 { core.beat() }
        if second % 3600 == 0 {
          do { try core.forget(olderThan: keep) } catch { logger.warning("\(error)") }
        }
        second += 1
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }
}
