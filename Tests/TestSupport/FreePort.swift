import Glibc

/// Unused ports on this machine.
public enum FreePort {
  /// Returns a port that the system has just assigned and released.
  ///
  /// Another process may still take it before the caller uses it.
  public static func next() -> Int {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(handle >= 0, "no socket: errno \(errno)")
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(handle, address, length) == 0 else { return -1 }
        return getsockname(handle, address, &length)
      }
    }
    precondition(status == 0, "no port: errno \(errno)")
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
