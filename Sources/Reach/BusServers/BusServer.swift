import Glibc
package import I2C
import Support

/// A way for foreign clients to reach a bus, which the loop of a ``BusServer`` drives.
package protocol BusTransport: AnyObject {
  /// The name of the transport in messages.
  var name: String { get }
  /// The descriptors to wait for.
  var descriptors: [Int32] { get }
  /// The time until which the transport has nothing to do without input, in nanoseconds of CLOCK_MONOTONIC; `nil` if it
  /// only reacts to input.
  var deadline: UInt64? { get }
  /// `true` if a request of a client may be waiting.
  var hasWork: Bool { get }
  /// Handles a descriptor that is ready.
  func handle(_ descriptor: Int32)
  /// Serves at most one request that is waiting; a transfer that the client began may stay open.
  func proceed()
  /// Handles the deadline.
  func handleDeadline()
  /// Shows clients that the adapter was unplugged or plugged in, as far as the transport can.
  func showConnection()
  /// `true` if the transport can no longer serve clients.
  var hasFailed: Bool { get }
  /// Removes what clients would find.
  func close()
}

extension BusTransport {
  package var hasWork: Bool { false }
  package func proceed() {}
  package var deadline: UInt64? { nil }
  package func handleDeadline() {}
  package func showConnection() {}
  package var hasFailed: Bool { false }
}

