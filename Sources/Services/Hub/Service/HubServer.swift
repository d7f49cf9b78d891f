import Delivery
import Foundation
import Glibc
package import HubCore
package import HubQueue
package import Logging
import Notify
import PlainHTTP
import ServiceLifecycle
import ServiceMachine
import ServiceWeb
package import WarehouseRuns

/// The services of a hub, namely the web server, the publishers, the clock and the source of
/// notifications.
package struct HubServer: Sendable {
  private let core: HubCore
  private let settings: HubSettings
  private let publishers: Publishers
  private let token: String
  private let logger: Logger
  private let source: (any NotificationSource)?
  private let written: @Sendable ([QueuedRecord]) -> Void

  package init(
    core: HubCore, settings: HubSettings, publishers: Publishers, token: String,
    source: (any NotificationSource)?, logger: Logger,
    written: @escaping @Sendable ([QueuedRecord]) -> Void = { _ in }
  ) {
    self.written = written
    (self.core, self.settings, self.publishers) = (core, settings, publishers)
    (self.token, self.source, self.logger) = (token, source, logger)
  }

  /// Serves until a signal ends the program.
  ///
  /// - Parameter isReady: The function that receives the port once the server accepts requests.
  /// - Throws: `ListeningFailure` if the server cannot listen; otherwise the error of a service.
  package func run(isReady: @escaping @Sendable (Int) -> Void) async throws {
    let web = settings.web
    let publishers = publishers
    let notifiers = publishers.notifiers
    let api = HubAPI(
      core: core, positions: settings.positions, isBrokerThere: { publishers.isBrokerThere },
      channels: { notifiers.map { ($0.channel, $0.health) } },
      report: { [logger] in logger.warning("\($0)") })
    let responder = HubResponder(
      api: api, hosts: HostRule(host: web.host, others: web.hosts), token: token)
    var tasks: [any Service] = [Timekeeper(core: core, publishers: publishers)]
    if publishers.http != nil { tasks.append(Poster(publishers: publishers)) }
    tasks += notifiers.map { NotifierService(notifier: $0) }
    if let source { tasks.append(SourceService(core: core, source: source, written: written)) }
    try publishers.mqtt?.start()
    defer { publishers.mqtt?.stop() }
    let server = WebServer(
      host: web.host, port: web.port, option: "page: {listen: ...} in the hub's file",
      readsBodies: true)
    try await server.run(responder, tasks: tasks, logger: logger, isReady: isReady)
  }
}

/// A source of notifications.
package protocol NotificationSource: Sendable {
  /// Delivers readings in batches until the task is cancelled or the source ends.
  ///
  /// - Parameters:
  ///   - take: Receives the readings.
  ///   - change: Receives the reason why no readings can be received, and `nil` once they can again.
  /// - Throws: An error that ends the hub.
  func run(
    _ take: @escaping @Sendable ([ReceivedReading]) -> Void,
    change: @escaping @Sendable (String?) -> Void
  ) async throws
}

/// Advances the time of alarms, applies the limits of the queue, and requests publication of changed retained messages.
private struct Timekeeper: Service {
  let core: HubCore
  let publishers: Publishers

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var seconds = 0
      var generation = -1
      while !Task.isCancelled {
        core.advance()
        publishers.others.advance()
        let current = core.snapshot.generation
        if current != generation { publishers.mqtt?.announce() }
        generation = current
        // The machine may have booted with a wrong clock, so age limits apply only after time
        // synchronization has had time to set it.
        if seconds % 60 == 0 { publishers.keepLimits(of: core, ages: seconds >= 600) }
        seconds += 1
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }
}

/// The service that runs the HTTP publisher.
private struct Poster: Service {
  let publishers: Publishers

  func run() async throws {
    await cancelWhenGracefulShutdown { await publishers.http?.run() }
  }
}

/// The service that runs the notifier of a channel.
private struct NotifierService: Service {
  let notifier: Notifier

  func run() async throws {
    await cancelWhenGracefulShutdown { await notifier.run() }
  }
}

/// The service that runs the source of notifications.
private struct SourceService: Service {
  let core: HubCore
  let source: any NotificationSource
  let written: @Sendable ([QueuedRecord]) -> Void

  func run() async throws {
    let (core, written) = (core, written)
    try await cancelWhenGracefulShutdown {
      do {
        try await source.run({ written(core.take($0)) }, change: { core.takeReceiver($0) })
      } catch is CancellationError {
        return
      }
      // When the source has ended, the hub continues without it.
      try? await gracefulShutdown()
    }
  }
}

/// A source of readings as lines of JSON in the format of `NotificationLine`.
package struct LineSource: NotificationSource {
  private let handle: Int32
  private let report: @Sendable (String) -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - handle: The file descriptor to read from, such as standard input.
  ///   - report: The function that receives log lines about invalid lines.
  package init(handle: Int32, report: @escaping @Sendable (String) -> Void) {
    (self.handle, self.report) = (handle, report)
  }

  /// Reads lines until the end of the input; invalid lines are reported and skipped.
  package func run(
    _ take: @escaping @Sendable ([ReceivedReading]) -> Void,
    change: @escaping @Sendable (String?) -> Void
  ) async throws {
    let (handle, report) = (handle, report)
    // A separate thread waits for lines, so it does not block other tasks.
    let (stream, ended) = AsyncStream.makeStream(of: Void.self)
    let thread = Thread {
      var reader = LineReader(handle: handle)
      var number = 0
      while let lines = reader.next() {
        let boot = MachineClocks.system.boot()
        var readings: [ReceivedReading] = []
        for line in lines {
          number += 1
          do throws(NotificationLineError) {
            readings.append(try NotificationLine.read(line, boot: boot))
          } catch {
            report("line \(number) is not a valid notification: \(error)")
          }
        }
        take(readings)
      }
      report("standard input has ended after \("line".counted(number)); the hub keeps running")
      change("standard input has ended")
      ended.finish()
    }
    thread.start()
    for await _ in stream {}
    try Task.checkCancellation()
  }
}
