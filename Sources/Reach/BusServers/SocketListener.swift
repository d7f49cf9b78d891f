import Glibc
package import Support

/// A socket to which the clients of a transport connect.
package final class SocketListener {
  /// The descriptor of the socket.
  package let descriptor: Int32
  /// The port of a TCP socket; 0 for a socket in the file system.
  package let port: UInt16
  /// The path of a socket in the file system, with its inode; `nil` for a TCP socket.
  private let file: (path: String, inode: UInt)?

  /// Creates a socket in the file system, which only this user can open.
  ///
  /// A socket that a server has left there is replaced.
  ///
  /// - Parameter path: the path.
  /// - Throws: `Failure` of kind unavailable if another server uses the path, if it names something else, or if the
  ///   socket cannot be created.
  package init(path: String) throws(Failure) {
    func failure(_ reason: String) -> Failure {
      Failure(.unavailable, "\(path.visible): \(reason)")
    }
    guard var address = Self.unixAddress(path) else {
      throw Failure(.unavailable, "'\(path.visible)': the path of a socket has 1 to 107 bytes")
    }
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw failure("exists and is no socket; use another path")
      }
      guard !Self.answers(path) else { throw failure("another server uses this socket") }
      guard unlink(path) == 0 else { throw failure(String(cString: strerror(errno))) }
    }
    let descriptor = socket(AF_UNIX, Self.type, 0)
    guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
    // The file gets the mode of the socket. umask(2) would, for that time, also restrict files that other threads create.
    fchmod(descriptor, 0o600)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    let reason = errno
    guard isBound, listen(descriptor, 4) == 0, lstat(path, &status) == 0 else {
      let reason = isBound ? errno : reason
      Glibc.close(descriptor)
      throw failure(String(cString: strerror(reason)))
    }
    self.descriptor = descriptor
    file = (path, UInt(status.st_ino))
    port = 0
  }

  /// Creates a TCP socket on a loopback address.
  ///
  /// - Parameters:
  ///   - address: the address and the port, such as `127.0.0.1:3240`; port 0 for any free one.
  ///   - option: the name of the option in messages.
  /// - Throws: `Failure` of kind usage for another address, of kind unavailable if the port is in use.
  package init(loopback address: String, option: String) throws(Failure) {
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    var socketAddress = sockaddr_in()
    socketAddress.sin_family = sa_family_t(AF_INET)
    guard parts.count == 2, let port = UInt16(parts[1]),
      inet_pton(AF_INET, String(parts[0]), &socketAddress.sin_addr) == 1,
      UInt32(bigEndian: socketAddress.sin_addr.s_addr) >> 24 == 127
    else {
      throw Failure(
        .usage,
        "\(option) '\(address.visible)': an address of 127.0.0.0/8 and a port up to 65535 are required, such as 127.0.0.1:3240; the protocol has no access control"
      )
    }
    socketAddress.sin_port = port.bigEndian
    func failure() -> Failure {
      Failure(.unavailable, "\(address.visible): \(String(cString: strerror(errno)))")
    }
    let descriptor = socket(AF_INET, Self.type, 0)
    guard descriptor >= 0 else { throw failure() }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &socketAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 4) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isReady else {
      defer { Glibc.close(descriptor) }
      throw failure()
    }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: socketAddress.sin_port)
    file = nil
  }

  /// Connects to a socket in the file system.
  ///
  /// - Returns: the descriptor of the connection, which does not block; `nil` on failure, with the
  ///   reason in `errno`.
  package static func connect(to path: String) -> Int32? {
    guard var address = unixAddress(path) else {
      errno = ENAMETOOLONG
      return nil
    }
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return nil }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if isConnected { return descriptor }
    let reason = errno
    Glibc.close(descriptor)
    errno = reason
    return nil
  }

  private static var type: Int32 {
    Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  }

  /// Returns the address of a path; `nil` if the path is empty or too long.
  private static func unixAddress(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  /// Returns whether a server accepts connections at a path.
  static func answers(_ path: String) -> Bool {
    guard let probe = connect(to: path) else { return errno == EAGAIN }
    Glibc.close(probe)
    return true
  }

  /// Accepts a client; `nil` if none waits.
  package func accept() -> Int32? {
    let client = Glibc.accept(descriptor, nil, nil)
    guard client >= 0 else { return nil }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    var one: Int32 = 1
    if port != 0 {
      setsockopt(
        client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    return client
  }

  /// Returns `true` if the peer of a socket has closed it, even if bytes of it are left to receive.
  package static func hasLeft(_ client: Int32) -> Bool {
    // POLLRDHUP: the peer of a TCP connection has closed its side.
    let peerClosed: Int16 = 0x2000
    var state = pollfd(fd: client, events: peerClosed, revents: 0)
    return poll(&state, 1, 0) > 0
      && state.revents & (peerClosed | Int16(POLLHUP) | Int16(POLLERR)) != 0
  }

  /// Closes the socket and removes its file, unless another server has replaced it.
  package func close() {
    Glibc.close(descriptor)
    guard let file else { return }
    var status = stat()
    if lstat(file.path, &status) == 0, UInt(status.st_ino) == file.inode { unlink(file.path) }
  }

  /// Sends bytes to a client.
  ///
  /// - Returns: the reason why they could not be sent; `nil` on success. A client that does not receive for a second
  ///   counts as gone.
  package static func send(_ bytes: [UInt8], to client: Int32) -> String? {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          client, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
          Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        var state = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 1000) > 0 else { return "it does not receive" }
      } else if errno != EINTR {
        return String(cString: strerror(errno))
      }
    }
    return nil
  }
}