/// Serves one bus to clients of several transports, on one thread.
///
/// The transports take turns, one request each. While a client's transfer is open, other clients wait, as a second
/// controller waits on a busy bus. A client that does not continue its transfer within ``transferTimeout`` loses the bus.
package final class BusServer {
  /// The longest time between two messages of a transfer, in nanoseconds: 1 s.
  package static let transferTimeout: UInt64 = 1_000_000_000
  /// The longest wait for input, after which the loop checks whether to end, in milliseconds.
  private static let tick: Int32 = 500
  private let bus: ServedBus
  private let transports: [any BusTransport]
  private let connection: AdapterConnection?
  private let didChange: (AdapterConnection.Change) -> Void
  private let notices: RepeatedNotices

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - transports: the transports through which clients reach it.
  ///   - connection: the connection of the adapter. Default: `nil`, for an adapter that is never unplugged.
  ///   - didChange: receives each change of the connection. Default: none.
  ///   - notices: receives messages for the user, also those of the transports.
  package init(
    _ bus: ServedBus, _ transports: [any BusTransport], connection: AdapterConnection? = nil,
    didChange: @escaping (AdapterConnection.Change) -> Void = { _ in },
    notices: RepeatedNotices
  ) {
    self.bus = bus
    self.transports = transports
    self.connection = connection
    self.didChange = didChange
    self.notices = notices
  }

  /// Ends the transports, and removes what clients would find.
  package func close() {
    bus.stop()
    for transport in transports { transport.close() }
    notices.report(isLast: true)
  }

  /// Passes the changes of the connection since the last call on to the transports.
  private func updateConnection() {
    while let change = connection?.next() {
      bus.stop()
      bus.isPluggedIn = change.isPluggedIn
      didChange(change)
      for transport in transports { transport.showConnection() }
    }
  }

  /// Serves clients until `isOver` returns `true`, which is called after each event and at least every half second.
  ///
  /// - Returns: `false` if a transport failed, which also ends it.
  package func run(until isOver: () -> Bool) -> Bool {
    // A client that has gone is noticed where it is written to.
    signal(SIGPIPE, SIG_IGN)
    defer { close() }
    var owner: (any BusTransport)?
    var ownerLosesBus: UInt64 = 0
    while !isOver() {
      if transports.contains(where: \.hasFailed) { return false }
      updateConnection()
      notices.report()
      // The owner of an open transfer is served alone.
      let served = owner.map { [$0] } ?? transports
      var waiting = served.flatMap { transport in
        transport.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      let deadlines = served.compactMap(\.deadline) + (owner == nil ? [] : [ownerLosesBus])
      let longest = (connection?.nanosecondsToNext).map { $0 / 1_000_000 + 1 }
      let wait =
        served.contains(where: \.hasWork)
        ? 0
        : Self.timeout(
          until: deadlines.min(), atMost: Int32(clamping: min(longest ?? .max, UInt64(Self.tick))))
      let count = poll(&waiting, nfds_t(waiting.count), wait)
      let now = MachineTime.monotonic()
      if count < 0, errno != EINTR { break }
      for entry in waiting where count > 0 && entry.revents != 0 {
        served.first { $0.descriptors.contains(entry.fd) }?.handle(entry.fd)
      }
      for transport in served where transport.hasWork && (owner == nil || owner === transport) {
        transport.proceed()
        (owner, ownerLosesBus) =
          bus.isOpen ? (transport, MachineTime.monotonic() + Self.transferTimeout) : (nil, 0)
      }
      for transport in served where transport.deadline.map({ $0 <= now }) ?? false {
        transport.handleDeadline()
      }
      if let client = owner, bus.isOpen, now >= ownerLosesBus {
        bus.stop()
        notices.take(
          "\(client.name): the client did not continue its transfer for 1 s; a stop was sent")
      }
      if !bus.isOpen { owner = nil }
    }
    return true
  }

  private static func timeout(until deadline: UInt64?, atMost longest: Int32) -> Int32 {
    guard let deadline else { return longest }
    let now = MachineTime.monotonic()
    guard deadline > now else { return 0 }
    return min(Int32(clamping: (deadline - now) / 1_000_000 + 1), longest)
  }
}

/// Passes on messages about clients, and counts those that repeat too often to be read one by one.
///
/// The first ``burst`` messages of a kind within ``period`` are passed on at once. Further ones are counted, and reported
/// in one line when the period ends: a client that connects in a loop does not fill the log. Messages that differ only
/// in their figures are of one kind.
package final class RepeatedNotices {
  /// The number of messages of a kind that are passed on at once in a period.
  package static let burst = 5
  /// The length of a period in nanoseconds: 10 s.
  package static let period: UInt64 = 10_000_000_000

  private struct Kind {
    /// The start of the period, in nanoseconds of CLOCK_MONOTONIC.
    let start: UInt64
    var passed = 0
    /// The messages of the period that were not passed on, and the last of them.
    var held = 0
    var last = ""

    var summary: String {
      held == 1 ? last : "\(last) (\(held) times in \(RepeatedNotices.period / 1_000_000_000) s)"
    }
  }

  private var kinds: [String: Kind] = [:]
  private let pass: (String) -> Void
  private let now: () -> UInt64

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - now: returns the time in nanoseconds. Default: that of CLOCK_MONOTONIC.
  ///   - pass: receives the messages.
  package init(
    now: @escaping () -> UInt64 = MachineTime.monotonic, to pass: @escaping (String) -> Void
  ) {
    self.now = now
    self.pass = pass
  }

  /// Passes a message on, or counts it.
  package func take(_ text: String) {
    let time = now()
    let key = text.filter { !$0.isHexDigit }
    var kind = kinds[key] ?? Kind(start: time)
    if time - kind.start >= Self.period {
      finish(kind)
      kind = Kind(start: time)
    }
    if kind.passed < Self.burst {
      kind.passed += 1
      kinds[key] = kind
      pass(text)
    } else {
      kind.held += 1
      kind.last = text
      kinds[key] = kind
    }
  }

  /// Reports the counts of the periods that have ended.
  ///
  /// - Parameter isLast: `true` to report all counts. Default: `false`.
  package func report(isLast: Bool = false) {
    guard !kinds.isEmpty else { return }
    let time = now()
    let ended = kinds.filter { isLast || time - $0.value.start >= Self.period }
    for key in ended.keys { kinds[key] = nil }
    ended.values.sorted { $0.last < $1.last }.forEach(finish)
  }

  private func finish(_ kind: Kind) { if kind.held > 0 { pass(kind.summary) } }
}

/// A client that connects and does not continue, so that others would wait for it for ever.
enum SilentClient {
  /// The time in which a client must begin to use the device, in nanoseconds: 10 s.
  static let timeout: UInt64 = 10_000_000_000
  /// The reason for which it is dropped.
  static let reason = "the client was dropped: it did not begin within 10 s"
}

/// The protocol state of one client that sends and receives a stream of bytes.
package protocol StreamSession: AnyObject {
  /// `true` after the client has begun to use the device.
  var hasBegun: Bool { get }
  /// Returns the bytes to send before any were received.
  func greeting() -> [UInt8]
  /// Consumes the message at the start of the received bytes, and removes it.
  ///
  /// - Parameter received: all bytes that were received and not yet consumed.
  /// - Returns: the bytes to send; `nil` if the message is not complete.
  /// - Throws: `ProtocolError` if the client breaks the rules of the protocol; the connection is then closed.
  func next(_ received: inout [UInt8]) throws(ProtocolError) -> [UInt8]?
  /// Returns the bytes that show the client that the adapter was unplugged or plugged in; `nil` if its connection is to
  /// be closed.
  func connectionChange() -> [UInt8]?
}

/// A transport whose clients connect to a socket, one at a time.
package final class StreamServer: BusTransport {
  package let name: String
  private let listener: SocketListener
  private let session: () -> any StreamSession
  private let bus: ServedBus
  private let notice: (String) -> Void
  private var client: (descriptor: Int32, session: any StreamSession, received: [UInt8])?
  package private(set) var hasWork = false
  /// The time by which a new client must have begun, in nanoseconds of CLOCK_MONOTONIC; `nil` after that.
  package private(set) var deadline: UInt64?

  package func handleDeadline() { drop(SilentClient.reason) }

  /// The most bytes that are received before the messages in them are served.
  private static let mostBytes = 262_144

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - name: the name of the transport in messages.
  ///   - listener: the socket to which clients connect.
  ///   - bus: the bus, on which a client that leaves has no open transfer.
  ///   - notice: receives messages for the user.
  ///   - session: creates the protocol state of a new client.
  package init(
    _ name: String, _ listener: SocketListener, _ bus: ServedBus,
    notice: @escaping (String) -> Void, session: @escaping () -> any StreamSession
  ) {
    self.name = name
    self.listener = listener
    self.bus = bus
    self.notice = notice
    self.session = session
  }

  package var descriptors: [Int32] {
    guard let client else { return [listener.descriptor] }
    return client.received.count < Self.mostBytes
      ? [client.descriptor, listener.descriptor] : [listener.descriptor]
  }

  package func handle(_ descriptor: Int32) {
    if descriptor == listener.descriptor { accept() } else { receive() }
  }

  package func close() {
    drop(nil)
    listener.close()
  }

  package func showConnection() {
    guard let session = client?.session else { return }
    guard let bytes = session.connectionChange() else { return drop("the client was dropped") }
    send(bytes)
  }

  private func accept() {
    guard let descriptor = listener.accept() else { return }
    if let client, SocketListener.hasLeft(client.descriptor) { drop("the client left") }
    guard client == nil else {
      Glibc.close(descriptor)
      notice("\(name): a second client was refused; one client at a time is served")
      return
    }
    let session = session()
    client = (descriptor, session, [])
    deadline = MachineTime.monotonic() + SilentClient.timeout
    notice("\(name): a client connected")
    send(session.greeting())
  }

  private func receive() {
    guard let descriptor = client?.descriptor else { return }
    let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      count = max(recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)), 0)
    }
    if chunk.isEmpty, SocketListener.hasLeft(descriptor) { return drop("the client left") }
    client?.received += chunk
    hasWork = true
  }

  package func proceed() {
    guard let descriptor = client?.descriptor, let session = client?.session else { return }
    // No client waits for the answers to what one that left has sent.
    guard !SocketListener.hasLeft(descriptor) else { return drop("the client left") }
    do throws(ProtocolError) {
      var received = client?.received ?? []
      client?.received = []
      let answer = try session.next(&received)
      client?.received = received
      hasWork = answer != nil
      if session.hasBegun { deadline = nil }
      send(answer ?? [])
    } catch {
      drop("the client was dropped: \(error)")
    }
  }

  private func send(_ bytes: [UInt8]) {
    guard let descriptor = client?.descriptor, !bytes.isEmpty else { return }
    if let reason = SocketListener.send(bytes, to: descriptor) {
      drop("the client was dropped: \(reason)")
    }
  }

  /// Closes the connection and ends the client's transfer.
  private func drop(_ reason: String?) {
    guard let open = client else { return }
    Glibc.close(open.descriptor)
    client = nil
    (hasWork, deadline) = (false, nil)
    bus.stop()
    if let reason { notice("\(name): \(reason)") }
  }
}
