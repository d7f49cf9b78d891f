import Glibc
package import Support

/// A TCP port on the loopback interface that accepts one debugger at a time.
package final class GDBListener {
  /// The port number.
  let port: UInt16
  private let listening: Int32
  private var client: Int32 = -1

  /// Opens a port; 0 selects any free port.
  ///
  /// - Throws: `Failure` (unavailable) if the port is in use.
  package init(port: UInt16) throws(Failure) {
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
    disconnect()
    close(listening)
  }

  /// `true` while a debugger is connected.
  var isConnected: Bool { client >= 0 }

  /// Waits for a debugger to connect, with a timeout in milliseconds; returns `false` after the timeout.
  func accept(within milliseconds: Int32) -> Bool {
    guard isReadable(listening, milliseconds) else { return false }
    client = Glibc.accept(listening, nil, nil)
    var one: Int32 = 1
    setsockopt(
      client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    return client >= 0
  }

  /// Returns received bytes, with a timeout in milliseconds; `nil` if the debugger has disconnected.
  func read(within milliseconds: Int32) -> [UInt8]? {
    guard client >= 0 else { return nil }
    guard isReadable(client, milliseconds) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(client, &bytes, bytes.count, 0)
    guard count > 0 else {
      if count < 0, errno == EINTR { return [] }
      disconnect()
      return nil
    }
    return Array(bytes[..<count])
  }

  /// Sends bytes to the debugger.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while client >= 0, !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return disconnect() }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes the connection.
  func disconnect() {
    if client >= 0 { close(client) }
    client = -1
  }

  private func isReadable(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
    var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, milliseconds) > 0
  }
}

/// A parser of packets of GDB's remote serial protocol ("Debugging with GDB", appendix E).
package struct GDBPacketReader {
  /// An item received from the debugger.
  package enum Item: Equatable {
    /// A packet with a correct checksum.
    case packet([UInt8])
    /// A packet with a wrong checksum.
    case damaged
    /// An interrupt request, which is a byte of value 3.
    case interrupt
  }

  /// The maximum packet length; longer packets are discarded.
  package static let longest = 1 << 14

  private enum State { case outside, content, first, second }

  private var state = State.outside
  private var content: [UInt8] = []
  private var sum: UInt8 = 0
  private var given: UInt8 = 0
  private var isEscaped = false

  /// Creates a reader that waits for a packet.
  package init() {}

  /// Processes a byte; returns the item that the byte completes, if any.
  package mutating func take(_ byte: UInt8) -> Item? {
    switch state {
    case .outside:
      if byte == 3 { return .interrupt }
      if byte == UInt8(ascii: "$") { begin() }
    case .content:
      takeContent(byte)
    case .first:
      given = Hexadecimal.value(byte).map { $0 << 4 } ?? 0
      state = Hexadecimal.value(byte) == nil ? .outside : .second
      if state == .outside { return .damaged }
    case .second:
      state = .outside
      guard let digit = Hexadecimal.value(byte), given | digit == sum else { return .damaged }
      return .packet(content)
    }
    return nil
  }

  private mutating func begin() {
    state = .content
    content.removeAll(keepingCapacity: true)
    (sum, isEscaped) = (0, false)
  }

  private mutating func takeContent(_ byte: UInt8) {
    if byte == UInt8(ascii: "#") {
      state = .first
    } else if byte == UInt8(ascii: "$"), !isEscaped {
      begin()
    } else {
      sum &+= byte
      if isEscaped {
        content.append(byte ^ 0x20)
        isEscaped = false
      } else if byte == UInt8(ascii: "}") {
        isEscaped = true
      } else {
        content.append(byte)
      }
      if content.count > Self.longest { state = .outside }
    }
  }

  /// Returns a packet with its start and end characters and checksum.
  package static func framed(_ content: String) -> [UInt8] {
    var framed: [UInt8] = [UInt8(ascii: "$")]
    var sum: UInt8 = 0
    for byte in content.utf8 {
      let isSpecial = byte == 0x23 || byte == 0x24 || byte == 0x7D || byte == 0x2A
      for sent in isSpecial ? [0x7D, byte ^ 0x20] : [byte] {
        framed.append(sent)
        sum &+= sent
      }
    }
    let digits = Array("0123456789abcdef".utf8)
    return framed + [UInt8(ascii: "#"), digits[Int(sum >> 4)], digits[Int(sum & 15)]]
  }
}
