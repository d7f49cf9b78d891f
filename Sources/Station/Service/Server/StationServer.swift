package import Forecasts
import Glibc
import Hummingbird
package import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import PlainHTTP
import Readings
import ServiceLifecycle
import Synchronization
import UnixSignals

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
    /// The time in seconds for which readings are kept.
    package var keep = 400 * 86400

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
      hosts: HostRule(host: settings.host, others: settings.hosts), now: now)
    let listens = Mutex(false)
    var application = Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionEndInserter()], idleTimeout: .seconds(75))),
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

/// The reason why a station cannot listen on its address, with a suggestion.
package struct ListeningFailure: Error, CustomStringConvertible {
  package let description: String

  /// Creates the failure for a network error.
  init(_ error: any Error) {
    switch error {
    case let error as IOError: description = Self.words(error.errnoCode)
    case is SocketAddressError.UnknownHost:
      description =
        "unknown host name; use an address of this machine, or 127.0.0.1 for local access only"
    default: description = "\(error)"
    }
  }

  private static func words(_ number: CInt) -> String {
    switch number {
    case EADDRINUSE:
      "another program listens there; end that one, or choose another port with --listen, 0 for any free port"
    case EADDRNOTAVAIL:
      "this machine does not have that address; use one of its addresses, or 127.0.0.1 for local access only"
    case EACCES: "this user may not listen on that port; use a port from 1024"
    default: String(cString: strerror(number))
    }
  }
}

/// Inserts `ConnectionEnd` before the codec that converts HTTP/1 requests to version-independent
/// ones, because the HTTP version of a request is known only there.
final class ConnectionEndInserter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(ConnectionEnd(), position: .before(codec))
    } catch {
      context.fireErrorCaught(error)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }
}

/// Adds `Connection: close` to HTTP/1.0 requests, to requests that already contain this field in
/// upper or lower case, and to requests with a body, because bodies are not read.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      context.fireChannelRead(data)
      return
    }
    let words = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
    let hasBody =
      head.headers.contains(name: "transfer-encoding")
      || head.headers["content-length"].contains { $0 != "0" }
    if (head.version.major, head.version.minor) < (1, 1) || words.contains("close") || hasBody {
      head.headers.replaceOrAdd(name: "connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
