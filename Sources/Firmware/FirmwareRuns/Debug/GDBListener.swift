import Files
import Glibc

/// A port on the loopback interface at which one debugger at a time is heard.
final class GDBListener {
  /// The number of the port.
  let port: UInt16
  private let listening: Int32
  private var client: Int32 = -1

  /// Opens a port; 0 takes any that is free.
  ///
  /// - Throws: `Failure` of kind unavailable when it is in use.
  init(port: UInt16) throws(Failure) {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listening = listening
    var one: Int32 = 1
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listening, address, length) == 0 && listen(listening, 1) == 0
          && getsockname(listening, address, &length) == 0
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    guard listening >= 0, isOpen else {
      throw Failure(
        .unavailable, "port \(port) for GDB: \(String(cString: strerror(errno))); try --gdb 0")
    }
  }

  deinit {
    hangUp()
    close(listening)
  }

  /// Whether a debugger is there.
  var isConnected: Bool { client >= 0 }

  /// Waits for a debugger, for so many milliseconds at most.
  func accept(within milliseconds: Int32) -> Bool {
    guard isReadable(listening, milliseconds) else { return false }
    client = Glibc.accept(listening, nil, nil)
    var one: Int32 = 1
    setsockopt(
      client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    return client >= 0
  }

  /// What has come within so many milliseconds; `nil` once the debugger has gone.
  func read(within milliseconds: Int32) -> [UInt8]? {
    guard client >= 0 else { return nil }
    guard isReadable(client, milliseconds) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(client, &bytes, bytes.count, 0)
    guard count > 0 else {
      if count < 0, errno == EINTR { return [] }
      hangUp()
      return nil
    }
    return Array(bytes[..<count])
  }

  /// Sends bytes.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while client >= 0, !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return hangUp() }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the connection.
  func hangUp() {
    if client >= 0 { close(client) }
    client = -1
  }

  private func isReadable(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, milliseconds) > 0
  }
}
