import Foundation
import ServiceMachine

/// A mosquitto process on this machine, which serves as the MQTT broker of a warehouse run.
///
/// The broker stores nothing on disk, which is mosquitto's default.
final class BrokerProgram {
  /// The port on which the broker listens.
  private(set) var port = 0
  private var program: ChildProgram?
  private let path: String
  private let folder: String
  private var file: String { folder + "/mosquitto.conf" }

  /// Finds and starts mosquitto.
  ///
  /// - Parameter folder: The folder for mosquitto's configuration and log.
  /// - Throws: An error if mosquitto is not available.
  init(in folder: String) throws(StackRunError) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map(String.init)
    let paths = (folders + ["/usr/sbin", "/usr/local/sbin"]).map { $0 + "/mosquitto" }
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
      throw StackRunError(
        "mosquitto, the broker of this run, is not installed; try: apt-get install mosquitto")
    }
    (self.path, self.folder) = (path, folder)
    // Another process may take the free port before mosquitto uses it.
    for attempt in 1...5 {
      port = Self.freePort()
      do throws(StackRunError) {
        try start()
        return
      } catch {
        if attempt == 5 { throw error }
      }
    }
  }

  /// Starts mosquitto and waits until it listens.
  func start() throws(StackRunError) {
    let user = getuid() == 0 ? ["user root"] : []
    let lines =
      ["listener \(port) 127.0.0.1", "allow_anonymous true", "max_queued_messages 0"] + user + [""]
    guard
      (try? Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))) != nil
    else { throw StackRunError("cannot write \(file): \(String(cString: strerror(errno)))") }
    let program = try StackRun.launch([path, "-c", file], log: folder + "/mosquitto.log")
    self.program = program
    let latest = DispatchTime.now() + .seconds(30)
    while DispatchTime.now() < latest, program.isAlive {
      if Self.listens(port) { return }
      usleep(10_000)
    }
    throw StackRunError(
      "mosquitto does not listen on 127.0.0.1:\(port); see \(folder)/mosquitto.log")
  }

  /// `true` while the process is running.
  var isAlive: Bool { program?.isAlive ?? false }

  /// Kills the process with SIGKILL.
  func kill() { program?.kill() }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  /// Calls a socket function with a new socket and a loopback address.
  private static func atPort(
    _ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int
  ) -> Int {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(handle) }
    var address = address(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func listens(_ port: Int) -> Bool {
    atPort(port) { Int(connect($0, $1, $2)) } == 0
  }

  /// Returns a free loopback port.
  private static func freePort() -> Int {
    atPort(0) { handle, address, length in
      guard bind(handle, address, length) == 0 else { return 1883 }
      var found = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &found) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(handle, $0, &length) }
      }
      return Int(in_port_t(bigEndian: found.sin_port))
    }
  }
}
