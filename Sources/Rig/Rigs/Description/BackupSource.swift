package import PlainHTTP

/// What stands in for a sensor that is lost: current or hourly weather in Open-Meteo's shape.
package enum BackupSource: Hashable, Sendable {
  /// A file with the reply.
  case file(String)
  /// A server that gives it.
  case server(HTTPAddress)

  /// As the rig has it, for reports.
  package var name: String {
    switch self {
    case .file(let path): path
    case .server(let address): address.text
    }
  }
}
