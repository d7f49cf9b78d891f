import Glibc
package import Hummingbird
package import Logging
import NIOCore
package import ServiceLifecycle
import Synchronization
import UnixSignals

/// The web server of a service, with the tasks that run in the background.
package struct WebServer: Sendable {
  private let host: String
  private let port: Int
  private let option: String
  private let readsBodies: Bool

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - host: the address or host name on which it listens; an IPv6 address may be in brackets.
  ///   - port: the port on which it listens; 0 selects any free port.
  ///   - option: how users choose another address, as in an error message.
  ///   - readsBodies: `false` if the bodies of requests are not read, so their connections end.
  package init(host: String, port: Int, option: String, readsBodies: Bool) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
    (self.port, self.option, self.readsBodies) = (port, option, readsBodies)
  }

  /// Serves until a signal (SIGTERM, SIGINT, SIGHUP) ends the program or a task ends.
  ///
  /// - Parameters:
  ///   - responder: answers the requests.
  ///   - tasks: run in the background while the server is running.
  ///   - logger: receives the log.
  ///   - isReady: receives the port once the server accepts requests.
  /// - Throws: `ListeningFailure` if the server cannot listen; otherwise the error of a task.
  package func run<Responder: HTTPResponder>(
    _ responder: Responder, tasks: [any Service], logger: Logger,
    isReady: @escaping @Sendable (Int) -> Void
  ) async throws
  where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let listens = Mutex(false)
    let readsBodies = readsBodies
    var application = Application(
      responder: responder,
      server: .http1(
        configuration: .init(additionalChannelHandlers: [
          ConnectionLimits(readsBodies: readsBodies)
        ])),
      configuration: .init(address: .hostname(host, port: port), backlog: 512),
      onServerRunning: { channel in
        listens.withLock { $0 = true }
        isReady(channel.localAddress?.port ?? 0)
      },
      logger: logger)
    for task in tasks { application.addServices(task) }
    do {
      try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint, .sighup])
    } catch {
      throw listens.withLock { $0 } ? error : ListeningFailure(error, option: option)
    }
  }
}

/// The reason why a server cannot listen on its address, with a suggestion.
package struct ListeningFailure: Error, CustomStringConvertible {
  package let description: String

  /// Creates the failure for a network error.
  init(_ error: any Error, option: String) {
    switch error {
    case let error as IOError: description = Self.words(error.errnoCode, option)
    case is SocketAddressError.UnknownHost:
      description =
        "unknown host name; use an address of this machine, or 127.0.0.1 for local access only"
    default: description = "\(error)"
    }
  }

  private static func words(_ number: CInt, _ option: String) -> String {
    switch number {
    case EADDRINUSE:
      "another program listens there; end that one, or choose another port with \(option)"
    case EADDRNOTAVAIL:
      "this machine does not have that address; use one of its addresses, or 127.0.0.1 for local access only"
    case EACCES: "this user may not listen on that port; use a port from 1024"
    default: String(cString: strerror(number))
    }
  }
}
