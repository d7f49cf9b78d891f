import BusServers
import Foundation
import I2C
import TestSupport
import Testing
import VirtualI2C

/// A virtual machine that shares its memory with the server, as QEMU does.
private final class Machine {
  static let guestBase: UInt64 = 0x4000_0000
  static let clientBase: UInt64 = 0x7F00_0000_0000
  static let size = 0x10000
  static let descriptors = 0x1000
  static let available = 0x2000
  static let used = 0x3000
  static let buffers = 0x4000
  static let queueSize = 8

  let transport: VhostUser
  let folder: URL
  let notices: Notices
  let memory: Int32
  private let socket: Int32
  private let kick: Int32
  private let call: (Int32, Int32)
  private var next = 0
  private var index: UInt16 = 0

  final class Notices {
    var texts: [String] = []
  }

  init(_ bench: ServerBench) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "vhost-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "s").path
    let notices = Notices()
    self.notices = notices
    transport = VhostUser(try SocketListener(path: path), bench.bus) { notices.texts.append($0) }
    let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isConnected)
    socket = connection
    let file = folder.appending(path: "memory").path
    memory = open(file, O_RDWR | O_CREAT, 0o600)
    try #require(ftruncate(memory, Self.size) == 0)
    var (first, second): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try #require(pipe(&first) == 0 && pipe(&second) == 0)
    // A descriptor of the kick must deliver eight bytes, as an eventfd does.
    kick = first[1]
    call = (second[0], second[1])
    kickReader = first[0]
    transport.handle(transport.descriptors[0])
  }

  private let kickReader: Int32

  deinit {
    transport.close()
    for descriptor in [socket, memory, kick, kickReader, call.0, call.1] { close(descriptor) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// `true` while the server serves this machine.
  var isServed: Bool { transport.descriptors.count > 1 }

  /// Sends a message with descriptors, and lets the server handle it.
  func send(_ request: UInt32, _ body: [UInt8], _ passed: [Int32] = [], size: UInt32? = nil) {
    var bytes: [UInt8] = []
    bytes.little(request)
    bytes.little(UInt32(1))
    bytes.little(size ?? UInt32(body.count))
    bytes += body
    let headerSize = MemoryLayout<cmsghdr>.size
    var control = [UInt8](repeating: 0, count: headerSize + 4 * passed.count)
    bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var header = cmsghdr()
        header.cmsg_len = control.count
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = Int32(SCM_RIGHTS)
        control.storeBytes(of: header, as: cmsghdr.self)
        for (index, descriptor) in passed.enumerated() {
          control.storeBytes(of: descriptor, toByteOffset: headerSize + 4 * index, as: Int32.self)
        }
        var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          if !passed.isEmpty {
            message.msg_control = control.baseAddress
            message.msg_controllen = control.count
          }
          _ = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
    if isServed { transport.handle(transport.descriptors[1]) }
    serve()
  }

  /// Receives the reply to a message: its 64-bit value.
  func reply() -> UInt64? {
    var bytes = [UInt8](repeating: 0, count: 20)
    guard recv(socket, &bytes, 20, Int32(MSG_DONTWAIT)) == 20 else { return nil }
    return bytes[12...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func state(_ number: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.little(UInt32(0))
    bytes.little(number)
    return bytes
  }

  /// Starts the queue in the order of messages that QEMU sends.
  func start(features: UInt64 = 0x1_7000_0001, regionSize: UInt64 = UInt64(size)) {
    var table: [UInt8] = []
    table.little(UInt32(1))
    table.little(UInt32(0))
    for word in [Self.guestBase, regionSize, Self.clientBase, 0] { table.little(word) }
    var addresses = Self.state(0)
    for offset in [Self.descriptors, Self.used, Self.available] {
      addresses.little(Self.clientBase + UInt64(offset))
    }
    addresses.little(UInt64(0))
    var word: [UInt8] = []
    word.little(features)
    send(2, word)
    send(5, table, [memory])
    send(8, Self.state(UInt32(Self.queueSize)))
    send(10, Self.state(0))
    send(9, addresses)
    send(12, Self.state(0), [kickReader])
    send(18, Self.state(1))
    send(13, Self.state(0), [call.1])
  }

  func poke(_ bytes: [UInt8], at offset: Int) {
    _ = bytes.withUnsafeBytes { pwrite(memory, $0.baseAddress, $0.count, off_t(offset)) }
  }

  func peek(_ count: Int, at offset: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    _ = pread(memory, &bytes, count, off_t(offset))
    return bytes
  }

  func descriptor(_ index: Int, _ address: UInt64, _ length: Int, _ flags: UInt16, next: Int = 0) {
    var bytes: [UInt8] = []
    bytes.little(address)
    bytes.little(UInt32(length))
    bytes.little(flags)
    bytes.little(UInt16(next))
    poke(bytes, at: Self.descriptors + 16 * index)
  }

  /// Adds one message of a transfer to the ring: header, data, status.
  ///
  /// - Returns: the offsets of the data and of the status.
  @discardableResult
  func add(_ address: UInt16, write data: [UInt8]?, read count: Int = 0, failsNext: Bool = false)
    -> (data: Int, status: Int)
  {
    let place = Self.buffers + 256 * (next / 3)
    var header: [UInt8] = []
    header.little(address << 1)
    header.little(UInt16(0))
    header.little(UInt32((failsNext ? 1 : 0) | (data == nil ? 2 : 0)))
    poke(header + (data ?? []), at: place)
    let guest = Self.guestBase + UInt64(place)
    let head = next
    descriptor(head, guest, 8 + (data?.count ?? 0), 1, next: head + 1)
    descriptor(head + 1, guest + 128, count + 1, 2)
    poke([0xEE], at: place + 128 + count)
    next += 3
    publish(head)
    return (place + 128, place + 128 + count)
  }

  func publish(_ head: Int) {
    var entry: [UInt8] = []
    entry.little(UInt16(head))
    poke(entry, at: Self.available + 4 + 2 * (Int(index) % Self.queueSize))
    index += 1
    var count: [UInt8] = []
    count.little(index)
    poke(count, at: Self.available + 2)
  }

  /// Notifies the server of the chains in the ring.
  ///
  /// - Parameter requests: the most requests that the server serves. Default: all.
  func notify(serving requests: Int = .max) {
    var one: UInt64 = 1
    _ = write(kick, &one, 8)
    if transport.descriptors.count > 2 { transport.handle(transport.descriptors[2]) }
    serve(requests)
  }

  /// Lets the server serve requests.
  func serve(_ requests: Int = .max) {
    var count = 0
    while transport.hasWork, count < requests {
      transport.proceed()
      count += 1
    }
  }

  /// The first descriptors of the chains that the server has returned, in its order.
  var returned: [UInt8] { (0..<Int(usedCount)).map { peek(1, at: Self.used + 4 + 8 * $0)[0] } }

  var usedCount: UInt16 {
    let bytes = peek(2, at: Self.used + 2)
    return UInt16(bytes[0]) | UInt16(bytes[1]) << 8
  }

  /// `true` if the server has notified the machine since the last question.
  var wasCalled: Bool {
    var state = pollfd(fd: call.0, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return false }
    var count: UInt64 = 0
    return read(call.0, &count, 8) == 8
  }
}

/// The virtio I2C device over vhost-user.
struct VhostUserTests {
  @Test("the device offers requests without data, which Linux's driver demands")
  func features() throws {
    let machine = try Machine(ServerBench())
    machine.send(1, [])
    let features = try #require(machine.reply())
    #expect(features & 1 == 1)
    #expect(features >> 32 & 1 == 1)
    machine.send(17, [])
    #expect(machine.reply() == 1)
  }

  @Test("a register is read by two requests of one transfer")
  func read() throws {
    let bench = try ServerBench()
    let machine = try Machine(bench)
    machine.start()
    let first = machine.add(0x50, write: [0x10], failsNext: true)
    let second = machine.add(0x50, write: nil, read: 2)
    machine.notify()
    #expect(machine.peek(1, at: first.status) == [0])
    #expect(machine.peek(2, at: second.data) == Array(bench.part.registers[0x10...0x11]))
    #expect(machine.peek(1, at: second.status) == [0])
    #expect(machine.usedCount == 2)
    #expect(machine.wasCalled)
    #expect(bench.part.stops == 1)
  }

  @Test("after a failure, the rest of the transfer fails and the next one does not")
  func failure() throws {
    let machine = try Machine(ServerBench())
    machine.start()
    let first = machine.add(0x51, write: [0x10], failsNext: true)
    let second = machine.add(0x51, write: nil, read: 1)
    machine.notify()
    #expect(machine.peek(1, at: first.status) == [1])
    #expect(machine.peek(1, at: second.status) == [1])
    #expect(machine.isServed)
  }

  @Test(
    "the requests of a transfer are returned together, the last one first, whether it fails or not",
    arguments: [UInt16(0x50), 0x51])
  func together(address: UInt16) throws {
    let machine = try Machine(ServerBench())
    machine.start()
    // The memory of all requests is freed when the driver has the first one that failed.
    machine.add(address, write: [0x10], failsNext: true)
    machine.add(address, write: nil, read: 1)
    machine.notify(serving: 1)
    #expect(machine.usedCount == 0 && !machine.wasCalled)
    machine.serve()
    #expect(machine.returned == [3, 0] && machine.wasCalled)
  }

  @Test("requests of a transfer whose rest is not in the ring are returned without it")
  func incomplete() throws {
    let machine = try Machine(ServerBench())
    machine.start()
    machine.add(0x50, write: [0x10], failsNext: true)
    machine.notify()
    #expect(machine.returned == [0] && machine.wasCalled)
  }

  @Test("a queue that stops within a transfer has the requests back that were served")
  func stopped() throws {
    let machine = try Machine(ServerBench())
    machine.start()
    machine.add(0x50, write: [0x10], failsNext: true)
    machine.add(0x50, write: nil, read: 1)
    machine.notify(serving: 1)
    #expect(machine.usedCount == 0)
    machine.send(11, Machine.state(0))
    #expect(machine.returned == [0])
  }

  @Test("a chain may lie in a table of descriptors of its own")
  func indirect() throws {
    let bench = try ServerBench()
    let machine = try Machine(bench)
    machine.start()
    let place = Machine.buffers
    machine.poke([0xA0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x77], at: place)
    let guest = Machine.guestBase + UInt64(place)
    // The table holds a readable and a writable descriptor.
    machine.descriptor(4, guest, 10, 1, next: 1)
    machine.descriptor(5, guest + 128, 1, 2)
    machine.descriptor(
      0, Machine.guestBase + UInt64(Machine.descriptors + 64), 32, 4)
    machine.publish(0)
    machine.notify()
    #expect(machine.peek(1, at: place + 128) == [0])
    #expect(bench.part.registers[0x20] == 0x77)
  }

  @Test("a queue outside the shared memory, or one that breaks the rules, ends the connection")
  func badQueues() throws {
    let cases: [(String, (Machine) -> Void)] = [
      (
        "does not share",
        {
          $0.descriptor(0, 0x10, 8, 1, next: 1)
          $0.descriptor(1, Machine.guestBase, 1, 2)
        }
      ),
      ("without a header", { $0.descriptor(0, Machine.guestBase, 4, 0) }),
      ("without an end", { $0.descriptor(0, Machine.guestBase, 8, 1, next: 0) }),
      ("descriptor 200", { $0.descriptor(0, Machine.guestBase, 8, 1, next: 200) }),
      ("a bad table", { $0.descriptor(0, Machine.guestBase, 7, 4) }),
      ("a part of 2147483647", { $0.descriptor(0, Machine.guestBase, 0x7FFF_FFFF, 0) }),
      (
        "a part to read follows",
        {
          $0.descriptor(0, Machine.guestBase, 8, 3, next: 1)
          $0.descriptor(1, Machine.guestBase, 8, 0)
        }
      ),
    ]
    for (reason, prepare) in cases {
      let machine = try Machine(ServerBench())
      machine.start()
      prepare(machine)
      machine.publish(0)
      machine.notify()
      #expect(!machine.isServed)
      #expect(machine.notices.texts.last?.contains(reason) == true, "\(machine.notices.texts)")
    }
  }

  @Test("memory that the client takes back ends the connection, not the server")
  func shrunk() throws {
    let machine = try Machine(ServerBench())
    machine.start()
    machine.add(0x50, write: [0x10])
    #expect(ftruncate(machine.memory, 0x100) == 0)
    machine.notify()
    #expect(!machine.isServed)
    #expect(machine.notices.texts.last?.contains("does not share") == true)
  }

  @Test(
    "10,000 notifications without a request end the connection, and a request resets their count")
  func emptyNotifications() throws {
    let machine = try Machine(ServerBench())
    machine.start()
    for _ in 0..<9999 { machine.notify() }
    machine.add(0x50, write: [0x10])
    machine.notify()
    #expect(machine.usedCount == 1)
    for _ in 0..<10_000 { machine.notify() }
    #expect(machine.isServed)
    machine.notify()
    #expect(!machine.isServed)
  }

  @Test("messages that break the protocol end the connection")
  func badMessages() throws {
    let cases: [(String, UInt32, [UInt8], UInt32?)] = [
      ("unsupported message 99", 99, [], nil),
      ("a message of 1000000 bytes", 1, [], 1_000_000),
      ("a memory table of 2 regions", 5, [2, 0, 0, 0, 0, 0, 0, 0], nil),
      ("a queue of 3 descriptors", 8, Machine.state(3), nil),
      ("queue 1 of 1", 8, [1, 0, 0, 0, 8, 0, 0, 0], nil),
      ("no descriptor", 12, Machine.state(0), nil),
      ("polling", 12, [0, 1, 0, 0, 0, 0, 0, 0], nil),
      ("bad addresses", 9, [1], nil),
    ]
    for (reason, request, body, size) in cases {
      let machine = try Machine(ServerBench())
      machine.send(request, body, size: size)
      #expect(!machine.isServed)
      #expect(machine.notices.texts.last?.contains(reason) == true, "\(machine.notices.texts)")
    }
  }

  @Test("rings and messages at random never stop the server")
  func random() throws {
    var generator = Seeded("random vhost-user guests")
    for round in 0..<Repetitions.count(1000, long: 100_000) {
      let machine = try Machine(ServerBench())
      machine.start()
      machine.add(0x50, write: [0x10], failsNext: true)
      machine.add(0x50, write: nil, read: 2)
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let areas = [Machine.descriptors, Machine.available, Machine.used, Machine.buffers]
        let place =
          (areas.randomElement(using: &generator) ?? 0)
          + Int.random(in: 0..<96, using: &generator)
        machine.poke([UInt8.random(in: 0...255, using: &generator)], at: place)
      }
      machine.notify()
      if round % 3 == 0 {
        let body = (0..<Int.random(in: 0...48, using: &generator)).map { _ in
          UInt8.random(in: 0...3, using: &generator)
        }
        machine.send(UInt32.random(in: 0...30, using: &generator), body)
      }
    }
  }
}

@Suite("the socket of a served bus")
struct SocketModeTests {
  @Test("only its user may connect to a socket, whatever the mask of new files")
  func mode() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "socket-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "bus").path
    let listener = try SocketListener(path: path)
    defer { listener.close() }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }
}
