import Glibc
import Support

/// A virtio I2C device for QEMU and other virtual machines, over the vhost-user protocol.
///
/// Source: QEMU, docs/interop/vhost-user.rst. The virtual machine connects to a socket and passes the memory of the guest
/// and the notifications of its queue as descriptors.
package final class VhostUser: BusTransport {
  package let name = "vhost-user"
  private let listener: SocketListener
  private let bus: ServedBus
  private let notice: (String) -> Void
  private var client: VhostUserClient?
  /// The time by which a new client must have begun, in nanoseconds of CLOCK_MONOTONIC.
  private var silenceEnd: UInt64 = 0

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - listener: the socket to which virtual machines connect.
  ///   - bus: the bus.
  ///   - notice: receives messages for the user.
  package init(
    _ listener: SocketListener, _ bus: ServedBus, notice: @escaping (String) -> Void
  ) {
    self.listener = listener
    self.bus = bus
    self.notice = notice
  }

  package var descriptors: [Int32] { [listener.descriptor] + (client?.descriptors ?? []) }

  package func handle(_ descriptor: Int32) {
    if descriptor == listener.descriptor { return accept() }
    guard let client else { return }
    do throws(ProtocolError) {
      if descriptor == client.socket {
        guard try client.receive() else { return drop("the client left") }
      } else {
        try client.takeNotification()
      }
    } catch {
      drop("the client was dropped: \(error)")
    }
  }

  package var hasWork: Bool { client?.hasWork ?? false }

  package var deadline: UInt64? { client?.hasBegun == false ? silenceEnd : nil }

  package func handleDeadline() { drop(SilentClient.reason) }

  package func proceed() {
    guard let client else { return }
    guard !SocketListener.hasLeft(client.socket) else { return drop("the client left") }
    do throws(ProtocolError) { try client.serveRequest() } catch {
      drop("the client was dropped: \(error)")
    }
  }

  package func close() {
    drop(nil)
    listener.close()
  }

  private func accept() {
    guard let descriptor = listener.accept() else { return }
    if let client, SocketListener.hasLeft(client.socket) { drop("the client left") }
    guard client == nil else {
      Glibc.close(descriptor)
      notice("\(name): a second client was refused; one client at a time is served")
      return
    }
    client = VhostUserClient(descriptor, bus)
    silenceEnd = MachineTime.monotonic() + SilentClient.timeout
    notice("\(name): a client connected")
  }

  private func drop(_ reason: String?) {
    guard let open = client else { return }
    open.close()
    client = nil
    bus.stop()
    if let reason { notice("\(name): \(reason)") }
  }
}

/// The state of one virtual machine.
private final class VhostUserClient {
  private enum Message {
    static let getFeatures: UInt32 = 1
    static let setFeatures: UInt32 = 2
    static let setOwner: UInt32 = 3
    static let resetOwner: UInt32 = 4
    static let setMemoryTable: UInt32 = 5
    static let setLogBase: UInt32 = 6
    static let setQueueSize: UInt32 = 8
    static let setQueueAddresses: UInt32 = 9
    static let setQueueBase: UInt32 = 10
    static let getQueueBase: UInt32 = 11
    static let setQueueKick: UInt32 = 12
    static let setQueueCall: UInt32 = 13
    static let setQueueError: UInt32 = 14
    static let getProtocolFeatures: UInt32 = 15
    static let setProtocolFeatures: UInt32 = 16
    static let getQueueCount: UInt32 = 17
    static let setQueueEnable: UInt32 = 18
  }

  private enum Feature {
    /// Requests without data, which Linux's driver demands.
    static let zeroLengthRequest: UInt64 = 1 << 0
    static let indirectDescriptors: UInt64 = 1 << 28
    static let eventIndex: UInt64 = 1 << 29
    static let protocolFeatures: UInt64 = 1 << 30
    static let version1: UInt64 = 1 << 32
    static let offered =
      zeroLengthRequest | indirectDescriptors | eventIndex | protocolFeatures | version1
    static let replyAcknowledge: UInt64 = 1 << 3
    static let severalQueues: UInt64 = 1 << 0
  }

