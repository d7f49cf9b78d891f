import BusServers
import Glibc
import Runs
import Support

/// The requests for forecasts of a running station: from `aneroid ask` through a socket, and by
/// SIGUSR1.
///
/// A client sends `forecast` and a line feed. The station sends a JSON object with `answer_in_s` at
/// once, and a `ForecastAnswer` at the end of the cycle.
final class StationSocket: ForecastRequests {
  /// A connected client.
  private struct Client {
    let descriptor: Int32
    /// The time by which its request must arrive, in nanoseconds of CLOCK_MONOTONIC.
    let deadline: UInt64
    var received: [UInt8] = []
    var hasAsked = false
    var isAnnounced = false
  }

  static let request = Array("forecast\n".utf8)
  /// The maximum number of clients; others wait until one is answered.
  private static let capacity = 32
  /// The time in nanoseconds within which a client must send its request.
  private static let patience: UInt64 = 5_000_000_000

  private let listener: SocketListener?
  private var clients: [Client] = []

  /// Creates the socket of a station.
  ///
  /// - Parameters:
  ///   - station: the name of the rig or the sensor.
  ///   - path: the path that the user gives. Default: `folder()/STATION`.
  /// - Throws: `Failure` of kind unavailable if the socket at the user's path cannot be created. A
  ///   failure at the default path is only reported.
  init(of station: String, at path: String?) throws(Failure) {
    EndSignals.noticeRequests()
    if let path {
      listener = try SocketListener(path: path)
      return
    }
    do throws(Failure) {
      listener = try SocketListener(path: "\(try Self.folder(makes: true))/\(Self.name(station))")
    } catch {
      StandardError.say("'aneroid ask' cannot reach this station: \(error)")
      listener = nil
    }
  }

  deinit { close() }

  /// Closes the socket and all connections.
  func close() {
    clients.forEach { Glibc.close($0.descriptor) }
    clients = []
    listener?.close()
  }

  /// Returns the name of the socket of a station.
  private static func name(_ station: String) -> String {
    let words = station.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : " " }
    return String(words).split(separator: " ").joined(separator: "-") + ".socket"
  }

  /// Finds the folder of the sockets: XDG_RUNTIME_DIR/aneroid, or /tmp/aneroid-UID.
  ///
  /// - Parameter makes: whether a missing folder is created.
  /// - Throws: `Failure` of kind unavailable if another user owns the folder, or if it cannot be
  ///   created.
  /// - Returns: its path.
  static func folder(makes: Bool) throws(Failure) -> String {
    let runtime = ProgramEnvironment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let path = runtime.map { "\($0)/aneroid" } ?? "/tmp/aneroid-\(getuid())"
    if makes, mkdir(path, 0o700) != 0, errno != EEXIST {
      throw Failure(.unavailable, "\(path): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw Failure(.unavailable, "no station is running: \(path) does not exist")
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o022 == 0
    else {
      throw Failure(.unavailable, "\(path): not a folder that only this user can change")
    }
    return path
  }

  /// Returns the sockets of all running stations of this user.
  ///
  /// - Throws: `Failure` of kind unavailable if there is no folder of sockets.
  static func all() throws(Failure) -> [String] {
    let folder = try folder(makes: false)
    // A station that was killed leaves its socket.
    return (Folder.names(in: folder) ?? []).inOrder()
      .filter { $0.hasSuffix(".socket") }.map { "\(folder)/\($0)" }
      .filter { path in
        guard let probe = SocketListener.connect(to: path) else { return false }
        Glibc.close(probe)
        return true
      }
  }

  // MARK: Requests

  func arrive() -> Bool {
    var hasArrived = EndSignals.takeRequest()
    while clients.count < Self.capacity, let descriptor = listener?.accept() {
      clients.append(
        Client(descriptor: descriptor, deadline: MachineTime.monotonic() + Self.patience))
    }
    for index in clients.indices.reversed() {
      if receive(&clients[index]) {
        hasArrived = hasArrived || clients[index].hasAsked && !clients[index].isAnnounced
      } else {
        Glibc.close(clients.remove(at: index).descriptor)
      }
    }
    return hasArrived
  }

  /// Receives the bytes of a client; returns `false` if the client has left, sends anything but the
  /// request, or is late.
  private func receive(_ client: inout Client) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = buffer.withUnsafeMutableBytes {
      recv(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count == 0 { return false }
    if count < 0 {
      guard errno == EAGAIN || errno == EINTR else { return false }
      return client.hasAsked || MachineTime.monotonic() < client.deadline
    }
    client.received += buffer[..<count]
    guard Self.request.starts(with: client.received) else { return false }
    client.hasAsked = client.received.count == Self.request.count
    return true
  }

  func announce(seconds: Double) {
    let text = JSONValue.object([("answer_in_s", .rounded(max(seconds, 0), 3))]).compact + "\n"
    for index in clients.indices where clients[index].hasAsked && !clients[index].isAnnounced {
      clients[index].isAnnounced = true
      _ = SocketListener.send(Array(text.utf8), to: clients[index].descriptor)
    }
  }

  func answer(_ answer: ForecastAnswer) {
    let line = Array((answer.json.compact + "\n").utf8)
    for client in clients where client.hasAsked {
      _ = SocketListener.send(line, to: client.descriptor)
      Glibc.close(client.descriptor)
    }
    clients.removeAll(where: \.hasAsked)
  }
}
