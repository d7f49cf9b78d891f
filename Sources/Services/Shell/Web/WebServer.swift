import Glibc
package import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
package import ServiceLifecycle
import ServiceMachine
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
///
/// When the files are replaced, as by a renewal, new connections use the new ones.
package struct ServerCertificate: Sendable {
  fileprivate let configuration: TLSConfiguration
  /// The reason why clients reject the certificate now; `nil` if it is valid.
  package let warning: String?

  /// Reads a certificate and its key.
  ///
  /// - Parameters:
  ///   - chain: the path of the certificate, followed by those of its issuers, in PEM.
  ///   - key: the path of the private key in PEM, without a passphrase.
  ///   - report: receives a line when new files are used, or when they cannot be used.
  /// - Throws: `CertificateFailure` if a file cannot be read or if the two do not belong together.
  package init(chain: String, key: String, report: @escaping @Sendable (String) -> Void)
    throws(CertificateFailure)
  {
    let files = CertificateFiles(chain: chain, key: key)
    let version = files.version
    let pair = try files.read()
    let renewal = CertificateRenewal(files, version, pair, report)
    var configuration = pair.configuration
    // Not on the thread of the connection: an error of reading would stay in its queue, and end the handshake.
    configuration.sslContextCallback = { _, promise in
      Task { promise.succeed(renewal.current()) }
    }
    (self.configuration, warning) = (configuration, pair.warning(of: chain))
  }
}

/// A certificate with its issuers, and its key, that belong together.
private struct CertificatePair {
  let certificates: [NIOSSLCertificate]
  let key: NIOSSLPrivateKey

  var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    return configuration
  }

  /// Returns the reason why clients reject the certificate now; `nil` if it is valid.
  func warning(of chain: String) -> String? {
    let now = time(nil)
    return certificates.first.flatMap { own in
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

/// The files of a certificate and its key.
private struct CertificateFiles: Sendable {
  let chain, key: String

  /// What changes when one of the files is replaced or rewritten.
  var version: [FileVersion?] { [FileVersion(path: chain), FileVersion(path: key)] }

  /// Reads both files.
  ///
  /// - Throws: `CertificateFailure` if a file cannot be read or if the two do not belong together.
  func read() throws(CertificateFailure) -> CertificatePair {
    let pair = CertificatePair(
      certificates: try Self.reading(chain, "certificate") { [chain] in
        try NIOSSLCertificate.fromPEMFile(chain)
      },
      key: try Self.reading(key, "private key without a passphrase") { [key] in
        try NIOSSLPrivateKey(file: key, format: .pem) { $0([UInt8]()) }
      })
    do { _ = try NIOSSLContext(configuration: pair.configuration) } catch {
      throw CertificateFailure(file: key, reason: "it is not the key of \(chain)")
    }
    return pair
  }

  private static func reading<Content>(_ path: String, _ what: String, _ read: () throws -> Content)
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
}

/// The certificate of new connections, which is read again after its files have changed.
private final class CertificateRenewal: Sendable {
  private struct State {
    var version: [FileVersion?]
    var current: NIOSSLContextConfigurationOverride
  }

  private let files: CertificateFiles
  private let report: @Sendable (String) -> Void
  private let state: Mutex<State>

  init(
    _ files: CertificateFiles, _ version: [FileVersion?], _ pair: CertificatePair,
    _ report: @escaping @Sendable (String) -> Void
  ) {
    (self.files, self.report) = (files, report)
    state = Mutex(State(version: version, current: Self.override(pair)))
  }

  /// Returns the certificate for a connection that begins; the one in use, if the new files cannot be used.
  func current() -> NIOSSLContextConfigurationOverride {
    let version = files.version
    return state.withLock { state in
      guard version != state.version else { return state.current }
      state.version = version
      do throws(CertificateFailure) {
        let pair = try files.read()
        state.current = Self.override(pair)
        report(pair.warning(of: files.chain) ?? "the certificate \(files.chain) was renewed")
      } catch {
        report("\(error); the certificate in use is kept")
      }
      return state.current
    }
  }

  private static func override(_ pair: CertificatePair) -> NIOSSLContextConfigurationOverride {
    var override = NIOSSLContextConfigurationOverride()
    override.certificateChain = pair.certificates.map { .certificate($0) }
    override.privateKey = .privateKey(pair.key)
    return override
  }
}

/// The reason why a certificate or its key cannot be used.
package struct CertificateFailure: Error, CustomStringConvertible {
  /// The path of the file.
  package let file: String
  let reason: String

  package var description: String { "cannot use \(file): \(reason)" }
}