  /// The longest accepted message in bytes.
  private static let longest = 4096
  /// The bit of a queue's descriptor message that says that none follows.
  private static let noDescriptor: UInt64 = 1 << 8

  /// The most notifications without a request, after which the client is dropped.
  private static let mostEmptyNotifications = 10_000

  let socket: Int32
  /// `true` after the first message of the client.
  private(set) var hasBegun = false
  private var emptyNotifications = 0
  private let memory = GuestMemory()
  private var device: VirtioI2C
  private var queue = Virtqueue()
  private var kick: Int32 = -1
  private var call: Int32 = -1
  private var isEnabled = false
  /// `true` if a request may be in the queue.
  private(set) var hasWork = false
  private var protocolFeatures: UInt64 = 0

  init(_ socket: Int32, _ bus: ServedBus) {
    self.socket = socket
    device = VirtioI2C(bus)
  }

  var descriptors: [Int32] { kick >= 0 && isEnabled ? [socket, kick] : [socket] }

  func close() {
    Glibc.close(socket)
    for descriptor in [kick, call] where descriptor >= 0 { Glibc.close(descriptor) }
    memory.replace(with: [])
  }

  /// Takes a notification of the driver.
  func takeNotification() throws(ProtocolError) {
    var count: UInt64 = 0
    guard Glibc.read(kick, &count, 8) == 8 || errno == EAGAIN else {
      throw ProtocolError("its notifications do not come from an eventfd")
    }
    emptyNotifications += 1
    guard emptyNotifications <= Self.mostEmptyNotifications else {
      throw ProtocolError(
        "it sent \(Self.mostEmptyNotifications) notifications without a request")
    }
    hasWork = true
  }

  /// Serves the next request in the queue.
  func serveRequest() throws(ProtocolError) {
    do throws(Virtqueue.Defect) {
      guard let notifies = try device.serveNext(&queue, memory) else {
        hasWork = false
        return
      }
      emptyNotifications = 0
      if notifies, call >= 0 {
        var one: UInt64 = 1
        _ = Glibc.write(call, &one, 8)
      }
    } catch {
      switch error {
      case .memory: throw ProtocolError("its queue names memory that it does not share")
      case .rule(let text): throw ProtocolError("its queue is wrong: \(text)")
      }
    }
  }

  /// Receives and handles one message.
  ///
  /// - Returns: `false` if the client has closed the connection.
  func receive() throws(ProtocolError) -> Bool {
    hasBegun = true
    guard let (header, passed) = try DescriptorMessage.receive(12, from: socket) else {
      return false
    }
    var unused = passed
    defer { for descriptor in unused { Glibc.close(descriptor) } }
    let request: UInt32 = header.integer(at: 0, .little)
    let flags: UInt32 = header.integer(at: 4, .little)
    let size: UInt32 = header.integer(at: 8, .little)
    guard flags & 3 == 1 else { throw ProtocolError("it speaks version \(flags & 3), not 1") }
    guard size <= Self.longest else { throw ProtocolError("it sent a message of \(size) bytes") }
    var body: [UInt8] = []
    if size > 0 {
      guard let (bytes, more) = try DescriptorMessage.receive(Int(size), from: socket) else {
        return false
      }
      unused += more
      body = bytes
    }
    let needsReply =
      flags & 8 != 0 && protocolFeatures & Feature.replyAcknowledge != 0
    if let value = try answer(request, body, &unused) {
      reply(request, value)
    } else if needsReply {
      reply(request, [UInt8](repeating: 0, count: 8))
    }
    return true
  }

  private func reply(_ request: UInt32, _ body: [UInt8]) {
    var bytes: [UInt8] = []
    let (version, isReply): (UInt32, UInt32) = (1, 4)
    for value in [request, version | isReply, UInt32(body.count)] { bytes.append(value, .little) }
    // A client that has gone is noticed by the next receive.
    _ = SocketListener.send(bytes + body, to: socket)
  }

