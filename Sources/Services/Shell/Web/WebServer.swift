import Glibc
package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
package import ServiceLifecycle
import Synchronization
import UnixSignals

/// The web server of a service, with the tasks that run in the background.
package struct WebServer: Sendable {
  private let host: String
  private let port: Int
  private let option: String
  private let readsBodies: Bool
  private let certificate: ServerCertificate?

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - host: the address or host name on which it listens; an IPv6 address may be in brackets.
  ///   - port: the port on which it listens; 0 selects any free port.
  ///   - option: how users choose another address, as in an error message.
  ///   - readsBodies: `false` if the bodies of requests are not read, so their connections end.
  ///   - certificate: the certificate for TLS. Default: `nil` for plain HTTP.
  package init(
    host: String, port: Int, option: String, readsBodies: Bool,
    certificate: ServerCertificate? = nil
  ) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
    (self.port, self.option, self.readsBodies) = (port, option, readsBodies)
    self.certificate = certificate
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
    let plain = HTTPServerBuilder.http1(
      configuration: .init(additionalChannelHandlers: [
        ConnectionLimits(readsBodies: readsBodies)
      ]))
    var application = Application(
      responder: responder,
      server: try certificate.map { try .tls(plain, tlsConfiguration: $0.configuration) } ?? plain,
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

/// The certificate and the private key with which a server encrypts its connections.
package struct ServerCertificate: Sendable {
  fileprivate let configuration: TLSConfiguration
  /// The reason why clients reject the certificate now; `nil` if it is valid.
  package let warning: String?

  /// Reads a certificate and its key.
  ///
  /// - Parameters:
  ///   - chain: the path of the certificate, followed by those of its issuers, in PEM.
  ///   - key: the path of the private key in PEM, without a passphrase.
  /// - Throws: `CertificateFailure` if a file cannot be read or if the two do not belong together.
  package init(chain: String, key: String) throws(CertificateFailure) {
    func reading<Content>(_ path: String, _ what: String, _ read: () throws -> Content)
      throws(CertificateFailure) -> Content
    {
      guard access(path, R_OK) == 0 else {
        throw CertificateFailure(file: path, reason: String(cString: strerror(errno)))
      }
      if let folder = opendir(path) {
        closedir(folder)
        throw CertificateFailure(file: path, reason: "it is a folder")
      }
      do { return try read() } catch {
        throw CertificateFailure(file: path, reason: "it contains no \(what) in PEM")
      }
    }
    let certificates = try reading(chain, "certificate") {
      try NIOSSLCertificate.fromPEMFile(chain)
    }
    let privateKey = try reading(key, "private key without a passphrase") {
      try NIOSSLPrivateKey(file: key, format: .pem) { $0([UInt8]()) }
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    do { _ = try NIOSSLContext(configuration: configuration) } catch {
      throw CertificateFailure(file: key, reason: "it is not the key of \(chain)")
    }
    self.configuration = configuration
    let now = time(nil)
    warning = certificates.first.flatMap { own in
      if own.notValidAfter < now {
        return "the certificate \(chain) has expired: browsers reject it"
      }
      if own.notValidBefore > now {
        return "the certificate \(chain) is not valid yet: browsers reject it"
      }
      return nil
    }
  }
}

/// The reason why a certificate or its key cannot be used.
package struct CertificateFailure: Error, CustomStringConvertible {
  /// The path of the file.
  package let file: String
  let reason: String

  package var description: String { "cannot use \(file): \(reason)" }
}
