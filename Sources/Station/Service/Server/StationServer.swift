package import Forecasts
import Hummingbird
package import Logging
import NIOCore
import PlainHTTP
import Readings
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The web server of a station, with what goes on beside it.
package struct StationServer: Sendable {
  /// How it serves.
  package struct Settings: Sendable {
    /// Where it listens.
    package var host = "127.0.0.1"
    /// Where it listens; 0 for any that is free.
    package var port = 8080
    /// More names by which it may be addressed.
    package var hosts: [String] = []
    /// Requests a second of one address; 0 for no limit.
    package var rate = 100
    /// For how long readings are kept, in seconds.
    package var keep = 400 * 86400

    /// The usual settings.
    package init() {}
  }

  private let core: StationCore
  private let forecasts: ForecastSource
  private let settings: Settings
  private let logger: Logger
  private let now: @Sendable () -> Int

  /// Creates a server.
  package init(
    core: StationCore, forecasts: ForecastSource, settings: Settings, logger: Logger,
    now: @escaping @Sendable () -> Int
  ) {
    (self.core, self.forecasts, self.settings) = (core, forecasts, settings)
    (self.logger, self.now) = (logger, now)
  }

  /// Serves until a signal ends the program: what was begun is finished, what was read is stored.
  ///
  /// - Parameter isReady: is told the port when the first request can come.
  /// - Throws: ``ListeningFailure`` where it cannot listen, else what a service ended with.
  package func run(isReady: @escaping @Sendable (Int) -> Void) async throws {
    let responder = StationResponder(
      dispatcher: Dispatcher(core: core, source: forecasts), core: core,
      limit: RateLimit(rate: settings.rate),
      hosts: HostRule(host: settings.host, others: settings.hosts), now: now)
    let listens = Mutex(false)
    var application = Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionEndPlacer()], idleTimeout: .seconds(75))),
      configuration: .init(address: .hostname(settings.host, port: settings.port), backlog: 512),
      onServerRunning: { channel in
        listens.withLock { $0 = true }
        isReady(channel.localAddress?.port ?? 0)
      },
      logger: logger)
    application.addServices(
      Recorder(core: core, logger: logger),
      Keeper(core: core, forecasts: forecasts, keep: settings.keep, logger: logger))
    do {
      try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint, .sighup])
    } catch {
      throw listens.withLock { $0 } ? error : ListeningFailure(error)
    }
  }
}

/// Takes readings for as long as the program runs.
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
        // A replay has come to its end: what it told stays.
        try? await gracefulShutdown()
      }
    } onGracefulShutdown: {
      core.leaveAll()
    }
  }
}

/// Looks after the forecasts and the store.
private struct Keeper: Service {
  let core: StationCore
  let forecasts: ForecastSource
  let keep: Int
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // What was wrong at the start has been told.
      var told = forecasts.problems.map { "\($0)" }
      var second = 0
      while !Task.isCancelled {
        if forecasts.reload() { logger.info("the forecasts have been read anew") }
        let problems = forecasts.problems.map { "\($0)" }
        for problem in problems where !told.contains(problem) {
          logger.warning("\(problem); what was known before stays")
        }
        told = problems
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