  /// Handles a message.
  ///
  /// - Parameters:
  ///   - request: the type of the message.
  ///   - body: the bytes after the header.
  ///   - passed: the descriptors of the message; those that are kept are removed.
  /// - Returns: the body of the reply; `nil` for a message without one.
  /// - Throws: `ProtocolError` if the message breaks the rules.
  private func answer(
    _ request: UInt32, _ body: [UInt8], _ passed: inout [Int32]
  ) throws(ProtocolError) -> [UInt8]? {
    func value(_ number: UInt64) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number, .little)
      return bytes
    }
    switch request {
    case Message.getFeatures:
      return value(Feature.offered)
    case Message.setFeatures:
      // QEMU negotiates what the back end does not offer, so what counts is what it sends.
      queue.hasEventIndex = try word(body) & Feature.eventIndex != 0
    case Message.getProtocolFeatures:
      return value(Feature.replyAcknowledge | Feature.severalQueues)
    case Message.setProtocolFeatures:
      protocolFeatures = try word(body)
    case Message.getQueueCount:
      return value(1)
    case Message.setOwner, Message.resetOwner, Message.setLogBase, Message.setQueueError:
      break
    case Message.setMemoryTable:
      try setMemory(body, &passed)
    case Message.setQueueSize:
      let size = try state(body)
      guard size > 0, size <= 32_768, size & (size - 1) == 0 else {
        throw ProtocolError("it asks for a queue of \(size) descriptors")
      }
      queue.size = UInt16(size)
    case Message.setQueueBase:
      queue.next = UInt16(truncatingIfNeeded: try state(body))
    case Message.setQueueAddresses:
      try setAddresses(body)
    case Message.getQueueBase:
      _ = try state(body)
      returnServed()
      (isEnabled, hasWork) = (false, false)
      replace(&kick, with: -1)
      var bytes: [UInt8] = []
      bytes.append(UInt32(0), .little)
      bytes.append(UInt32(queue.next), .little)
      return bytes
    case Message.setQueueKick:
      try start(try descriptor(body, &passed))
    case Message.setQueueCall:
      replace(&call, with: try descriptor(body, &passed) ?? -1)
    case Message.setQueueEnable:
      isEnabled = try state(body) != 0
      hasWork = isEnabled && kick >= 0
    default:
      throw ProtocolError("it sent the unsupported message \(request)")
    }
    return nil
  }

  /// Starts the queue with the descriptor of its notifications.
  private func start(_ descriptor: Int32?) throws(ProtocolError) {
    guard let descriptor else {
      throw ProtocolError("it asks for polling instead of notifications")
    }
    replace(&kick, with: descriptor)
    do throws(Virtqueue.Defect) {
      try queue.start(memory)
    } catch {
      throw ProtocolError("it starts a queue whose memory it does not share")
    }
    hasWork = isEnabled
  }

  /// Returns the requests of an unfinished transfer before the queue stops.
  private func returnServed() {
    // The driver of a broken queue has lost them.
    _ = try? device.returnServed(&queue, memory)
  }

  private func replace(_ descriptor: inout Int32, with new: Int32) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = new
  }

  private func word(_ body: [UInt8]) throws(ProtocolError) -> UInt64 {
    guard body.count >= 8 else { throw ProtocolError("it sent a message of \(body.count) bytes") }
    return body.integer(at: 0, .little)
  }

  /// Returns the value of a message about the only queue.
  private func state(_ body: [UInt8]) throws(ProtocolError) -> UInt32 {
    let word = try word(body)
    guard UInt32(truncatingIfNeeded: word) == 0 else {
      throw ProtocolError("it names queue \(UInt32(truncatingIfNeeded: word)) of 1")
    }
    return UInt32(word >> 32)
  }

  /// Takes the descriptor of a message about the only queue; `nil` if it says that none follows.
  private func descriptor(
    _ body: [UInt8], _ passed: inout [Int32]
  ) throws(ProtocolError) -> Int32? {
    let word = try word(body)
    guard word & 0xFF == 0 else { throw ProtocolError("it names queue \(word & 0xFF) of 1") }
    if word & Self.noDescriptor != 0 { return nil }
    guard let descriptor = passed.popLast() else {
      throw ProtocolError("it sent no descriptor with a message that needs one")
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return descriptor
  }

  private func setMemory(_ body: [UInt8], _ passed: inout [Int32]) throws(ProtocolError) {
    guard body.count >= 8 else { throw ProtocolError("it sent a memory table without a size") }
    let count = Int(body.integer(at: 0, .little, as: UInt32.self))
    guard count <= 8, body.count >= 8 + 32 * count, passed.count == count else {
      throw ProtocolError(
        "it sent a memory table of \(count) regions with \(passed.count) descriptors")
    }
    var regions: [GuestMemory.Region] = []
    for index in 0..<count {
      func field(_ number: Int) -> UInt64 {
        body.integer(at: 8 + 32 * index + 8 * number, .little)
      }
      let region = GuestMemory.Region(
        guestAddress: field(0), size: field(1), clientAddress: field(2), offset: field(3),
        descriptor: passed[index])
      guard !region.guestAddress.addingReportingOverflow(region.size).overflow,
        !region.clientAddress.addingReportingOverflow(region.size).overflow
      else { throw ProtocolError("it sent a memory region that ends past the address space") }
      regions.append(region)
    }
    passed = []
    memory.replace(with: regions)
  }

  private func setAddresses(_ body: [UInt8]) throws(ProtocolError) {
    guard body.count >= 40, body.integer(at: 0, .little, as: UInt32.self) == 0 else {
      throw ProtocolError("it sent bad addresses of a queue")
    }
    do throws(GuestMemoryError) {
      queue.addresses = (
        try memory.guestAddress(ofClient: body.integer(at: 8, .little)),
        try memory.guestAddress(ofClient: body.integer(at: 24, .little)),
        try memory.guestAddress(ofClient: body.integer(at: 16, .little))
      )
    } catch {
      throw ProtocolError("it placed a queue in memory that it does not share")
    }
  }
}

