import Delivery
import Glibc
package import HubCore
package import HubQueue
package import HubSettings
import Hummingbird
package import Logging
import NIOCore
import PlainHTTP
import ServiceLifecycle
import UnixSignals

/// The hub as a program: its page, its couriers, its clock and its source of notifications.
package struct HubServer: Sendable {
  private let core: HubCore
  private let settings: HubSettings
  private let couriers: Couriers
  private let token: String
  private let logger: Logger
  private let source: (any NotificationSource)?
  private let written: @Sendable ([QueuedRecord]) -> Void

  /// Creates it.
  package init(
    core: HubCore, settings: HubSettings, couriers: Couriers, token: String,
    source: (any NotificationSource)?, logger: Logger,
    written: @escaping @Sendable ([QueuedRecord]) -> Void = { _ in }
  ) {
    self.written = written
    (self.core, self.settings, self.couriers) = (core, settings, couriers)
    (self.token, self.source, self.logger) = (token, source, logger)
  }

  /// Serves until a signal ends the program.
  ///
  /// - Parameter isReady: is told the port when the first request can come.
  /// - Throws: why it cannot listen, or what a service ended with.
  package func run(isReady: @escaping @Sendable (Int) -> Void) async throws {
    let web = settings.web
    let couriers = couriers
    let answers = HubAnswers(core: core, places: settings.places) { couriers.isBrokerThere }
    let responder = HubResponder(
      answers: answers, hosts: HostRule(host: web.host, others: web.hosts), token: token)
    var application = Application(
      responder: responder,
      server: .http1(configuration: .init(additionalChannelHandlers: [ConnectionLimits()])),
      configuration: .init(address: .hostname(Self.bare(web.host), port: web.port), backlog: 128),
      onServerRunning: { channel in isReady(channel.localAddress?.port ?? 0) }, logger: logger)
    application.addServices(Timekeeper(core: core, couriers: couriers))
    if couriers.http != nil { application.addServices(Poster(couriers: couriers)) }
    if let source { application.addServices(Hearing(core: core, source: source, written: written)) }
    try couriers.mqtt?.start()
    defer { couriers.mqtt?.stop() }
    do {
      try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint, .sighup])
    } catch let error as IOError {
      throw PlaceRefusal(errorNumber: error.errnoCode)
    }
  }

  /// A host without the brackets that an address of IPv6 has before a port.
  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}

/// Why the hub cannot listen where its file says.
struct PlaceRefusal: Error, CustomStringConvertible {
  /// What the system says, as `errno`.
  let errorNumber: Int32

  var description: String {
    switch errorNumber {
    case EADDRINUSE:
      "another program listens there already, such as a hub that runs; end that one, or choose another port with "
        + "page: {listen: ...} in the hub's file"
    case EACCES:
      "only the administrator may listen at a port below 1024; choose another with page: {listen: ...} in the hub's file"
    case EADDRNOTAVAIL:
      "this machine has no such address; choose another with page: {listen: ...} in the hub's file"
    default: String(cString: strerror(errorNumber))
    }
  }
}

/// Where notifications come from.
package protocol NotificationSource: Sendable {
  /// Gives each batch as it comes, until the task is cancelled or there are no more.
  func run(_ take: @escaping @Sendable ([HeardReading]) -> Void) async throws
}

/// Lets time pass for the alarms, keeps the limits of the queue, and lets the broker know of what has changed.
private struct Timekeeper: Service {
  let core: HubCore
  let couriers: Couriers

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var seconds = 0
      var generation = -1
      while !Task.isCancelled {
        core.advance()
        let current = core.snapshot.generation
        if current != generation { couriers.mqtt?.announce() }
        generation = current
        // A machine may have started with a wrong clock: ages count when a server of time has had time to set it.
        if seconds % 60 == 0 { couriers.keepLimits(of: core, ages: seconds >= 600) }
        seconds += 1
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }
}

/// Posts batches.
private struct Poster: Service {
  let couriers: Couriers

  func run() async throws {
    await cancelWhenGracefulShutdown { await couriers.http?.run() }
  }
}

/// Takes what tags say.
private struct Hearing: Service {
  let core: HubCore
  let source: any NotificationSource
  let written: @Sendable ([QueuedRecord]) -> Void

  func run() async throws {
    let (core, written) = (core, written)
    try await cancelWhenGracefulShutdown {
      do {
        try await source.run { written(core.take($0)) }
      } catch is CancellationError {
        return
      }
      // There are no more: the hub goes on with what it knows.
      try? await gracefulShutdown()
    }
  }
}