/// A part of a stream with which descriptors are passed (unix(7), SCM_RIGHTS).
private enum DescriptorMessage {
  /// The most descriptors in one message.
  private static let most = 8

  /// Receives bytes, waiting up to a second for a part that has not arrived.
  ///
  /// - Returns: the bytes and the descriptors, which the caller closes; `nil` if the connection was closed.
  static func receive(
    _ count: Int, from socket: Int32
  ) throws(ProtocolError) -> (bytes: [UInt8], descriptors: [Int32])? {
    var bytes = [UInt8](repeating: 0, count: count)
    var descriptors: [Int32] = []
    var received = 0
    while received < count {
      let some = receive(&bytes, from: received, &descriptors, socket)
      if some > 0 {
        received += some
        continue
      }
      if some < 0, errno == EINTR { continue }
      if some < 0, errno == EAGAIN {
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&state, 1, 1000) > 0 { continue }
        descriptors.forEach { close($0) }
        throw ProtocolError("it sent a part of a message only")
      }
      descriptors.forEach { close($0) }
      return nil
    }
    return (bytes, descriptors)
  }

  private static func receive(
    _ bytes: inout [UInt8], from start: Int, _ descriptors: inout [Int32], _ socket: Int32
  ) -> Int {
    let headerSize = MemoryLayout<cmsghdr>.size
    var control = [UInt64](repeating: 0, count: (headerSize + 4 * most + 7) / 8)
    return bytes.withUnsafeMutableBytes { bytes in
      control.withUnsafeMutableBytes { control in
        var part = iovec(
          iov_base: bytes.baseAddress.map { $0 + start }, iov_len: bytes.count - start)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          let flags = Int32(MSG_DONTWAIT | MSG_CMSG_CLOEXEC)
          let count = recvmsg(socket, &message, flags)
          guard count > 0, message.msg_controllen >= headerSize else { return count }
          let header = control.load(as: cmsghdr.self)
          guard header.cmsg_level == SOL_SOCKET, header.cmsg_type == Int32(SCM_RIGHTS)
          else { return count }
          let end = min(Int(header.cmsg_len), Int(message.msg_controllen))
          for offset in stride(from: headerSize, to: end, by: 4) where offset + 4 <= end {
            descriptors.append(control.load(fromByteOffset: offset, as: Int32.self))
          }
          return count
        }
      }
    }
  }
}
